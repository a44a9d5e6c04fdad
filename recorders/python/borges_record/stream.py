"""Numbers and bytes in a row, with their running check (docs/recordings.md)."""
import zlib


def folded(check):
    """The 16 bits that stand for a check."""
    return (check ^ check >> 16) & 0xFFFF


def signed_32(number):
    """A number of 32 bits as a signed one."""
    return (number & 0xFFFFFFFF ^ 0x80000000) - 0x80000000


def signed_64(number):
    return (number & 0xFFFFFFFFFFFFFFFF ^ 1 << 63) - (1 << 63)


class Stream:
    def __init__(self):
        self.bytes = bytearray()
        self.checked = 0
        self.sum = 0

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

    def check(self, size):
        """Writes the check of all that came before: of 16 bits behind calls, which later checks leave out, else of 32."""
        self.sum = zlib.crc32(memoryview(self.bytes)[self.checked :], self.sum)
        self.fixed(folded(self.sum) if size == 2 else self.sum, size)
        self.checked = len(self.bytes)
