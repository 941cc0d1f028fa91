"""FalkorDB behind the GraphStore and StatusStore ports, and their in-memory twins."""
