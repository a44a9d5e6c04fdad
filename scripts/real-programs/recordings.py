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

import compare

TOP = pathlib.Path(__file__).absolute().parents[2]
# How a program is run on each engine, with its recording as a file.
ENGINES = {
    "node": ["node", TOP / "recorders/js/command.js"],
    "wasmtime": [sys.executable, "-m", "borges_record"],
    "chromium": ["node", TOP / "scripts/real-programs/chromium.js"],
}


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


def main():
    global compare_with
    compare_with, folder, *names = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    unknown = [name for name in names if name not in compare.PROGRAMS]
    if unknown:
        sys.exit(f"there is no program {unknown[0]}: {', '.join(compare.PROGRAMS)}")
    engines = os.environ.get("ENGINES", " ".join(ENGINES)).split()
    if "chromium" in engines:
        os.environ["SHIM"] = str(shim(folder))
    failed = 0
    for name in names or compare.PROGRAMS:
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
    if failed:
        sys.exit(f"{failed} recordings differ")


main()
