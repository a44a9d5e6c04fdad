#!/usr/bin/env python3
"""Leaves in a module's DWARF (version 4) what the test of values looks at.

    slim.py MODULE FUNCTION...

What stays: the descriptions of these functions, and what they refer to. Tables of lines, names and
all else that debuggers could use go: a program of a standard library has megabytes of it.
"""
import sys

DROPPED = {"name", "producers", "target_features", ".debug_line", ".debug_pubnames", ".debug_pubtypes", ".debug_aranges"}
# Tags.
ENUM, UNIT, STRUCT, UNION, CLASS = 0x04, 0x11, 0x13, 0x17, 0x02
SUBPROGRAM, VARIABLE, NAMESPACE, TYPEDEF, IMPORTED, INLINED = 0x2E, 0x34, 0x39, 0x16, 0x08, 0x1D
TYPES = {STRUCT, UNION, CLASS, ENUM, TYPEDEF}
# Attributes.
NAME, DECLARATION, RANGES, LOCATION, SPECIFICATION, ORIGIN = 0x03, 0x3C, 0x55, 0x02, 0x47, 0x31
SECTIONS_OF = {RANGES: ".debug_ranges", LOCATION: ".debug_loc"}


def uleb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def to_uleb(value):
    out = bytearray()
    while True:
        byte = value & 0x7F
        value >>= 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def form_end(data, at, form):
    fixed = {0x01: 4, 0x0B: 1, 0x05: 2, 0x06: 4, 0x07: 8, 0x0C: 1, 0x0E: 4, 0x11: 1, 0x12: 2, 0x13: 4, 0x17: 4, 0x19: 0, 0x10: 4}
    if form in fixed:
        return at + fixed[form]
    if form == 0x08:
        return data.index(0, at) + 1
    if form in (0x0D, 0x0F, 0x15):
        return uleb(data, at)[1]
    if form in (0x18, 0x09):
        length, at = uleb(data, at)
        return at + length
    if form == 0x0A:
        return at + 1 + data[at]
    raise ValueError(f"form {form:#x}")


class Entry:
    def __init__(self, at, code, tag, attributes, parent):
        self.at, self.code, self.tag, self.attributes, self.parent = at, code, tag, attributes, parent
        self.children, self.has_children = [], False

    def number(self, attribute):
        for name, form, raw in self.attributes:
            if name == attribute:
                return int.from_bytes(raw, "little") if raw else 1
        return None


class Slimmer:
    def __init__(self, sections, functions):
        self.sections, self.functions = sections, functions
        self.strings, self.string_at = bytearray(), {}
        self.lists = {".debug_ranges": bytearray(), ".debug_loc": bytearray()}

    def string(self, offset):
        strings = self.sections[".debug_str"]
        return strings[offset:strings.index(0, offset)]

    def abbreviations(self, at):
        data, table = self.sections[".debug_abbrev"], {}
        while True:
            code, at = uleb(data, at)
            if code == 0:
                return table
            tag, at = uleb(data, at)
            has_children, at = data[at], at + 1
            forms = []
            while True:
                name, at = uleb(data, at)
                form, at = uleb(data, at)
                if (name, form) == (0, 0):
                    break
                forms.append((name, form))
            table[code] = (tag, has_children, forms)

    def read(self, start, end):
        """The tree of a unit's entries, and all by their offsets in the unit."""
        info = self.sections[".debug_info"]
        table = self.abbreviations(int.from_bytes(info[start + 6:start + 10], "little"))
        at, stack, root, every = start + 11, [], None, {}
        while at < end:
            begin = at
            code, at = uleb(info, at)
            if code == 0:
                stack and stack.pop()
                continue
            tag, has_children, forms = table[code]
            attributes = []
            for name, form in forms:
                after = form_end(info, at, form)
                attributes.append((name, form, info[at:after]))
                at = after
            entry = Entry(begin - start, code, tag, attributes, stack[-1] if stack else None)
            entry.has_children = has_children
            every[entry.at] = entry
            if stack:
                stack[-1].children.append(entry)
            root = root or entry
            if has_children:
                stack.append(entry)
        return root, every

    def name(self, entry):
        for name, form, raw in entry.attributes:
            if name == NAME:
                return self.string(int.from_bytes(raw, "little")).decode() if form == 0x0E else raw[:-1].decode()
        return ""

    def full_name(self, entry, every):
        """The name of a function, which may stand in its declaration."""
        while entry and not self.name(entry):
            entry = every.get(entry.number(SPECIFICATION) or entry.number(ORIGIN))
        return entry and self.name(entry)

    def keep(self, every):
        """All that is reached from the functions."""
        kept, todo = set(), []
        for entry in every.values():
            named = entry.tag == SUBPROGRAM and self.full_name(entry, every) in self.functions
            table = entry.tag == VARIABLE and "::{vtable}" in self.name(entry) and "<rust::" in self.name(entry)
            if named and not entry.number(DECLARATION) or table:
                todo.append((entry, True))
        while todo:
            entry, whole = todo.pop()
            if (entry, whole) in kept:
                continue
            kept |= {(entry, whole), (entry, False)}
            if entry.parent:
                todo.append((entry.parent, entry.parent.tag not in (UNIT, NAMESPACE, SUBPROGRAM, *TYPES)))
            for _, form, raw in entry.attributes:
                if form == 0x13:
                    to = every[int.from_bytes(raw, "little")]
                    todo.append((to, True))
            if whole and entry.tag not in (UNIT, NAMESPACE):
                skipped = TYPES | {SUBPROGRAM, IMPORTED} if entry.tag in TYPES else {IMPORTED, INLINED}
                todo += [(child, True) for child in entry.children if child.tag not in skipped]
        return {entry for entry, _ in kept}

    def moved_list(self, section, offset):
        data, at = self.sections[section], offset
        while True:
            low, high = data[at:at + 4], data[at + 4:at + 8]
            at += 8
            if low == high == bytes(4):
                break
            if section == ".debug_loc" and low != b"\xff" * 4:
                at += 2 + int.from_bytes(data[at:at + 2], "little")
        out = self.lists[section]
        out += data[offset:at]
        return len(out) - (at - offset)

    def value(self, name, form, raw):
        if form == 0x0E:
            text = self.string(int.from_bytes(raw, "little"))
            if text not in self.string_at:
                self.string_at[text] = len(self.strings)
                self.strings += text + b"\0"
            return self.string_at[text].to_bytes(4, "little")
        if form == 0x17 and name in SECTIONS_OF:
            return self.moved_list(SECTIONS_OF[name], int.from_bytes(raw, "little")).to_bytes(4, "little")
        return raw

    def unit(self, start, end):
        root, every = self.read(start, end)
        kept = self.keep(every)
        if not kept:
            return b""
        info = self.sections[".debug_info"]
        out, places, references = bytearray(info[start:start + 11]), {}, []

        def write(entry):
            places[entry.at] = len(out)
            out.extend(to_uleb(entry.code))
            for name, form, raw in entry.attributes:
                if form == 0x13:
                    references.append((len(out), int.from_bytes(raw, "little")))
                out.extend(self.value(name, form, raw))
            if entry.has_children:
                for child in entry.children:
                    if child in kept:
                        write(child)
                out.append(0)

        write(root)
        for at, to in references:
            out[at:at + 4] = places[to].to_bytes(4, "little")
        out[0:4] = (len(out) - 4).to_bytes(4, "little")
        return bytes(out)

    def slim(self):
        info, at, units = self.sections[".debug_info"], 0, []
        while at < len(info):
            end = at + 4 + int.from_bytes(info[at:at + 4], "little")
            assert int.from_bytes(info[at + 4:at + 6], "little") == 4, "not DWARF 4"
            units.append(self.unit(at, end))
            at = end
        new = {".debug_info": b"".join(units), ".debug_str": bytes(self.strings)}
        return new | {name: bytes(data) for name, data in self.lists.items()}


def main(path, functions):
    sys.setrecursionlimit(10000)
    module = open(path, "rb").read()
    parts, at, customs = [], 8, {}
    while at < len(module):
        kind = module[at]
        length, body = uleb(module, at + 1)
        if kind == 0:
            size, start = uleb(module, body)
            name = module[start:start + size].decode()
            customs[name] = module[start + size:body + length]
            parts.append(name)
        else:
            parts.append(module[at:body + length])
        at = body + length
    new = customs | Slimmer(customs, set(functions)).slim()
    out = bytearray(module[:8])
    for part in parts:
        if isinstance(part, bytes):
            out += part
        elif part not in DROPPED and new[part]:
            body = to_uleb(len(part)) + part.encode() + new[part]
            out += b"\0" + to_uleb(len(body)) + body
    open(path, "wb").write(out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
