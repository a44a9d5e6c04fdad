#!/usr/bin/env python3
"""Records the runs of compare.py on other engines and imports the recordings.

    recordings.py BORGES FOLDER [NAME…]     FOLDER keeps what was fetched and built; without names, all programs
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import zlib

import wasmtime

import compare

TOP = pathlib.Path(__file__).absolute().parents[2]
# How a program is run on each engine, with its recording as a file.
ENGINES = {
    "node": ["node", TOP / "recorders/js/command.js"],
    "wasmtime": [sys.executable, "-m", "borges_record"],
    "chromium": ["node", TOP / "scripts/real-programs/chromium.js"],
}


# A library, and what a host calls of it: random bytes and floats go through what is recorded.
LIBRARY = """(module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (global $total (mut i64) (i64.const 0))
  (func (export "_initialize") (global.set $total (i64.const -5)))
  (func (export "roll") (param $sides i32) (result i32)
    (drop (call $random (i32.const 16) (i32.const 4)))
    (global.set $total (i64.add (global.get $total) (i64.load32_u (i32.const 16))))
    (i32.rem_u (i32.load (i32.const 16)) (local.get $sides)))
  (func (export "mix") (param f32 f64) (result f64) (f64.mul (f64.promote_f32 (local.get 0)) (local.get 1)))
  (func (export "total") (result i64) (global.get $total)))"""
CALLS = ["roll 6", "mix 0.1 -2.5", "roll 20", "total"]


# What WASI is in a browser.
SHIM = (
    compare.NPM.format("@bjorn3/browser_wasi_shim/-/browser_wasi_shim-0.4.2.tgz"),
    "9c0281520d0e99f027ec7c1c79b4036c0f8168ed9bf98aba19db4737a1333782",
)


def shim(folder):
    """Where the shim's modules are; fetched if they are not there."""
    sources = folder / "shim"
    if not sources.exists():
        compare.unpacked(SHIM, sources)
    return sources / "package/dist"


def recorded(engine, module, arguments, stdin, place):
    """One run on an engine, and here: what it came to."""
    recording, session = place / f"{engine}.recording", place / f"{engine}.borges"
    recording.unlink(missing_ok=True)
    session.unlink(missing_ok=True)
    folder = f"{place / engine}::/"
    command = [*ENGINES[engine], module, "-o", recording, "--dir", folder, "--env", "PWD=/", "--", *arguments]
    begun = time.monotonic()
    there = subprocess.run(command, input=stdin.encode(), capture_output=True)
    took = time.monotonic() - begun
    if not recording.exists():
        return f"FAILED: nothing was recorded: {there.stderr.decode()[-2000:]}"
    return check(module, there, recording, session, took)


def check(module, there, recording, session, took):
    """Imports a recording: what to say of it."""
    done = subprocess.run(
        [compare_with, "--json", "import", recording, module, "-o", session], capture_output=True, text=True
    )
    if done.returncode != 0:
        return f"FAILED: it is not imported: {done.stdout}{done.stderr}"
    imported = json.loads(done.stdout)
    code = re.search(r"code (\d+)", imported["ending"])
    code = int(code[1]) & 255 if code else 0
    printed = [[len(text), zlib.crc32(text)] for text in (there.stdout, there.stderr)]
    if (code, imported["printed"]) != (there.returncode, printed):
        return f"FAILED: here {code} {imported['printed']}, there {there.returncode} {printed}: {imported}"
    replayed = subprocess.run([compare_with, "--json", "replay", session], capture_output=True, text=True)
    replayed = json.loads(replayed.stdout)
    if not replayed["same"] or replayed["states"] != [imported["state"]]:
        return f"FAILED: the session replays otherwise: {replayed}"
    size, calls = recording.stat().st_size, imported["calls"]
    told = ", ".join(f"{name} {times}" for name, times in imported["told"].items())
    return (
        f"equal: {imported['steps']:,} steps, {calls} calls in {size:,} bytes, {took:.2f} s there, "
        f"{replayed['seconds']:.2f} s here; as recorded: {told or 'none'}"
    )


def library(engine, place):
    """A library is recorded on an engine, and its calls made again here, which must return the same."""
    module, recording = place / "library.wasm", place / "library.recording"
    module.write_bytes(wasmtime.wat2wasm(LIBRARY))
    calls = [part for call in CALLS for part in ("--call", call)]
    there = subprocess.run([*ENGINES[engine], module, "-o", recording, *calls], capture_output=True, text=True)
    if there.returncode:
        return f"FAILED: {there.stderr[-2000:]}"
    session = recording.with_suffix(f".{engine}.borges")
    command = [compare_with, "--json", "import", recording, module, "-o", session]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return f"FAILED: {done.stderr}"
    imported = json.loads(done.stdout)
    if (imported["ending"], imported["calls"]) != ("the program returned", 2):
        return f"FAILED: {imported}"
    return f"equal: {len(CALLS)} calls of exports returned {' '.join(there.stdout.split())}"


def main():
    global compare_with
    compare_with, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    has_library = not names or "library" in names
    names = [name for name in names or compare.PROGRAMS if name != "library"]
    unknown = [name for name in names if name not in compare.PROGRAMS]
    if unknown:
        sys.exit(f"there is no program {unknown[0]}: {', '.join(compare.PROGRAMS)}")
    engines = os.environ.get("ENGINES", " ".join(ENGINES)).split()
    if "chromium" in engines:
        os.environ["SHIM"] = str(shim(folder))
    failed = 0
    for name in names:
        module = compare.program(folder, name)
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            for engine in engines:
                for path, text in compare.files().items():
                    (place / engine / path).parent.mkdir(parents=True, exist_ok=True)
                    (place / engine / path).write_text(text)
                # What a run leaves, the next one finds.
                for arguments, stdin in compare.PROGRAMS[name][3]:
                    said = recorded(engine, module, arguments, stdin, place)
                    failed += not said.startswith("equal")
                    print(f"{name} {' '.join(arguments)[:40]!r} on {engine}: {said}", flush=True)
    for engine in [engine for engine in engines if engine != "chromium"] if has_library else []:
        with tempfile.TemporaryDirectory() as place:
            said = library(engine, pathlib.Path(place))
        failed += not said.startswith("equal")
        print(f"a library on {engine}: {said}", flush=True)
    if failed:
        sys.exit(f"{failed} recordings differ")


if __name__ == "__main__":
    main()
