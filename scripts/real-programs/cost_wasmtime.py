"""cost_wasmtime.py plain|recorded PROGRAM.wasm FOLDER [ARGUMENT...]: as cost.js, on wasmtime."""
import contextlib
import json
import pathlib
import sys
import time

import wasmtime

import borges_record

how, program, folder, *arguments = sys.argv[1:]
program = pathlib.Path(program)
config = wasmtime.WasiConfig()
config.argv = [program.name, *arguments]
config.preopen_dir(folder, "/")
config.inherit_stdin()
config.inherit_stdout()
config.inherit_stderr()
store = wasmtime.Store()
store.set_wasi(config)
linker = wasmtime.Linker(store.engine)
linker.define_wasi()
# To compile SQLite takes longer than to run it.
compiled = program.with_suffix(".cwasm")
if not compiled.exists():
    compiled.write_bytes(wasmtime.Module(store.engine, program.read_bytes()).serialize())
module = wasmtime.Module.deserialize_file(store.engine, str(compiled))
clocks = time.monotonic, time.process_time
begun = [clock() for clock in clocks]
if how == "recorded":
    recorder = borges_record.Recorder(program.read_bytes(), module)
    instance, running = recorder.instantiate(store, linker), recorder.running()
else:
    recorder, instance, running = None, linker.instantiate(store, module), contextlib.nullcontext()
with contextlib.suppress(wasmtime.ExitTrap), running:
    instance.exports(store)["_start"](store)
recording = recorder.bytes if recorder else b""
took = [1000 * (clock() - begin) for clock, begin in zip(clocks, begun)]
print(f"\n@{json.dumps(took)}", file=sys.stderr)
