"""The gRPC service: servicers translate, use cases decide over ports."""
