#!/bin/sh
# Make or renew .venv in the repository root.
#
#   tools/venv.sh REQUIREMENTS...     the hash-pinned files to install; this project is added in
#                                     editable form.
#
# Needs a Python in the range below with venv and ensurepip, nothing else. PYTHON names the
# interpreter to use; without it the first fitting one on the path is taken.
set -eu

cd "$(dirname "$0")/.."
venv=.venv
oldest=11
newest=13

fail() {
    printf 'error: %s\n' "$@" >&2
    exit 1
}

fits() {
    "$1" -c "import sys; sys.exit(not (3, $oldest) <= sys.version_info[:2] <= (3, $newest))" 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" || fail "PYTHON=$PYTHON is not a working Python 3.$oldest to 3.$newest."
        printf '%s\n' "$PYTHON"
        return
    fi
    for candidate in python3 python3.13 python3.12 python3.11 python; do
        if fits "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    found=$(python3 --version 2>/dev/null || echo "no python3 at all")
    fail "Tidegraph needs Python 3.$oldest to 3.$newest; found $found." \
        "Install one, or name it: make PYTHON=/path/to/python3.12 ..."
}

create() {
    python=$(find_python)
    "$python" -c 'import ensurepip, venv' 2>/dev/null || fail \
        "$python has no venv or ensurepip module, so no virtual environment can be made." \
        "Debian and Ubuntu keep them in a package of their own: apt-get install python3-venv"
    echo "Creating $venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
}

# An environment whose interpreter went away, or that was moved here with its checkout, is made anew.
usable() {
    fits "$venv/bin/python" && head -n 3 "$venv/bin/pip" 2>/dev/null | grep -qF "$(pwd)/$venv/"
}

for file in "$@"; do
    [ -f "$file" ] || fail "no such requirements file: $file"
done

usable || create
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
for file in "$@"; do
    echo "Installing $file (pinned, with hashes)"
    "$venv/bin/python" -m pip install --quiet --require-hashes --only-binary :all: -r "$file"
done
echo "Installing tidegraph itself, editable"
"$venv/bin/python" -m pip install --quiet --no-deps --no-build-isolation --editable .
