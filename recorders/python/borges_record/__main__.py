"""python -m borges_record PROGRAM.wasm -o FILE [--dir HOST[::GUEST]]... [--env NAME=VALUE]... [--call "EXPORT ARGUMENT..."]...
    [-- ARGUMENT...]

Runs a program of WASI preview 1 on wasmtime and records it; the exit code is the program's. Of a module without _start,
what --call names is called, one after the other."""
import argparse
import pathlib
import sys

import wasmtime

from . import Recorder


def call_all(recorder, store, instance, calls):
    """Calls exports one after the other, each named with its arguments; prints what they return."""
    exports = instance.exports(store)
    if not calls:
        sys.exit("it has no _start: name what is called with --call 'EXPORT ARGUMENT...'")
    for name, *_ in map(str.split, calls):
        if not isinstance(exports.get(name), wasmtime.Func):
            sys.exit(f"it exports no function '{name}'")
    if "_initialize" in exports:
        recorder.call(store, "_initialize")
    for name, *arguments in map(str.split, calls):
        types = exports[name].type(store).params
        numbers = [float(text) if str(ty)[0] == "f" else int(text, 0) for text, ty in zip(arguments, types)]
        returned = recorder.call(store, name, *numbers)
        print("" if returned is None else returned, flush=True)


def main():
    own, arguments = sys.argv[1:], []
    if "--" in own:
        own, arguments = own[: own.index("--")], own[own.index("--") + 1 :]
    parser = argparse.ArgumentParser(prog="borges_record")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--dir", action="append", default=[])
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--call", action="append", default=[])
    options = parser.parse_args(own)
    config = wasmtime.WasiConfig()
    config.argv = [options.program.name, *arguments]
    config.env = [tuple(text.split("=", 1)) for text in options.env]
    for text in options.dir:
        host, _, guest = text.partition("::")
        config.preopen_dir(host, guest or host)
    config.inherit_stdin()
    config.inherit_stdout()
    config.inherit_stderr()
    program = options.program.read_bytes()
    store = wasmtime.Store()
    store.set_wasi(config)
    linker = wasmtime.Linker(store.engine)
    linker.define_wasi()
    recorder = Recorder(program, wasmtime.Module(store.engine, program))
    instance = recorder.instantiate(store, linker)
    code = 0
    try:
        with recorder.running():
            if "_start" in instance.exports(store):
                instance.exports(store)["_start"](store)
            else:
                call_all(recorder, store, instance, options.call)
    except wasmtime.ExitTrap as end:
        code = end.code
    except wasmtime.Trap as trap:
        print(trap.message, file=sys.stderr)
        code = 134
    options.output.write_bytes(recorder.bytes)
    sys.exit(code)


main()
