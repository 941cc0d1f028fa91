"""Measure what the product finds, on files in the formats that the scorers read.

    quality.py ground   --cases FILE[,FILE] --out FILE
    quality.py SUBCOMMAND --help

One module a subcommand in ``quality_lib``: it has ``HELP``, ``add_arguments(parser)`` and
``run(arguments) -> exit code``. Fields that hold expected answers are never read.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import quality_lib


def main(argv: list[str] | None = None) -> int:
    """Dispatch to the module that is named like the subcommand."""
    parser = argparse.ArgumentParser(prog="quality.py", description=__doc__, formatter_class=_Formatter)
    commands = parser.add_subparsers(dest="command", required=True)
    modules = {}
    for info in pkgutil.iter_modules(quality_lib.__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"quality_lib.{info.name}")
        if hasattr(module, "run") and hasattr(module, "HELP"):
            modules[info.name] = module
            module.add_arguments(commands.add_parser(info.name, help=module.HELP, description=module.__doc__))
    arguments = parser.parse_args(argv)
    return int(modules[arguments.command].run(arguments))


class _Formatter(argparse.RawDescriptionHelpFormatter):
    pass


if __name__ == "__main__":
    sys.exit(main())
