#!/usr/bin/env python3
"""What recording costs: SQLite's shell with 300,000 rows (in Chromium 60,000), plain and recorded by turns.

    cost.py FOLDER [ROUNDS [ENGINE...]]     FOLDER as recordings.py has it; node, wasmtime and chromium

It prints medians of the times and of the ratios of neighbours: others may use the computer too.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import compare
import recordings

HERE = pathlib.Path(__file__).absolute().parent
# The files of @bjorn3/browser_wasi_shim become slow where they grow, and SQLite ends with an I/O error.
ROW_COUNTS = {"node": 300_000, "wasmtime": 300_000, "chromium": 60_000}
ROWS = """create table t(a integer primary key, b text, c integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < ROWS)
insert into t select i, hex(i * 7919 % 60013), i * 31 % 1009 from n;
create index by_c on t(c);
select count(*), sum(a), max(b) from t;
select sum(length(b)) from t where c between 10 and 60;
update t set b = upper(b) || '!' where a % 97 = 0;
select count(*), sum(length(b)) from t where c % 11 = 3;
"""
# In a file, with room for 100 pages: they are read and written again and again. In memory, there are few calls.
RUNS = {"in a file": ("/new.db", f"pragma cache_size=100;\n{ROWS}"), "in memory": (":memory:", ROWS)}
COMMANDS = {
    "node": lambda how, module, folder: ["node", HERE / "cost.js", how, module, folder],
    "wasmtime": lambda how, module, folder: [sys.executable, HERE / "cost_wasmtime.py", how, module, folder],
    "chromium": lambda how, module, folder: [
        *["node", HERE / "chromium.js", module, "-o", f"{folder}.recording", "--dir", f"{folder}::/"],
        *(["--plain", "--"] if how == "plain" else ["--"]),
    ],
}


def took(engine, how, module, database, text):
    with tempfile.TemporaryDirectory() as folder:
        command = [*COMMANDS[engine](how, module, pathlib.Path(folder) / "files"), database]
        (pathlib.Path(folder) / "files").mkdir()
        done = subprocess.run(command, input=text.encode(), capture_output=True)
    lines = [line for line in done.stderr.decode().splitlines() if line.startswith("@")]
    if done.returncode or not lines:
        sys.exit(f"{engine}, {how}: {done.stderr.decode()}")
    return json.loads(lines[-1][1:])


def main():
    folder, *rest = sys.argv[1:]
    rounds, engines = int((rest or ["5"])[0]), rest[1:] or list(COMMANDS)
    folder = pathlib.Path(folder).absolute()
    module = compare.program(folder, "sqlite")
    os.environ["COST"] = "1"
    os.environ["PYTHONPATH"] = str(recordings.TOP / "recorders/python")
    if "chromium" in engines:
        os.environ["SHIM"] = str(recordings.shim(folder))
    for engine in engines:
        for name, (database, text) in RUNS.items():
            text = text.replace("ROWS", str(ROW_COUNTS[engine]))
            rows = [[took(engine, how, module, database, text) for how in ("plain", "recorded")] for _ in range(rounds)]
            for at, clock in enumerate(["by the clock", "of processors' time"][: len(rows[0][0])]):
                plain, recorded = (statistics.median(row[which][at] for row in rows) for which in (0, 1))
                ratio = statistics.median(row[1][at] / row[0][at] for row in rows)
                print(f"{engine}, {name}: {plain:.0f} and {recorded:.0f} ms {clock}, {ratio:.3f} times", flush=True)


main()
