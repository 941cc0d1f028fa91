"""What travels on the topics: Protobuf records and their generated code."""
