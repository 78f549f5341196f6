"""Stage 5, files: which of them are watched, and what is called when they are ready."""

import weakref

from .handles import Handle
from .sockets import READ, WRITE


class File:
    """An open file that the loop watches. It is its number that makes it the same as another."""

    __slots__ = ("file", "number", "handles")

    def __init__(self, file, number):
        self.file, self.number = file, number  # held while it is watched
        self.handles = {}  # READ or WRITE → what is called

    def fileno(self):
        return self.number


class Reader(Handle):
    """A function that is called each time its file is ready."""

    __slots__ = ("ready",)

    def again(self):
        """Have a turn; return what the loop is to call when the file is ready the next time."""
        self.ready.append(self)
        return self.again


class Files:
    """The methods of a loop for files, by their number or whatever has a `fileno`."""

    def __init__(self):
        super().__init__()
        self.transports = weakref.WeakValueDictionary()  # number of a file → whose it is

    def add_reader(self, file, function, *args):
        self.listen(file, self.free(file), READ, function, args)

    def add_writer(self, file, function, *args):
        self.listen(file, self.free(file), WRITE, function, args)

    def remove_reader(self, file):
        return self.unlisten(self.free(file), READ)

    def remove_writer(self, file):
        return self.unlisten(self.free(file), WRITE)

    def free(self, file):
        """Return a file's number; RuntimeError where a transport uses it."""
        try:
            number = file if isinstance(file, int) else int(file.fileno())
        except (AttributeError, TypeError, ValueError):
            raise ValueError(f"Invalid file object: {file!r}") from None
        transport = self.transports.get(number)
        if transport is not None and not transport.is_closing():
            raise RuntimeError(f"File descriptor {file!r} is used by transport {transport!r}")
        return number

    def listen(self, file, number, event, function, args=()):
        """Call the function whenever the file is ready; whatever was called before is no more."""
        reader = Reader(self, function, args)
        reader.ready = self.ready
        self.unlisten(number, event)
        known, _ = self.watching.get(number, (None, None))
        if isinstance(known, File):
            known.file = file
            self.watch(known, event, reader.again)
        else:
            if known is not None:  # a socket of stage four
                self.drop(number)
            known, waiting = File(file, number), {event: reader.again}
            self.selector.register(number, event, waiting)
            self.watching[number] = known, waiting
        known.handles[event] = reader
        return reader

    def unlisten(self, number, event):
        """Take that back, also the call that has its place in the queue by now."""
        known, waiting = self.watching.get(number, (None, None))
        if not isinstance(known, File) or event not in known.handles:
            return False
        known.handles.pop(event).cancel()
        del waiting[event]
        self.register(number, waiting)
        if not waiting:
            del self.watching[number]
        return True
