"""The log: the table of topics, codecs, producer, dead letters, status lines, and an in-memory twin."""
