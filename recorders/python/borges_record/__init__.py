"""Records what a WebAssembly program calls on wasmtime and what its host answers; `borges import` replays it.

    recorder = Recorder(bytes, module)
    instance = recorder.instantiate(store, linker)
    with recorder.running():
        instance.exports(store)["_start"](store)
    pathlib.Path("run.recording").write_bytes(recorder.bytes)
"""
import contextlib
import importlib.metadata
import json
import pathlib
import struct
import zlib

import wasmtime

from .stream import Stream, folded, signed_32, signed_64

MAGIC = b"\0borges\x01"
ENDS = {"returned": 0, "exited": 1, "trapped": 2, "stopped": 3}
# Of longer lists of buffers, no more is looked at.
MOST_BUFFERS = 1024
LETTERS = {"i32": "i", "i64": "I", "f32": "f", "f64": "F"}
FLOATS = {"f": "<f", "F": "<d"}


def _table():
    """All recorders read one table: a module of JavaScript that is JSON between its braces."""
    text = pathlib.Path(__file__).with_name("preview1.js").read_text()
    return json.loads(text[text.index("{\n") : text.rindex("}") + 1])


TABLE = _table()


def _row(module, name):
    """What the table knows of an import: nothing of those that are not WASI's."""
    known = TABLE["wasi_snapshot_preview1"].get(name)
    return TABLE[module].get(name, known) if known is not None and module in TABLE else None


def _regions(text):
    """A row's regions as (pointer, factor, kind, of); preview1.js says how they are written."""
    regions = []
    for region in text.split():
        pointer, length = region.split(":")
        factor, kind, of = 1, "", 0
        if "*" in length:
            factor, length = length.split("*")
        if length.isdigit():
            factor = length
        else:
            kind = length.rstrip("0123456789")
            of = int(length[len(kind) :] or 0)
        regions.append((int(pointer), int(factor), kind, of))
    return regions


class _Import:
    def __init__(self, found):
        self.module, self.name = found.module, found.name
        self.type = found.type
        letters = [[LETTERS.get(str(ty), "r") for ty in types] for types in (found.type.params, found.type.results)]
        self.params, self.results = letters
        row = _row(self.module, self.name)
        self.is_known = row is not None
        row = row or {}
        self.hands = row.get("in", "")
        self.given, self.out = _regions(self.hands), _regions(row.get("out", ""))
        self.exits = row.get("exits", False)
        self.last = [0] * len(self.params)


class Recorder:
    """Records one run of a program: its bytes, and the module made of them."""

    def __init__(self, program, module, entry="", engine=None):
        functions = [found for found in module.imports if isinstance(found.type, wasmtime.FuncType)]
        self.module = module
        self.imports = [_Import(found) for found in functions]
        self.calls = 0
        self._stream = stream = Stream()
        self._address = 0
        self._memory = None
        self._sizes = {}
        self._depth = 0
        self._done = False
        stream.bytes += MAGIC
        stream.number(len(program))
        stream.fixed(zlib.crc32(program), 4)
        stream.text(engine or f"wasmtime {importlib.metadata.version('wasmtime')}")
        stream.text(entry)
        stream.number(len(self.imports))
        for row in self.imports:
            ty = f"{''.join(row.params)}>{''.join(row.results)}"
            for text in (row.module, row.name, ty, row.hands):
                stream.text(text)
        stream.check(4)

    @property
    def bytes(self):
        """What was recorded so far."""
        return bytes(self._stream.bytes)

    def instantiate(self, store, linker):
        """An instance whose imported functions, which the linker has, are recorded.

        A function of WASI writes to the memory of the instance that calls it. So it is not called from Python, but through
        a small module that has the program's memory for its own."""
        originals = [None] * len(self.imports)
        wrapped = wasmtime.Linker(store.engine)
        wrapped.allow_shadowing = True
        for found in self.module.imports:
            if not isinstance(found.type, wasmtime.FuncType):
                wrapped.define(store, found.module, found.name, linker.get(store, found.module, found.name))
        for index, row in enumerate(self.imports):
            function = wasmtime.Func(store, row.type, self._wrapper(row, index, originals), access_caller=True)
            wrapped.define(store, row.module, row.name, function)
        instance = wrapped.instantiate(store, self.module)
        memories = [found for found in instance.exports(store).values() if isinstance(found, wasmtime.Memory)]
        self._memory = memories[0] if memories else None
        through = self._through(store, linker)
        for index in range(len(originals)):
            originals[index] = through[str(index)]
        return instance

    def _through(self, store, linker):
        """The imported functions, called by a module that has the program's memory."""
        imports, calls = [], []
        for index, row in enumerate(self.imports):
            params, results = (" ".join(map(str, types)) for types in (row.type.params, row.type.results))
            ty = f"(param {params}) (result {results})"
            module, name = json.dumps(row.module), json.dumps(row.name)
            imports.append(f"(import {module} {name} (func $f{index} {ty}))")
            given = " ".join(f"local.get {at}" for at in range(len(row.params)))
            calls.append(f'(func (export "{index}") {ty} {given} call $f{index})')
        memory = ""
        given = []
        for row in self.imports:
            given.append(linker.get(store, row.module, row.name))
        if self._memory:
            memory = '(import "program" "memory" (memory 0)) (export "memory" (memory 0))'
            given.append(self._memory)
        text = f"(module {' '.join(imports)} {memory} {' '.join(calls)})"
        module = wasmtime.Module(store.engine, wasmtime.wat2wasm(text))
        return wasmtime.Instance(store, module, given).exports(store)

    def _wrapper(self, row, index, originals):
        return lambda caller, *args: self._call(row, index, originals[index], caller, args)

    @contextlib.contextmanager
    def running(self):
        """While the program runs: what it ends with is recorded."""
        try:
            yield self
            self.finish("returned")
        finally:
            self.finish("trapped")

    def finish(self, how, code=0):
        """The program has ended: `returned`, `exited` with a code, `trapped`; `stopped`: it goes on unrecorded."""
        if self._done:
            return
        self._done = True
        self._stream.number(0)
        self._stream.number(ENDS[how])
        if how == "exited":
            self._stream.number(code & 0xFFFFFFFF)
        self._stream.check(4)

    def _call(self, row, index, original, caller, args):
        if self._done or row.exits or self._depth:
            # If the host calls the program within a call of its own: that is not in the format.
            self.finish("exited" if row.exits else "stopped", args[0] if row.exits else 0)
            return original(caller, *args)
        handed = self._handed(row, args, caller) if row.given else 0
        buffers = [self._buffers(args, region[0], caller) if region[2] == "iov@" else None for region in row.out]
        before = None if row.is_known or not self._memory else self._read(caller, 0, self._size(caller))
        self._depth += 1
        try:
            result = original(caller, *args)
        except BaseException:
            self.finish("trapped")
            raise
        finally:
            self._depth -= 1
        if self._done:
            return result
        self._write(row, index, args, handed, result)
        if before is None:
            writes = self._writes(row, args, result, buffers, caller)
        else:
            writes = _differences(before, self._read(caller, 0, self._size(caller)))
        stream = self._stream
        stream.number(len(writes))
        for address, data in writes:
            stream.signed(signed_32(address - self._address))
            stream.number(len(data))
            stream.bytes += data
            self._address = address
        stream.check(2)
        self.calls += 1
        return result

    def _write(self, row, index, args, handed, result):
        stream = self._stream
        stream.number(index + 1)
        for at, (ty, arg) in enumerate(zip(row.params, args)):
            if ty in FLOATS:
                stream.bytes += struct.pack(FLOATS[ty], arg)
                continue
            narrow = signed_32 if ty == "i" else signed_64
            stream.signed(narrow(arg - row.last[at]))
            row.last[at] = arg
        if row.given:
            stream.fixed(handed, 2)
        for ty in row.results:
            if ty in FLOATS:
                stream.bytes += struct.pack(FLOATS[ty], result)
            else:
                stream.signed(signed_32(result) if ty == "i" else signed_64(result))

    def _size(self, caller):
        return self._memory.data_len(caller)

    def _read(self, caller, address, length):
        """Bytes of the memory; none if they are not all within."""
        if not self._memory or address + length > self._size(caller):
            return b""
        return bytes(self._memory.read(caller, address, address + length))

    def _word(self, caller, address):
        return int.from_bytes(self._read(caller, address & 0xFFFFFFFF, 4), "little")

    def _buffers(self, args, pointer, caller):
        count = min(args[pointer + 1] & 0xFFFFFFFF, MOST_BUFFERS)
        listed = self._read(caller, args[pointer] & 0xFFFFFFFF, 8 * count)
        return list(struct.iter_unpack("<II", listed))

    def _handed(self, row, args, caller):
        """The check of the bytes that a call hands to its host."""
        check = 0
        for pointer, factor, kind, of in row.given:
            parts = [(args[pointer] & 0xFFFFFFFF, factor * (args[of] & 0xFFFFFFFF))]
            if kind == "iov":
                parts = self._buffers(args, pointer, caller)
            for address, length in parts:
                check = zlib.crc32(self._read(caller, address, length), check)
        return folded(check)

    def _writes(self, row, args, result, buffers, caller):
        """What the host has written, by the table."""
        if result != 0:
            return []
        parts = []
        for (pointer, factor, kind, of), listed in zip(row.out, buffers):
            address = args[pointer] & 0xFFFFFFFF
            if kind == "iov@":
                rest = self._word(caller, args[of])
                for buffer, length in listed:
                    parts.append((buffer, min(rest, length)))
                    rest -= min(rest, length)
            elif kind == "p":
                parts.append((address, factor * (args[of] & 0xFFFFFFFF)))
            elif kind == "@":
                parts.append((address, factor * self._word(caller, args[of])))
            elif kind == "args":
                count, size = self._sizes.get(row.name, (0, 0))
                parts.append((address, factor * count if factor > 1 else size))
            else:
                parts.append((address, factor))
        if row.name.endswith("_sizes_get"):
            sizes = (self._word(caller, args[0]), self._word(caller, args[1]))
            self._sizes[row.name.replace("_sizes", "")] = sizes
        return [(address, self._read(caller, address, length)) for address, length in parts if length]


def _differences(before, after):
    """Runs of bytes that differ between two memories: whole words."""
    runs = []
    for page in range(0, min(len(before), len(after)), 4096):
        if before[page : page + 4096] == after[page : page + 4096]:
            continue
        for at in range(page, min(page + 4096, len(before)), 4):
            if before[at : at + 4] == after[at : at + 4]:
                continue
            if runs and runs[-1][0] + len(runs[-1][1]) == at:
                runs[-1] = (runs[-1][0], runs[-1][1] + after[at : at + 4])
            else:
                runs.append((at, after[at : at + 4]))
    return runs
