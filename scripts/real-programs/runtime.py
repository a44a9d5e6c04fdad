"""One run of a program of WASI on wasmtime (pip install wasmtime), to compare with."""
import functools
import pathlib
import tempfile

import wasmtime


@functools.cache
def compiled(program):
    """A module, with the engine that it is for."""
    engine = wasmtime.Engine()
    return engine, wasmtime.Module.from_file(engine, str(program))


def run(program, arguments, environment, stdin, folder, guest):
    """Runs a module with a folder of the disk as `guest`, which keeps what it does there. `arguments` have its name in
    front. Its exit code (134 for a trap, as wasmtime's command has it), and the bytes of both outputs."""
    with tempfile.TemporaryDirectory() as streams:
        paths = [pathlib.Path(streams, stream) for stream in ("stdin", "stdout", "stderr")]
        paths[0].write_bytes(stdin)
        config = wasmtime.WasiConfig()
        config.argv = arguments
        config.env = environment
        config.stdin_file, config.stdout_file, config.stderr_file = map(str, paths)
        config.preopen_dir(str(folder), guest)
        engine, module = compiled(program)
        store = wasmtime.Store(engine)
        store.set_wasi(config)
        linker = wasmtime.Linker(engine)
        linker.define_wasi()
        instance = linker.instantiate(store, module)
        code = 0
        try:
            instance.exports(store)["_start"](store)
        except wasmtime.ExitTrap as end:
            code = end.code
        except wasmtime.Trap:
            code = 134
        # What is written is in the files when the store is gone.
        del store, instance, linker
        return code, paths[1].read_bytes(), paths[2].read_bytes()
