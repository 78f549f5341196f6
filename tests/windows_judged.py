"""Answers judged where the system is Windows, real or played: prints what became of each as JSON.

It is run as a program, `python -m tests.windows_judged`, by the Python of that Windows.
"""

import json

from helpers.coach.judging.sandbox import sandbox
from tests.coach_cells import answer, ask

ANSWERS = {
    "right": answer("", right=True),
    "a process": answer(
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])", right=True
    ),
    "spins": answer("while True: pass"),
    "one by one": answer("return [await fetch(url) for url in urls]"),
    "never ends": answer("await asyncio.Event().wait()"),
    "memory": answer("kept = []\nwhile True: kept.append(bytearray(b'x' * 1_000_000))"),
}
# What each is to be told; nothing is wrong with the first.
KINDS = {
    "right": "",
    "a process": "process",
    "spins": "spin",
    "one by one": "sequential",
    "never ends": "deadlock",
    "memory": "memory",
}


def main():
    """Have each answer judged."""
    kinds = {}
    for name, given in ANSWERS.items():
        limit = 20 if name == "memory" else None  # a busy machine takes long to give so much
        kinds[name] = ask("t-together", given, limit).kind
    print(json.dumps(kinds))
    sandbox.close()


if __name__ == "__main__":
    main()
