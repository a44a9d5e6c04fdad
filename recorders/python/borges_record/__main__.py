"""python -m borges_record PROGRAM.wasm -o FILE [--dir HOST[::GUEST]]... [--env NAME=VALUE]... [-- ARGUMENT...]

Runs a program of WASI preview 1 on wasmtime and records it; the exit code is the program's."""
import argparse
import pathlib
import sys

import wasmtime

from . import Recorder


def main():
    own, arguments = sys.argv[1:], []
    if "--" in own:
        own, arguments = own[: own.index("--")], own[own.index("--") + 1 :]
    parser = argparse.ArgumentParser(prog="borges_record")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--dir", action="append", default=[])
    parser.add_argument("--env", action="append", default=[])
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
            instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as end:
        code = end.code
    except wasmtime.Trap as trap:
        print(trap.message, file=sys.stderr)
        code = 134
    options.output.write_bytes(recorder.bytes)
    sys.exit(code)


main()
