"""What holds for every test: a clean environment, printed seeds, hypothesis profiles, no silent skips.

pytest --seed N                   repeat a run's random choices (printed when a test fails)
HYPOTHESIS_PROFILE=slow pytest    many more examples in the property tests
"""

from __future__ import annotations

import os
import random
import shutil
import zlib
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from tests.recording import RECORDING, Recording, is_whole

settings.register_profile(
    "fast", max_examples=60, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("slow", parent=settings.get_profile("fast"), max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))

IN_CI = os.environ.get("CI", "").lower() == "true"
RUN_SEED = pytest.StashKey[int]()
PATCH = pytest.StashKey[pytest.MonkeyPatch]()
FOR_TESTS = {"TIDEGRAPH_FEEDS_DIR"}
"""What tells the tests something, and no stack."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", type=int, default=None, help="seed of the `seed` and `rng` fixtures")


def pytest_configure(config: pytest.Config) -> None:
    """Draw the run's seed, and forget the settings of whoever started the tests."""
    given = config.getoption("--seed")
    config.stash[RUN_SEED] = random.SystemRandom().randrange(1 << 31) if given is None else given
    for name in [name for name in os.environ if name.startswith("TIDEGRAPH_") and name not in FOR_TESTS]:
        del os.environ[name]
    config.stash[RECORDING] = Recording()
    config.stash[RECORDING].start(config.stash.setdefault(PATCH, pytest.MonkeyPatch()))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave the product as it was."""
    config.stash[PATCH].undo()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What looks back on a whole run comes last, and only there."""
    last = [item for item in items if item.get_closest_marker("last")]
    items[:] = [item for item in items if item not in last]
    if is_whole(config):
        items += last
    else:
        config.hook.pytest_deselected(items=last)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests on Apache Kafka need Java and Maven; CI has them, so there their absence is a failure."""
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    if item.get_closest_marker("kafka") and missing and not IN_CI:
        pytest.skip(f"{' and '.join(missing)} not installed")


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of this test's own: a function of the run's seed and the test's name."""
    return request.config.stash[RUN_SEED] ^ zlib.crc32(request.node.nodeid.encode())


@pytest.fixture
def rng(seed: int) -> random.Random:
    """A random source that ``--seed`` repeats."""
    return random.Random(seed)


@pytest.fixture(autouse=True)
def _global_randomness(seed: int) -> Iterator[None]:
    """Whatever draws from the global source is repeated by ``--seed`` too."""
    state = random.getstate()
    random.seed(seed)
    yield
    random.setstate(state)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI a skipped test is a failed run: what is not run there is run nowhere."""
    if IN_CI and exitstatus == pytest.ExitCode.OK and _skipped(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    reporter = terminalreporter
    if reporter.stats.get("failed") or reporter.stats.get("error"):
        reporter.write_line(f"random choices of this run: --seed {config.stash[RUN_SEED]}")
    if IN_CI:
        for report in _skipped(config):
            reporter.write_line(f"skipped in CI, which counts as a failure: {report.nodeid}", red=True)


def _skipped(config: pytest.Config) -> list[pytest.TestReport]:
    reporter: pytest.TerminalReporter | None = config.pluginmanager.get_plugin("terminalreporter")
    return reporter.stats.get("skipped", []) if reporter else []
