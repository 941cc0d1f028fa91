"""The embedded stack: broker, store, worker and server as supervised children of one process."""
