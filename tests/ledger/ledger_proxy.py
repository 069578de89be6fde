"""A connection that breaks around a COMMIT, for tests of writes whose reply is lost."""

import socket
import threading
from contextlib import suppress


class FaultyConnection:
    """A proxy before the server that closes the connection around the next COMMIT or record, as a network may.

    A record is one statement, and a transaction by itself.
    """

    def __init__(self, port):
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.fault = None
        """``before``: it never arrives; ``after``: its answer never does."""
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def url(self, where):
        return where.replace(f":{self._port}/", f":{self.port}/")

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        server = socket.create_connection(("127.0.0.1", self._port))
        answers = threading.Thread(target=self._pump, args=(server, client), daemon=True)
        answers.start()
        with client, server:
            while data := self._receive(client):
                if self.fault and (b"COMMIT\0" in data or b"INSERT INTO faultline_trials" in data):
                    fault, self.fault = self.fault, None
                    if fault == "after":
                        swallowed = self._swallow = threading.Event()
                        server.sendall(data)
                        swallowed.wait(60)
                    break
                server.sendall(data)
            for end in (client, server):
                # Wakes the other thread, which a close alone would not.
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            answers.join(60)

    _swallow = None

    def _pump(self, server, client):
        while data := self._receive(server):
            if self._swallow is not None:
                self._swallow.set()
                self._swallow = None
                return
            with suppress(OSError):
                client.sendall(data)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def _receive(self, end):
        try:
            return end.recv(65536)
        except OSError:
            return b""
