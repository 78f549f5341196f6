"""A class board as its own process, and what speaks to it in tests."""

import contextlib
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parent.parent
SESSION = "ab" * 8


class BoardProcess:
    """A board on 127.0.0.1. address, code, enter: as it printed them.  said: all that it printed
    when it began.
    """

    def __init__(self, environment, *options):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "helpers.board", "--local", *options],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        self.said = "".join(lines)
        self.address, self.code = re.search(r'join\("(.*?)", "(.*?)"\)', self.said).groups()
        self.enter = re.search(r"http://\S+/enter\S+", self.said)[0]
        self.port = int(self.address.rpartition(":")[2])

    def post(self, what, body, key="", **more):
        """What the board answers a learner."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.post(f"{self.address}/api/{what}", json=body, headers=headers, **more)

    def learner(self, number, name=""):
        """Let somebody join; returns (id, key)."""
        learner = f"{number:032x}"
        joining = {"code": self.code, "learner": learner, "name": name}
        answer = self.post("join", joining)
        assert answer.status_code == 200, answer.text
        return learner, answer.json()["key"]

    def tell(self, who, *events, session=SESSION):
        """Tell the board this, as a learner; returns what it answers."""
        learner, key = who
        numbered = [{"number": number, "at": 1, **event} for number, event in enumerate(events, 1)]
        body = {"learner": learner, "session": session, "events": numbered}
        return self.post("events", body, key)

    def teacher(self):
        """A client that came in as the teacher."""
        client = httpx.Client(base_url=self.address, follow_redirects=True)
        assert client.get(self.enter).status_code == 200
        return client

    def end(self):
        """Press Ctrl-C; returns what it says at its end."""
        self.process.send_signal(signal.SIGINT)
        said = self.process.communicate(timeout=20)[0]
        assert self.process.returncode == 0, said
        return said


@contextlib.contextmanager
def board(environment, *options):
    """A board that is gone afterwards."""
    running = BoardProcess(environment, *options)
    try:
        yield running
    finally:
        running.process.kill()
        running.process.communicate()


def check(of, status="not yet", mistake="sequential"):
    """An event: an exercise was checked."""
    return {"kind": "check", "of": of, "status": status, "mistake": mistake}


def guessed(of, said, **more):
    """An event: a guess was made."""
    return {"kind": "guess", "of": of, "said": said, **more}
