"""The stream processors: stages as functions over ports, and what runs them."""
