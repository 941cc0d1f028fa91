"""A real vLLM server on this CPU with a tiny model of random weights; see `make test-vllm`."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-vllm" / "bin" / "python"
START_SECONDS = 600.0
STOP_SECONDS = 30.0
TINY = Path(__file__).with_name("tiny_models.py")
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
}


@pytest.fixture(scope="session")
def vllm_python() -> Path:
    """The Python of the environment that holds vLLM, torch and transformers."""
    assert PYTHON.exists(), "run these tests by `make test-vllm`, which makes .venv-vllm"
    return PYTHON


def run_tiny(python: Path, what: str, folder: Path, text: str = "") -> str:
    """One command of tiny_models.py, offline; its output."""
    paths = os.pathsep.join(str(ROOT / part) for part in ("core", "protos"))
    environment = {**os.environ, **OFFLINE, "PYTHONPATH": paths}
    done = subprocess.run(
        [str(python), str(TINY), what, str(folder)],
        input=text,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    return done.stdout


@pytest.fixture(scope="session")
def vllm_url(vllm_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that serves the model ``tiny``; ended with its children."""
    folder = tmp_path_factory.mktemp("vllm")
    run_tiny(vllm_python, "chat", folder / "model")
    port = _free_port()
    command = [str(vllm_python), "-m", "vllm.entrypoints.openai.api_server", "--model", str(folder / "model")]
    command += ["--load-format", "dummy", "--enforce-eager", "--dtype", "float32", "--max-model-len", "16384"]
    command += [
        "--max-num-seqs",
        "4",
        "--served-model-name",
        "tiny",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    command += ["--structured-outputs-config", '{"backend":"xgrammar","disable_any_whitespace":true}']
    log = folder / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command,
            env={**os.environ, **OFFLINE},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_healthy(url, server, log)
        yield url
    finally:
        _stop(server)


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    began = time.monotonic()
    while time.monotonic() - began < START_SECONDS:
        if server.poll() is not None:
            break
        try:
            if httpx.get(f"{url}/health", timeout=2.0).status_code == 200:
                print(f"\nvLLM answered after {time.monotonic() - began:.0f} s")
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.5)
    pytest.fail(f"vLLM did not start; the end of its log:\n{log.read_text(errors='replace')[-4_000:]}")


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server and the processes that it started: they share its session."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, how)
            server.wait(STOP_SECONDS)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
