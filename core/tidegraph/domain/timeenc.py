"""Time in the vectors (DyG-RAG eq. 2, 7, 8), and the exact kernel that does the same without vectors.

Fourier encoding of an instant t with m periods P_j (days):

    phi(t) = sqrt(1 / m) * (cos 2 pi t/P_1, sin 2 pi t/P_1, ..., cos 2 pi t/P_m, sin 2 pi t/P_m)

Its norm is 1 and phi(t) . phi(u) = mean_j cos 2 pi (t - u)/P_j, which falls with the gap as long as the
gap is below half the shortest period. The default periods of 400, 800, 1600 and 3200 years keep it
monotone over 200 years, at the price that days hardly move it: float32 drowns gaps below some months.
Where the order of near dates matters use :func:`kernel`, which is exact in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.interval import MICROS_PER_DAY, Interval

DAYS_PER_YEAR: Final = 365.2425
DEFAULT_PERIODS_DAYS: Final = tuple(years * DAYS_PER_YEAR for years in (400.0, 800.0, 1600.0, 3200.0))
DEFAULT_SCALE_DAYS: Final = 365.0


def fourier(
    times: Sequence[int | None], periods_days: Sequence[float] = DEFAULT_PERIODS_DAYS
) -> NDArray[np.float32]:
    """phi of each instant: shape (len(times), 2 * len(periods_days)).

    Args:
        times: microseconds since 1970, an interval being given by its start; None is undated.
        periods_days: in days, all positive.

    Returns:
        Rows of L2 norm 1; of zeros for an undated one.
    """
    dated = np.array([time is not None for time in times], dtype=bool)
    days = np.array([(time or 0) / MICROS_PER_DAY for time in times], dtype=np.float64)
    angles = 2.0 * np.pi * days[:, None] / np.asarray(periods_days, dtype=np.float64)[None, :]
    waves = np.empty((len(times), 2 * len(periods_days)), dtype=np.float64)
    waves[:, 0::2], waves[:, 1::2] = np.cos(angles), np.sin(angles)
    waves *= np.sqrt(1.0 / len(periods_days)) * dated[:, None]
    return waves.astype(np.float32)


def enhance(text: NDArray[np.float32], phi: NDArray[np.float32]) -> NDArray[np.float32]:
    """Indexed vectors z = [text ; phi ; rest] (eq. 2), all of one norm.

    The last component completes undated rows to the norm of dated ones, so that a cosine neither favours
    nor punishes them, and lambda = 0 gives the order of the text alone.

    Args:
        text: shape (n, d), rows of norm 1.
        phi: shape (n, f), rows of norm 1 or 0.

    Returns:
        Shape (n, d + f + 1), rows of norm 1.
    """
    rest = np.sqrt(np.clip(1.0 - np.square(phi, dtype=np.float64).sum(axis=1), 0.0, 1.0))
    joined = np.concatenate([text, phi, rest[:, None].astype(np.float32)], axis=1)
    unit: NDArray[np.float32] = (joined / np.sqrt(2.0)).astype(np.float32)
    return unit


def enhance_query(text: NDArray[np.float32], phi: NDArray[np.float32], weight: float) -> NDArray[np.float32]:
    """Query vectors [text ; lambda * phi ; 0] (eq. 7, 8), rows of norm 1 over (n, d + f + 1).

    The cosine with an indexed vector is (text . text' + lambda * phi . phi') / sqrt(2 + 2 lambda^2), with
    lambda = ``weight`` in [0, 1].
    """
    padding = np.zeros((len(text), 1), dtype=np.float32)
    joined = np.concatenate([text, np.float32(weight) * phi, padding], axis=1)
    norms = np.linalg.norm(joined, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (joined / np.where(norms == 0.0, 1.0, norms)).astype(np.float32)
    return unit


def kernel(gap: int, scale_days: float = DEFAULT_SCALE_DAYS) -> float:
    """Closeness of two times from their gap in microseconds: 1 / (1 + gap / scale).

    Strictly falling, 1 at no gap, one half at ``scale_days``, never 0: a dated match always beats an undated
    one, which scores 0.
    """
    return 1.0 / (1.0 + gap / (scale_days * MICROS_PER_DAY))


def closeness(
    event: Interval | None, asked: Interval | None, scale_days: float = DEFAULT_SCALE_DAYS
) -> float:
    """:func:`kernel` of the gap between an event's and the asked interval; 0 where either is undated."""
    if event is None or asked is None:
        return 0.0
    return kernel(event.gap(asked), scale_days)


def time_aware(
    cosine: float,
    event: Interval | None,
    asked: Interval | None,
    weight: float,
    scale_days: float = DEFAULT_SCALE_DAYS,
) -> float:
    """cosine + lambda * closeness: the exact form of eq. 8, with lambda = ``weight``."""
    return cosine + weight * closeness(event, asked, scale_days)
