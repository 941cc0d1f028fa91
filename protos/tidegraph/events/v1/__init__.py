"""Version 1 of the topic records."""
