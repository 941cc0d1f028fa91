"""The stages: ground, extract, resolve, write, track."""
