#!/usr/bin/env python3
"""Runs the programs of this folder on wasmtime (pip install wasmtime; recorded with 50.0.1) and writes what they said,
their exit code and the files they left to NAME.golden, which `real_programs.rs` compares with: golden.py"""
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parents[3] / "scripts/real-programs"))
import runtime  # noqa: E402: found there

RUNS = {
    "files": dict(args=["one", "two words"], env=[("HOME", "/home/here")], stdin="3 5 8\n13 21 34\n"),
    "words": dict(args=["/data"], env=[], stdin="first line\nsecond\nno newline"),
}
TREE = {
    "in/a.txt": "the quick brown fox\njumps over the lazy dog\n",
    "in/old.txt": "The end. The END.\n",
    "in/b.dat": "not counted",
    "top.txt": "a fox, a dog\n",
}


def run(name, args, env, stdin):
    with tempfile.TemporaryDirectory() as folder:
        data = pathlib.Path(folder, "data")
        for path, text in TREE.items():
            (data / path).parent.mkdir(parents=True, exist_ok=True)
            (data / path).write_text(text)
        code, *said = runtime.run(HERE / f"{name}.wasm", [name, *args], env, stdin.encode(), data, "/data")
        lines = [f"exit {code}"]
        for stream, text in zip(("stdout", "stderr"), said):
            lines += [f"{stream} {line}" for line in text.decode().splitlines()]
        for path in sorted(data.rglob("*"), key=lambda path: path.relative_to(data).as_posix()):
            what = path.relative_to(data).as_posix()
            if path.is_symlink():
                lines.append(f"link {what} {os.readlink(path)}")
            elif path.is_dir():
                lines.append(f"folder {what}")
            else:
                lines.append(f"file {what} {path.read_bytes().hex()}")
        return "\n".join(lines) + "\n"


for name, given in RUNS.items():
    (HERE / f"{name}.golden").write_text(run(name, **given))
