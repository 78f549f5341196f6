"""Makes a notebook's kernel fit for async."""


def environment():
    raise NotImplementedError


def run(main, *, clock="real", loop_factory=None, debug=None):
    raise NotImplementedError
