#!/usr/bin/env python3
"""Makes recorders/js/recorder.js of stream.wat and of recorders/js/preview1.js: modules that record what a program calls
of WASI, without JavaScript or Python in between.

    make.py [--check]     needs wasmtime from PyPI; with --check it only says whether the file is up to date
"""
import base64
import json
import pathlib
import re
import sys

import wasmtime

HERE = pathlib.Path(__file__).absolute().parent
JS = HERE.parent / "js"
# The parameters of the functions that have some of 64 bits, which are marked I; all others are of 32 bits.
TYPES = {
    "clock_time_get": "iIi",
    "fd_advise": "iIIi",
    "fd_allocate": "iII",
    "fd_fdstat_set_rights": "iII",
    "fd_filestat_set_size": "iI",
    "fd_filestat_set_times": "iIIi",
    "fd_pread": "iiiIi",
    "fd_pwrite": "iiiIi",
    "fd_readdir": "iiiIi",
    "fd_seek": "iIii",
    "path_filestat_set_times": "iiiiIIi",
    "path_open": "iiiiiIIii",
}
COUNTS = {
    0: "sched_yield",
    1: "fd_close fd_datasync fd_sync proc_raise",
    2: "args_get args_sizes_get environ_get environ_sizes_get clock_res_get fd_fdstat_get fd_fdstat_set_flags"
    " fd_filestat_get fd_prestat_get fd_renumber fd_tell random_get sock_shutdown",
    3: "fd_prestat_dir_name path_create_directory path_remove_directory path_unlink_file sock_accept",
    4: "fd_read fd_write poll_oneoff",
    5: "path_filestat_get path_symlink sock_send",
    6: "path_readlink path_rename sock_recv",
    7: "path_link",
}
for count, names in COUNTS.items():
    TYPES.update({name: "i" * count for name in names.split()})
SIZES = {"args": 0, "environ": 8}
WAT = {"i": "i32", "I": "i64"}


def signature(name):
    return "".join(f" (param {WAT[ty]})" for ty in TYPES[name]) + " (result i32)"


def regions(text):
    for region in text.split():
        pointer, length = region.split(":")
        factor, kind, of = re.fullmatch(r"(?:(\d+)\*?)?(iov@?|p|@|args)?(\d*)", length).groups()
        yield int(pointer), int(factor or 1), kind, int(of or 0)


def times(factor, text):
    return text if factor == 1 else f"(i32.mul (i32.const {factor}) {text})"


def written(name, region):
    """What the host wrote of one region, told to the stream."""
    pointer, factor, kind, of = region
    if kind == "iov@":
        return f"(call $wrote_list (i32.load (local.get {of})))"
    length = f"(i32.const {factor})"
    if kind == "p":
        length = times(factor, f"(local.get {of})")
    elif kind == "@":
        length = times(factor, f"(i32.load (local.get {of}))")
    elif kind == "args":
        size = SIZES[name.split("_")[0]]
        length = times(factor, f"(global.get $size{size + (0 if factor > 1 else 4)})")
    return f"(call $wrote (local.get {pointer}) {length})"


def recorded(number, name, row):
    """The function that calls one of WASI and records it."""
    types = TYPES[name]
    passed = " ".join(f"(local.get {at})" for at in range(len(types)))
    lines = [f"(func $r{number}{signature(name)} (local $r i32)"]
    lines.append(f"(if (i32.eqz (call $enter)) (then (return (call $o{number} {passed}))))")
    handed = list(regions(row.get("in", "")))
    for pointer, factor, kind, of in handed:
        if kind == "iov":
            lines.append(f"(call $handed_list (local.get {pointer}) (local.get {pointer + 1}))")
        else:
            lines.append(f"(call $handed_part (local.get {pointer}) {times(factor, f'(local.get {of})')})")
    out = list(regions(row.get("out", "")))
    for pointer, _, kind, _ in out:
        if kind == "iov@":
            lines.append(f"(call $look (local.get {pointer}) (local.get {pointer + 1}))")
    lines.append(f"(local.set $r (call $o{number} {passed}))")
    lines.append(f"(if (i32.eqz (call $leave (i32.const {number}))) (then (return (local.get $r))))")
    for at, ty in enumerate(types):
        last = 4096 + 128 * number + 8 * at
        lines.append(f"(call $argument{'_32' if ty == 'i' else ''} (i32.const {last}) (local.get {at}))")
    if handed:
        lines.append("(call $handed_over)")
    lines.append("(call $signed (i64.extend_i32_s (local.get $r)))")
    found = [written(name, region) for region in out]
    if name.endswith("_sizes_get"):
        size = SIZES[name.split("_")[0]]
        found += [f"(global.set $size{size + 4 * at} (i32.load (local.get {at})))" for at in (0, 1)]
    if found:
        lines.append(f"(if (i32.eqz (local.get $r)) (then {' '.join(found)}))")
    lines.append("(call $writes_of) (call $returned) (local.get $r))")
    return "\n".join(lines)


def program(names, table):
    """Between a program and its host: it has the program's memory."""
    parts = ["(module"]
    for number, name in enumerate(names):
        parts.append(f'(import "host" "{name}" (func $o{number}{signature(name)}))')
    fixed = (HERE / "program.wat").read_text()
    parts.append(re.sub(r"(?m)^\s*;;.*\n", "", fixed))
    for size in (0, 4, 8, 12):
        parts.append(f"(global $size{size} (mut i32) (i32.const 0))")
    for number, name in enumerate(names):
        parts.append(recorded(number, name, table[name]))
    functions = " ".join(f"$r{number}" for number in range(len(names)))
    parts.append(f"(elem (table 0) (i32.const 0) func {functions}))")
    return "\n".join(parts)


def gate(names):
    """What a program imports while its memory is not there yet: calls go on to a table, at first to what records slowly."""
    parts = ["(module"]
    for number, name in enumerate(names):
        parts.append(f'(import "host" "{name}" (func $s{number}{signature(name)}))')
    parts.append(f'(table (export "table") {len(names)} funcref)')
    functions = " ".join(f"$s{number}" for number in range(len(names)))
    parts.append(f"(elem (table 0) (i32.const 0) func {functions})")
    for number, name in enumerate(names):
        passed = " ".join(f"(local.get {at})" for at in range(len(TYPES[name])))
        call = f"(call_indirect{signature(name)} {passed} (i32.const {number}))"
        parts.append(f'(func (export "{name}"){signature(name)} {call})')
    return "\n".join([*parts, ")"])


def binary(text):
    """A module without the names that are in its text."""
    module = bytes(wasmtime.wat2wasm(text))
    kept, at = module[:8], 8
    while at < len(module):
        size, begin = 0, at + 1
        for shift in range(0, 35, 7):
            size |= (module[begin] & 0x7F) << shift
            begin += 1
            if module[begin - 1] < 0x80:
                break
        if module[at]:
            kept += module[at : begin + size]
        at = begin + size
    return kept


def main():
    text = (JS / "preview1.js").read_text()
    table = json.loads(text[text.index("{\n") : text.rindex("}") + 1])["wasi_snapshot_preview1"]
    names = [name for name in table if not table[name].get("exits")]
    modules = {"stream": (HERE / "stream.wat").read_text(), "gate": gate(names), "program": program(names, table)}
    lines = ["// Made by recorders/wasm/make.py, which says what this is; what is between the braces is JSON.", "export default {"]
    types = ", ".join(f'"{name}": "{TYPES[name]}>i"' for name in names)
    lines.append(f'  "functions": {{ {types} }},')
    encoded = [f'  "{name}": "{base64.b64encode(binary(wat)).decode()}"' for name, wat in modules.items()]
    lines += [",\n".join(encoded), "};\n"]
    made = "\n".join(lines)
    path = JS / "recorder.js"
    if "--check" in sys.argv:
        if path.read_text() != made:
            sys.exit("recorders/js/recorder.js is older than what it is made of: python recorders/wasm/make.py")
        return
    path.write_text(made)
    print(f"{len(made)} bytes")


main()
