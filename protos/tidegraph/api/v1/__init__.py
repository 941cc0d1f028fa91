"""Version 1 of the gRPC API."""
