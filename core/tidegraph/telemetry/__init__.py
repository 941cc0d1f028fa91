"""What a process counts and measures, and where it can be read.

metrics   every metric, declared once
endpoint  the HTTP address at which a scraper reads them
"""

from tidegraph.telemetry.endpoint import Endpoint, expose
from tidegraph.telemetry.metrics import REGISTRY

__all__ = ["REGISTRY", "Endpoint", "expose"]
