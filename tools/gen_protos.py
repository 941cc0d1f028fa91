"""Generate the Python code of every .proto file under protos/, and lint them, without a network.

    python tools/gen_protos.py            write *_pb2.py, *_pb2.pyi and *_pb2_grpc.py(i) beside the sources
    python tools/gen_protos.py --check    write nothing; exit 1 when the checked-in code is not what they say
    python tools/gen_protos.py --lint     buf lint (STANDARD), after building an image of the google imports

The google.type and google.rpc definitions come from the installed googleapis-common-protos; nothing
of them is kept here. protoc comes with grpcio-tools, the type stubs from mypy-protobuf.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
GENERATED = ("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*_pb2_grpc.pyi")
BUF_WORKSPACE = """version: v2
modules:
  - path: protos
    lint:
      use:
        - STANDARD
    breaking:
      use:
        - FILE
  - path: google
"""


def sources() -> list[Path]:
    """The .proto files, relative to protos/, in a fixed order."""
    return sorted(path.relative_to(PROTOS) for path in PROTOS.rglob("*.proto"))


def google_include() -> Path:
    """The directory under which google/type/*.proto is installed."""
    files = importlib.metadata.files("googleapis-common-protos") or []
    for file in files:
        if file.as_posix().endswith("google/type/interval.proto"):
            return Path(str(file.locate())).resolve().parents[2]
    sys.exit("googleapis-common-protos is not installed with its .proto files; run `make venv` first")


def generate(out: Path) -> None:
    """Run protoc over all sources into ``out``."""
    plugins = Path(sys.executable).parent
    with_services = [path for path in sources() if "\nservice " in (PROTOS / path).read_text()]
    common = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        f"-I{PROTOS}",
        f"-I{google_include()}",
        f"--plugin=protoc-gen-mypy={plugins / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={plugins / 'protoc-gen-mypy_grpc'}",
    ]
    _run([*common, f"--python_out={out}", f"--mypy_out=quiet:{out}", *map(str, sources())])
    if with_services:
        flags = [f"--grpc_python_out={out}", f"--mypy_grpc_out=quiet:{out}"]
        _run([*common, *flags, *map(str, with_services)])


def generated(root: Path) -> dict[str, bytes]:
    """Generated files under ``root`` by relative path."""
    found = (path for pattern in GENERATED for path in root.rglob(pattern))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def write() -> int:
    """Replace the checked-in code; files of sources that are gone go too."""
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch))
        fresh = generated(Path(scratch))
    for stale in generated(PROTOS).keys() - fresh.keys():
        (PROTOS / stale).unlink()
    for name, content in fresh.items():
        (PROTOS / name).write_bytes(content)
    print(f"{len(fresh)} files generated from {len(sources())} sources")
    return 0


def check() -> int:
    """Compare the checked-in code with what the sources give."""
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch))
        fresh = generated(Path(scratch))
    present = generated(PROTOS)
    drifted = sorted(name for name in fresh.keys() | present.keys() if fresh.get(name) != present.get(name))
    for name in drifted:
        print(f"protos/{name} differs from its source; run tools/gen_protos.py", file=sys.stderr)
    return 1 if drifted else 0


def lint() -> int:
    """buf lint over a scratch workspace: our module, and the google files that it imports."""
    buf = Path(sys.executable).parent / "buf"
    with tempfile.TemporaryDirectory() as scratch:
        workspace = Path(scratch)
        (workspace / "buf.yaml").write_text(BUF_WORKSPACE)
        shutil.copytree(PROTOS, workspace / "protos", ignore=shutil.ignore_patterns("*.py*", "buf.yaml"))
        for area in ("type", "rpc"):
            target = workspace / "google" / "google" / area
            target.mkdir(parents=True)
            for file in (google_include() / "google" / area).glob("*.proto"):
                shutil.copy(file, target)
        command = [str(buf), "lint", "protos"]
        return subprocess.run(command, cwd=workspace, check=False).returncode  # noqa: S603 (fixed)


def _run(command: list[str]) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (fixed)
    if result.returncode:
        sys.exit(result.stderr or f"{command[2]} failed")


def main() -> int:
    parser = argparse.ArgumentParser(description="Generate, check or lint the protos.")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--check", action="store_true", help="exit 1 on drift, write nothing")
    group.add_argument("--lint", action="store_true", help="run buf lint")
    options = parser.parse_args()
    if options.lint:
        return lint()
    return check() if options.check else write()


if __name__ == "__main__":
    sys.exit(main())
