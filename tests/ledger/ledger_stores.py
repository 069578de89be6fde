"""Where ledgers of the tests live: a fresh SQLite file, a fresh schema on a real PostgreSQL server, or behind a faulty connection."""

import ctypes
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import psycopg
from sqlalchemy.exc import OperationalError

from faultline.ledger import Ledger, open_ledger


@dataclass
class Place:
    """One store, which any number of handles may be opened on."""

    where: str
    wrap: Callable[[Ledger], Ledger] = field(default=lambda ledger: ledger)
    """Makes a handle faulty, for tests of the tests."""

    def open(self) -> Ledger:
        return self.wrap(open_ledger(self.where))

    @contextmanager
    def lost_reply(self, ledger: Ledger, *, committed: bool):
        """Within, each commit of this handle is done or not done, and either way its reply is lost."""

        def commit(transaction: Any) -> None:
            if committed:
                transaction.commit()
            else:
                transaction.rollback()
            raise OperationalError("COMMIT", {}, ConnectionResetError("the connection was closed"), connection_invalidated=True)

        ledger._commit = commit
        try:
            yield
        finally:
            del ledger._commit


class SqliteStores:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0

    def fresh(self) -> Place:
        self._made += 1
        return Place(str(self._folder / f"ledger-{self._made}.db"))


class PostgresqlStores:
    def __init__(self, server: "PostgresqlServer") -> None:
        self._server = server

    def fresh(self) -> Place:
        return Place(self._server.new_schema())


class PostgresqlServer:
    """A real server in a scratch folder, on loopback; started as a user that PostgreSQL accepts."""

    def __enter__(self) -> Self:
        self._bin = _binaries()
        self._folder = Path(tempfile.mkdtemp(prefix="faultline-postgresql-"))
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            owner = _unprivileged_user()
            os.chown(self._folder, owner.pw_uid, owner.pw_gid)
            self._as = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self._schemas = 0
        try:
            self._call("initdb", "-D", "data", "-A", "trust", "-U", "faultline", "-E", "UTF8", "--locale=C", "--no-sync")
            self._start()
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._server.send_signal(signal.SIGQUIT)
        self._server.wait(60)
        self._log.join(60)
        self._server.stderr.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def restart(self) -> None:
        """Stop the server and start it again, so that changed settings hold; on another port."""
        self._server.send_signal(signal.SIGINT)
        self._server.wait(60)
        self._log.join(60)
        self._server.stderr.close()
        self._start(durable=True)

    def new_schema(self) -> str:
        """Make an empty schema and return a URL whose connections see it alone; a database each would take too long."""
        self._schemas += 1
        name = f"test_{self._schemas}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return self.url() + f"?options=-csearch_path%3D{name}"

    def url(self) -> str:
        return f"postgresql://faultline@127.0.0.1:{self.port}/postgres"

    def _start(self, *, durable: bool = False) -> None:
        for _ in range(5):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
            settings = ["listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self._folder}"]
            # Durability of the server is not what is tested, and each schema would cost seconds.
            settings += ["max_connections=60", "logging_collector=off", *([] if durable else ["fsync=off"])]
            self._server = subprocess.Popen(
                [self._bin / "postgres", "-D", "data", *(word for setting in settings for word in ("-c", setting))],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                preexec_fn=_end_with_parent,  # noqa: PLW1509  (no other thread runs when the fixture starts it)
                **self._as,
            )
            said = []
            for line in self._server.stderr:
                said.append(line.decode("utf-8", "replace"))
                if b"ready to accept connections" in line:
                    self._log = threading.Thread(target=self._drain, daemon=True)
                    self._log.start()
                    return
            # It ended. Somebody else may have taken the port between the look and the start.
            self._server.wait(60)
            self._server.stderr.close()
        raise AssertionError("PostgreSQL did not start: " + "".join(said)[-2000:])

    def _drain(self) -> None:
        """Read what the server goes on to say, so that it never waits for a reader."""
        for _ in self._server.stderr:
            pass

    def _call(self, program: str, *arguments: str) -> None:
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                [self._bin / program, *arguments],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
                check=False,
                **self._as,
            )
            output.seek(0)
            assert done.returncode == 0, f"{program} failed: {output.read().decode('utf-8', 'replace')[-2000:]}"


def _end_with_parent() -> None:
    """Ask the kernel to end the server when the tests are killed, so that none is ever left behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG


def _binaries() -> Path:
    """Return the folder of the newest server's programs; a machine without one fails the tests, loudly."""
    on_path = shutil.which("initdb")
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(re.sub(r"\D", "", path.parts[-3]) or 0)
    )
    if found:
        return found[-1].parent
    assert on_path, "PostgreSQL's server programs are needed for the tests of the ledger: apt-get install postgresql"
    return Path(on_path).resolve().parent


def _unprivileged_user() -> pwd.struct_passwd:
    """Return whom to run the server as, since it refuses to run as root."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise AssertionError("there is no user that PostgreSQL's server could run as")
