"""Readers of files by format."""
