"""What the notebooks call, a handful of names: `from helpers import record, run, timeline`.

Importing this package makes the notebook's kernel fit for async (see `helpers.kernel`).
Everything else is loaded when it is first asked for, so that the import itself stays light.
"""

import importlib
import sys
from types import ModuleType

from helpers.kernel import environment, run

_HOME = {
    "record": "helpers.recorder",
    "job": "helpers.recorder",
    "timeline": "helpers.timeline",
    "bars": "helpers.charts",
    "lines": "helpers.charts",
    "heatmap": "helpers.charts",
    "explore": "helpers.explorer",
    "guide": "helpers.guide",
    "compare": "helpers.experiments",
    "found": "helpers.ledger",
    "ledger": "helpers.ledger",
    "exercise": "helpers.coach",
    "course_map": "helpers.coach",
    "services": "helpers.services",
}

__all__ = ["environment", "run", *_HOME]


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_HOME[name])
    value = module if name == "services" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """A package whose `timeline` is the function, whoever imported the submodule first.

    So is its `ledger`.
    """

    def __setattr__(self, name, value):
        # The import system binds each submodule it loads to its package, and the submodule
        # `timeline` would hide the function of the same name.
        if isinstance(value, ModuleType) and _HOME.get(name) == value.__name__:
            value = getattr(value, name, value)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
