"""The gRPC API: Protobuf definitions and their generated code."""
