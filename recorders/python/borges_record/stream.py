"""Numbers and bytes in a row, with their running check (docs/recordings.md). They stand in the memory of a module of its own,
to which a program's calls of WASI are added without Python."""
import wasmtime

# Where a recording begins in the module's memory.
BEGIN = 1114112


def signed_32(number):
    """A number of 32 bits as a signed one."""
    return (number & 0xFFFFFFFF ^ 0x80000000) - 0x80000000


def signed_64(number):
    return (number & 0xFFFFFFFFFFFFFFFF ^ 1 << 63) - (1 << 63)


class Stream:
    def __init__(self):
        # What goes to the module next.
        self.bytes = bytearray()
        self.store = self.exports = None

    def open(self, store, module, stopped):
        """Makes the module; what was written so far stands before all calls. `stopped` is called if the host calls the
        program within a call of its own."""
        self.store = store
        self.exports = wasmtime.Instance(store, module, [stopped]).exports(store)
        self.flush()
        self.call("check_long")

    def call(self, name, *args):
        return self.exports[name](self.store, *args)

    def value(self, name):
        return self.exports[name].value(self.store)

    def set(self, name, value):
        self.exports[name].set_value(self.store, value)

    def flush(self):
        """What was written so far goes to the module, before the module writes something."""
        if self.bytes:
            at = self.call("room", len(self.bytes)) & 0xFFFFFFFF
            self.exports["memory"].write(self.store, self.bytes, at)
            self.call("put", len(self.bytes))
            self.bytes.clear()

    def written(self):
        """All that was written: bytes, or once no more will be, the module's own, which are not copied: there may be many."""
        self.flush()
        length = (self.value("at") & 0xFFFFFFFF) - BEGIN
        # `read` copies them twice.
        there = self.exports["memory"].get_buffer_ptr(self.store, length, BEGIN)
        if not self.value("done"):
            return bytes(there)
        # They are there as long as their store is.
        there.store = self.store
        return memoryview(there).cast("B").toreadonly()

    def number(self, number):
        """LEB128."""
        while number >= 0x80:
            self.bytes.append(number & 0x7F | 0x80)
            number >>= 7
        self.bytes.append(number)

    def signed(self, number):
        """Zigzag: small numbers of either sign are short."""
        self.number(number << 1 if number >= 0 else ~(number << 1))

    def fixed(self, number, size):
        self.bytes += number.to_bytes(size, "little")

    def text(self, text):
        encoded = text.encode()
        self.number(len(encoded))
        self.bytes += encoded

    def check(self):
        """The check behind a call."""
        self.flush()
        self.call("check_call")

    def end(self):
        self.set("done", 1)
        self.flush()
        self.call("check_long")
