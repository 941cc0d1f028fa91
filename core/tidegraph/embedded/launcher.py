"""Run a command that cannot outlive the process that started it (Linux).

``python launcher.py SIGNAL PARENT_PID COMMAND [ARGUMENT ...]`` asks the kernel to send SIGNAL to this
process when its parent's starting thread ends, then becomes the command. It is a script of its own
because the usual alternative, code between fork and exec, is unsafe in a process with threads.
"""

from __future__ import annotations

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> int:
    """Bind the lifetime, then replace this process; returns only when that failed."""
    death_signal, parent = int(arguments[0]), int(arguments[1])
    command = arguments[2:]
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
        print(f"cannot bind to the parent's life: {os.strerror(ctypes.get_errno())}", file=sys.stderr)
        return 126
    if os.getppid() != parent:  # it ended before the request reached the kernel
        return 125
    try:
        os.execv(command[0], command)  # noqa: S606 - the command is built by the supervisor
    except OSError as error:
        print(f"cannot start {command[0]}: {error.strerror}", file=sys.stderr)
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
