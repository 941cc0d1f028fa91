"""The one writer of a graph: what a batch of resolved documents changes, as one fenced commit.

submissions  which revisions, readings and retractions there are, and when each is withdrawn
claims       names to entities, extracted assertions to assertions under their conflict keys
links        the event graph's lists of K
feed         what changed, in words
planning     one batch and the graph as it is to one commit
writer       the fence: commit, replay, conflict
"""
