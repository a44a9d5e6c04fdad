"""Records what a WebAssembly program calls on wasmtime and what its host answers; `borges import` replays it.

    recorder = Recorder(bytes, module)
    instance = recorder.instantiate(store, linker)
    with recorder.running():
        instance.exports(store)["_start"](store)
    pathlib.Path("run.recording").write_bytes(recorder.bytes)

A host that calls several exports has the recorder call them: `recorder.call(store, "evaluate", 5)`.
"""
import base64
import contextlib
import importlib.metadata
import json
import pathlib
import struct
import zlib

import wasmtime

from .stream import Stream, signed_32, signed_64

MAGIC = b"\0borges\x02"
# Behind the numbers of imports: a host calls an export, and it has returned.
ENTERED, LEFT = 2, 3
ENDS = {"returned": 0, "exited": 1, "trapped": 2, "stopped": 3}
# Of longer lists of buffers, no more is looked at.
MOST_BUFFERS = 1024
LETTERS = {"i32": "i", "i64": "I", "f32": "f", "f64": "F"}
FLOATS = {"f": "<f", "F": "<d"}


def _table(name):
    """All recorders read one table, and one set of modules: modules of JavaScript that are JSON between their braces."""
    text = pathlib.Path(__file__).with_name(name).read_text()
    return json.loads(text[text.index("{\n") : text.rindex("}") + 1])


TABLE = _table("preview1.js")
# Modules that record calls of WASI without Python: recorders/wasm/make.py makes them.
MODULES = _table("recorder.js")


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
        signature = f"{''.join(self.params)}>{''.join(self.results)}"
        # Python is not asked when it is called.
        self.is_fast = self.module == "wasi_snapshot_preview1" and MODULES["functions"].get(self.name) == signature
        self.last = [0] * len(self.params)


class Recorder:
    """Records one run of a program: its bytes, and the module made of them. `between` says whether the host may write to
    memory between two calls of exports."""

    def __init__(self, program, module, entry="", engine=None, between=True):
        functions = [found for found in module.imports if isinstance(found.type, wasmtime.FuncType)]
        self.module = module
        self.imports = [_Import(found) for found in functions]
        self._memory = None
        self._instance = None
        self._reader = None
        self._sizes = {}
        self._between, self._left = between, None
        self._stream = stream = Stream()
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

    @property
    def bytes(self):
        """What was recorded so far; once the program has ended, a view that nobody copied."""
        return self._stream.written()

    @property
    def calls(self):
        """Calls recorded so far."""
        return self._stream.value("calls")

    def instantiate(self, store, linker):
        """An instance whose imported functions, which the linker has, are recorded.

        A function of WASI writes to the memory of the instance that calls it. So it is not called from Python, but through
        a module that has the program's memory for its own; and that records the call."""
        stream = self._stream
        stopped = wasmtime.Func(store, wasmtime.FuncType([], []), lambda: self.finish("stopped"))
        stream.open(store, self._module(store, "stream"), stopped)
        originals = [None] * len(self.imports)
        wrapped = wasmtime.Linker(store.engine)
        wrapped.allow_shadowing = True
        for found in self.module.imports:
            if not isinstance(found.type, wasmtime.FuncType):
                wrapped.define(store, found.module, found.name, linker.get(store, found.module, found.name))
        slow = {}
        for index, row in enumerate(self.imports):
            function = wasmtime.Func(store, row.type, self._wrapper(row, index, originals), access_caller=True)
            wrapped.define(store, row.module, row.name, function)
            if row.is_fast:
                slow[row.name] = function
        nothing = self._nothing(store)
        fast = MODULES["functions"]
        given = [slow.get(name) or nothing[ty] for name, ty in fast.items()]
        gate = wasmtime.Instance(store, self._module(store, "gate"), given).exports(store)
        for number, name in enumerate(fast):
            tags = [index + 1 for index, row in enumerate(self.imports) if row.is_fast and row.name == name]
            if tags:
                stream.call("imported", number, tags[-1])
                wrapped.define(store, "wasi_snapshot_preview1", name, gate[name])
        self._instance = instance = wrapped.instantiate(store, self.module)
        memories = [found for found in instance.exports(store).values() if isinstance(found, wasmtime.Memory)]
        self._memory = memories[0] if memories else None
        # What is recorded without Python is not called by it once there is an instance.
        asked = [(index, row) for index, row in enumerate(self.imports) if not row.is_fast]
        through = self._through(store, linker, asked)
        for index, _ in asked:
            originals[index] = through[str(index)]
        memory = self._memory or wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(0, None)))
        found = {row.name: linker.get(store, row.module, row.name) for row in self.imports if row.is_fast}
        reader = wasmtime.Linker(store.engine)
        for name, ty in fast.items():
            reader.define(store, "host", name, found.get(name) or nothing[ty])
        for name, export in stream.exports.items():
            reader.define(store, "stream", name, export)
        reader.define(store, "gate", "table", gate["table"])
        reader.define(store, "program", "memory", memory)
        self._reader = reader.instantiate(store, self._module(store, "program")).exports(store)
        self._remember()
        return instance

    def _module(self, store, name):
        return wasmtime.Module(store.engine, base64.b64decode(MODULES[name]))

    def _nothing(self, store):
        """Functions in the place of those that the program does not import, by their types."""
        types = {"i": wasmtime.ValType.i32, "I": wasmtime.ValType.i64}
        functions = {}
        for signature in MODULES["functions"].values():
            params, results = ([types[letter]() for letter in letters] for letters in signature.split(">"))
            ty = wasmtime.FuncType(params, results)
            functions.setdefault(signature, wasmtime.Func(store, ty, lambda *_: 0))
        return functions

    def _through(self, store, linker, rows):
        """Imported functions, called by a module that has the program's memory."""
        imports, calls = [], []
        for index, row in rows:
            params, results = (" ".join(map(str, types)) for types in (row.type.params, row.type.results))
            ty = f"(param {params}) (result {results})"
            module, name = json.dumps(row.module), json.dumps(row.name)
            imports.append(f"(import {module} {name} (func $f{index} {ty}))")
            given = " ".join(f"local.get {at}" for at in range(len(row.params)))
            calls.append(f'(func (export "{index}") {ty} {given} call $f{index})')
        memory = ""
        given = []
        for _, row in rows:
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
        stream = self._stream
        if stream.value("done"):
            return
        stream.number(0)
        stream.number(ENDS[how])
        if how == "exited":
            stream.number(code & 0xFFFFFFFF)
        stream.end()

    def call(self, store, name, *args):
        """Calls an export of the instance and records it: a host that calls several does it so."""
        stream = self._stream
        function = self._instance.exports(store)[name]
        ty = function.type(store)
        params, results = ([LETTERS.get(str(ty), "r") for ty in types] for types in (ty.params, ty.results))
        if stream.value("done"):
            return function(store, *args)
        memory = self._read(store, 0, self._size(store)) if self._memory else b""
        grown = self._left is not None and len(self._left) != len(memory)
        # Neither references nor a memory that the host let grow are in the format, nor calls within a call.
        if stream.value("within") or grown or "r" in params + results:
            self.finish("stopped")
            return function(store, *args)
        stream.number(len(self.imports) + 1 + ENTERED)
        stream.text(name)
        stream.text(f"{''.join(params)}>{''.join(results)}")
        for letter, arg in zip(params, args, strict=True):
            self._value(letter, arg)
        self._written(_differences(self._left, memory) if self._left is not None else [], store)
        stream.check()
        try:
            returned = function(store, *args)
        except BaseException:
            self.finish("trapped")
            raise
        if stream.value("done"):
            return returned
        stream.number(len(self.imports) + 1 + LEFT)
        for letter, value in zip(results, returned if len(results) > 1 else [returned]):
            self._value(letter, value)
        stream.check()
        self._remember()
        return returned

    def _remember(self):
        """Keeps the memory, to find what the host writes before it calls the next export."""
        store = self._stream.store
        if self._between and self._memory and not self._stream.value("done"):
            self._left = self._read(store, 0, self._size(store))

    def _call(self, row, index, original, caller, args):
        """A call of an import that is not recorded without Python."""
        stream = self._stream
        if row.exits:
            self.finish("exited", args[0])
        if not stream.call("enter"):
            return original(caller, *args)
        if row.given:
            self._hand(row, args, caller)
        buffers = [self._buffers(args, region[0], caller) if region[2] == "iov@" else None for region in row.out]
        before = None if row.is_known or not self._memory else self._read(caller, 0, self._size(caller))
        try:
            result = original(caller, *args)
        except BaseException:
            self.finish("trapped")
            raise
        finally:
            stream.set("within", 0)
        if stream.value("done"):
            return result
        self._write(row, index, args, result)
        if before is None:
            writes = self._writes(row, args, result, buffers, caller)
        else:
            writes = _differences(before, self._read(caller, 0, self._size(caller)))
        self._written(writes, caller)
        stream.flush()
        stream.call("returned")
        return result

    def _written(self, writes, caller):
        """What the host wrote: addresses and lengths."""
        stream = self._stream
        stream.number(len(writes))
        last = stream.value("address")
        for address, length in writes:
            stream.signed(signed_32(address - last))
            stream.flush()
            self._reader["write"](stream.store, address, length)
            last = address
        stream.set("address", signed_32(last))

    def _value(self, letter, value):
        if letter in FLOATS:
            self._stream.bytes += struct.pack(FLOATS[letter], value)
        else:
            self._stream.signed(signed_32(value) if letter == "i" else signed_64(value))

    def _write(self, row, index, args, result):
        stream = self._stream
        stream.number(index + 1)
        for at, (ty, arg) in enumerate(zip(row.params, args)):
            if ty in FLOATS:
                self._value(ty, arg)
                continue
            narrow = signed_32 if ty == "i" else signed_64
            stream.signed(narrow(arg - row.last[at]))
            row.last[at] = arg
        if row.given:
            stream.fixed(stream.call("handed") & 0xFFFF, 2)
        for ty in row.results:
            self._value(ty, result)

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

    def _hand(self, row, args, caller):
        """Checks the bytes that a call hands to its host."""
        for pointer, factor, kind, of in row.given:
            parts = [(args[pointer] & 0xFFFFFFFF, factor * (args[of] & 0xFFFFFFFF))]
            if kind == "iov":
                parts = self._buffers(args, pointer, caller)
            for address, length in parts:
                self._reader["handed"](self._stream.store, address, length)

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
        return [(address, length) for address, length in parts if length]


def _differences(before, after):
    """Runs of bytes that differ between two memories: addresses and lengths, whole words."""
    runs = []
    for page in range(0, min(len(before), len(after)), 4096):
        if before[page : page + 4096] == after[page : page + 4096]:
            continue
        for at in range(page, min(page + 4096, len(before)), 4):
            if before[at : at + 4] == after[at : at + 4]:
                continue
            if runs and runs[-1][0] + runs[-1][1] == at:
                runs[-1] = (runs[-1][0], runs[-1][1] + 4)
            else:
                runs.append((at, 4))
    return runs
