"""Entity resolution: which mentions name the same thing, as a function of the set of mentions.

Blocking by several keys finds candidates, names and evidence are scored, calibrated thresholds accept,
abstain or reject, and clusters are formed. No order of arrival and no number of workers changes a
result: ``engine.cluster`` looks at the set alone.
"""
