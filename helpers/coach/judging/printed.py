"""What an answer prints, kept within bounds."""

import io

KEPT_LINES, KEPT_BYTES = 100, 10_000


class Printed(io.RawIOBase):
    """Keeps the beginning of what is printed and counts the rest."""

    def __init__(self):
        self.kept = bytearray()
        self.lines = 0
        self.bytes = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:
        data = bytes(data)
        self.lines += data.count(b"\n")
        self.bytes += len(data)
        if len(self.kept) < KEPT_BYTES:
            self.kept += data[: KEPT_BYTES - len(self.kept)]
        return len(data)

    def text(self) -> str:
        """The beginning of what was printed, and how much more there was."""
        lines = self.kept.decode("utf-8", "replace").splitlines(keepends=True)
        text = "".join(lines[:KEPT_LINES])
        left = self.lines - text.count("\n")
        if left > 1:
            text = text.rstrip("\n") + f"\n… and {left:,} more lines"
        elif self.bytes > len(self.kept):
            text += f" … and {self.bytes - len(self.kept):,} more bytes"
        return text
