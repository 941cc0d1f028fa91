"""The subcommands of ``bench/quality.py``."""
