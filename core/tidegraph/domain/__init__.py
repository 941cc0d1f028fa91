"""The pure heart of Tidegraph: time, events, facts and the belief history.

Nothing in this package does I/O, reads a clock or draws random numbers that were not passed in.
"""
