# SPDX-License-Identifier: Apache-2.0
"""A client of bulkheadd, see bulkhead-api(7). Nothing but the standard library is needed."""

import json
import socket
from collections import deque


class BulkheadError(Exception):
    """A refusal. `code` is a word such as "conflict"; `detail` has the rest of what the daemon knows."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.detail = error["data"]
        self.code = self.detail["code"]


class Bulkhead:
    """One connection. For several threads, make several."""

    def __init__(self, path="/run/bulkhead/bulkhead.sock"):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._stream = self._socket.makefile("rw", encoding="utf-8")
        self._last_id = 0
        self._events = deque()  # that came while an answer was waited for

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stream.close()
        self._socket.close()

    def call(self, method, **params):
        """The result. Raises BulkheadError, and ConnectionError where the daemon ends."""
        self._last_id += 1
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self._stream.write(json.dumps(request) + "\n")
        self._stream.flush()
        while True:
            message = self._receive()
            if message.get("method") == "event":
                self._events.append(message["params"])
            elif "error" in message:
                raise BulkheadError(message["error"])
            else:
                return message["result"]

    def events(self, *kinds):
        """Subscribes at once; what comes is then iterated over, without end."""
        self.call("events.subscribe", **({"kinds": kinds} if kinds else {}))
        return self._follow()

    def _follow(self):
        while True:
            yield self._events.popleft() if self._events else self._receive()["params"]

    def _receive(self):
        line = self._stream.readline()
        if not line:
            raise ConnectionError("bulkheadd has closed the connection")
        return json.loads(line)
