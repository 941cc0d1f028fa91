"""How many examples a property gets: few in the fast suite, very many under HYPOTHESIS_PROFILE=slow."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SLOW = os.environ.get("HYPOTHESIS_PROFILE") == "slow"


def examples(fast: int, slow: int) -> settings:
    """Settings of one property test."""
    return settings(
        max_examples=slow if SLOW else fast,
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
