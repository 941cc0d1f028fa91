"""Models behind the ports: encoders, the chat client, prompts, the clock."""
