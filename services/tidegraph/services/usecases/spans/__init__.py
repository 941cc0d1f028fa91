"""The shortest phrase of a text that answers a question: candidates, their times, and their ranking."""
