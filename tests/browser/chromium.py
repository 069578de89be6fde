"""Drive a real Chromium over its debugging pipe: open a page from disk, run a script in it, wait for what it saves.

A script that is run this way does not come from the page, so that the page's own policy stays in force.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Any name that a page would ask for cannot be found.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)
SECONDS = 60


class Browser:
    """One page in one browser; what the page says on its console, and what it asks for, is kept."""

    def __init__(self, downloads: Path) -> None:
        self.console: list[str] = []
        self.requests: list[str] = []
        self._downloads = downloads
        self._buffer = b""
        self._last = 0

    def __enter__(self) -> Self:
        self._profile = tempfile.TemporaryDirectory()
        to_browser, self._write = os.pipe()
        self._read, from_browser = os.pipe()

        def place() -> None:
            # Chromium reads commands from descriptor 3 and writes answers to 4; the copies keep the two from colliding.
            commands, answers = os.dup(to_browser), os.dup(from_browser)
            os.dup2(commands, 3)
            os.dup2(answers, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
            preexec_fn=place,  # noqa: PLW1509  (it copies descriptors and nothing else)
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        targets = self._ask("Target.getTargets")["targetInfos"]
        page = next(item["targetId"] for item in targets if item["type"] == "page")
        self._session = self._ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self._ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self._downloads))
        for name in ("Page", "Runtime", "Network", "Log"):
            self._ask(f"{name}.enable", session=True)
        return self

    def __exit__(self, *_: object) -> None:
        # It ends when nobody speaks to it any more.
        os.close(self._write)
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        shutil.rmtree(self._profile.name, ignore_errors=True)
        self._profile.cleanup()

    def open(self, path: Path) -> None:
        self._ask("Page.navigate", session=True, url=path.as_uri())
        self._until(lambda: self.run("document.readyState") == "complete")

    def on_paper(self, scheme: str) -> None:
        """Show the page as it would be printed by a reader who prefers a scheme."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", session=True, media="print", features=features)

    def run(self, script: str) -> object:
        done = self._ask("Runtime.evaluate", session=True, expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def saved(self, name: str) -> bytes:
        path = self._downloads / name
        self._until(path.is_file)
        return path.read_bytes()

    def _until(self, holds) -> None:
        end = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < end, "the browser did not get there"
            time.sleep(0.05)

    def _ask(self, method: str, *, session: bool = False, **parameters: object) -> dict:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict) -> None:
        given = event.get("params", {})
        match event.get("method"):
            case "Runtime.consoleAPICalled":
                self.console.append(str(given["args"]))
            case "Runtime.exceptionThrown":
                self.console.append(str(given["exceptionDetails"]))
            case "Log.entryAdded":
                self.console.append(given["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(given["request"]["url"])

    def _next(self) -> dict:
        while b"\0" not in self._buffer:
            part = os.read(self._read, 2**16)
            assert part, "the browser went away"
            self._buffer += part
        line, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(line)
