"""The endpoint serves the metrics where it was asked to, and nowhere else."""

from __future__ import annotations

import socket
import urllib.request
from urllib.error import URLError

import pytest
from prometheus_client import CollectorRegistry, Counter

from tidegraph.domain.errors import Rejected
from tidegraph.embedded.network import free_port
from tidegraph.settings import MetricsSettings, load
from tidegraph.telemetry import expose


def read(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        return answer.read().decode()


def test_metrics_are_served_until_the_endpoint_is_closed() -> None:
    registry = CollectorRegistry()
    Counter("seen", "What was seen.", registry=registry).inc(3)
    with expose(MetricsSettings(port=free_port()), registry) as endpoint:
        assert "seen_total 3.0" in read(endpoint.port)
    with pytest.raises(URLError):
        read(endpoint.port)


def test_without_a_port_nothing_is_opened() -> None:
    with expose(load({}).metrics) as endpoint:
        assert endpoint.port == 0


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Rejected, match=r"METRICS_ADDRESS.*TIDEGRAPH_METRICS_PORT"):
            expose(MetricsSettings(port=taken.getsockname()[1]))
