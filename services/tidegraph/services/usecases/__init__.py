"""What the service can do, over ports: no gRPC and no Protobuf in here."""
