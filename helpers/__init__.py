"""What the notebooks call, a handful of names: `from helpers import record, run, timeline`.

Each name is fetched when it is first asked for, so that importing this package costs next to
nothing. In a notebook's kernel the import also makes the kernel fit for async
(`helpers.kernel.startup`).
"""

import importlib
import sys

_HOME = {
    "environment": "helpers.kernel.environment",
    "run": "helpers.kernel.run",
    "record": "helpers.recording.record",
    "job": "helpers.recording.jobs",
    "timeline": "helpers.pictures.timeline",
    "bars": "helpers.pictures.charts",
    "lines": "helpers.pictures.charts",
    "heatmap": "helpers.pictures.charts",
    "explore": "helpers.pictures.explorer",
    "guide": "helpers.props.guide",
    "compare": "helpers.measuring.experiments",
    "found": "helpers.measuring.ledger",
    "ledger": "helpers.measuring.ledger",
    "exercise": "helpers.coach",
    "guess": "helpers.coach",
    "course_map": "helpers.coach",
    "drill": "helpers.drills",
    "review": "helpers.memory",
    "start_with": "helpers.memory",
    "play": "helpers.schedules",
    "orders": "helpers.schedules",
    "arrival": "helpers.schedules",
    "services": "helpers.services",
    "join": "helpers.room",
    "leave": "helpers.room",
    "hand": "helpers.room",
}

__all__ = list(_HOME)


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_HOME[name])
    value = module if name == "services" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})


if "IPython" in sys.modules:
    importlib.import_module("helpers.kernel.startup")
