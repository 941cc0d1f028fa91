"""Language work on the CPU, without an LLM: time grounding, mentions, events and assertions."""
