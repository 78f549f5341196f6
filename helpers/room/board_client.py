"""Speaks HTTP with a board: a question and its answer, by the standard library alone.

No proxy is asked, for the board is in the same room; and a kernel that only checks exercises
shall not load an HTTP client for it.
"""

import http.client
import json
import re
import ssl
from typing import NamedTuple
from urllib.parse import urlsplit

PATIENCE = 5.0  # seconds that a board may take to answer


class Unreachable(Exception):
    """No board answers at an address."""


class Refused(Exception):
    """The board answered, and said no. status: of HTTP.  pause: seconds that it asks to wait."""

    def __init__(self, status: int, sentence: str, pause: float = 0.0):
        super().__init__(sentence)
        self.status = status
        self.pause = pause


class Address(NamedTuple):
    """Where a board is."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, text: str) -> "Address":
        """The address that somebody typed: "http://192.168.1.20:8890", or without the "http://".

        Raises ValueError, in a sentence, for what is none.
        """
        text = str(text).strip()
        try:
            parts = urlsplit(text if "://" in text else f"http://{text}")
            port = parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            parts = None
        if (
            not parts
            or parts.scheme not in ("http", "https")
            or not re.fullmatch(r"[\w.:%-]+", parts.hostname or "")
        ):
            raise ValueError(
                f"{text!r} is no address: it looks like http://192.168.1.20:8890, and the teacher "
                "shows it."
            )
        return cls(parts.scheme, parts.hostname, port, parts.path.rstrip("/"))

    def __str__(self):
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"

    def post(self, what: str, body: dict, key: str = "") -> dict:
        """Post this to the board's `/api/<what>`; returns its answer.

        Raises Unreachable where none comes, Refused where the board says no.
        """
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        if self.scheme == "https":
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(
                self.host, self.port, timeout=PATIENCE, context=context
            )
        else:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        try:
            connection.request("POST", f"{self.path}/api/{what}", json.dumps(body), headers)
            answer = connection.getresponse()
            said = json.loads(answer.read(100_000))
            if not isinstance(said, dict):
                raise ValueError
        except ValueError as error:
            raise Unreachable(f"What answers at {self} is no board.") from error
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(
                f"No board answers at {self}: is the address right, and is this machine in the "
                "same network as the teacher's?"
            ) from error
        finally:
            connection.close()
        if answer.status != 200:
            pause = answer.headers.get("Retry-After", "")
            raise Refused(
                answer.status,
                str(said.get("problem", f"The board said {answer.status}.")),
                float(pause) if pause.isdigit() else 0.0,
            )
        return said
