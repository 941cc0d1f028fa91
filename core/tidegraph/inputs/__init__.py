"""How documents enter: log records and files become :class:`tidegraph.inputs.document.RawDocument`."""
