#!/bin/sh
# Make or renew .venv-st: sentence-transformers with torch, for `make test-st`. Some 5 GB on Linux, where the
# package index serves torch with its CUDA libraries, which stay unused.
set -eu

cd "$(dirname "$0")/.."
venv=.venv-st

[ -x .venv/bin/python ] || { echo "error: make .venv first: make venv-dev" >&2; exit 1; }
echo "Creating $venv (some 5 GB)"
rm -rf "$venv"
.venv/bin/python -m venv "$venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
"$venv/bin/python" -m pip install --quiet --require-hashes --only-binary :all: -r requirements/uv.txt
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps --require-hashes --only-binary :all: \
    -r requirements/st.txt
touch "$venv/.installed"
