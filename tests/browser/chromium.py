"""A real browser for the tests, driven over its DevTools protocol."""

from __future__ import annotations

import atexit
import base64
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import trio
from websockets.trio.client import ClientConnection, connect

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)
# A browser that says nothing for so long, on a machine however busy, has failed.
PATIENCE_SECONDS: Final = 60.0

Json = dict[str, Any]


def find_chromium() -> str | None:
    """The browser's program, if there is one on the path."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class PageFailed(Exception):  # noqa: N818 - what happened
    """What a page was asked threw; the text is the page's."""


class Answer:
    """The browser's answer to a command, as soon as there is one."""

    def __init__(self) -> None:
        self._message: Json = {}
        self._came = trio.Event()

    def put(self, message: Json) -> None:
        self._message = message
        self._came.set()

    async def get(self) -> Json:
        await self._came.wait()
        return self._message


class Page:
    """One tab. `complaints` holds what its console and its log say that is no mere information:
    errors, warnings, exceptions, requests that failed, violations of the content policy.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self.complaints: list[str] = []
        self._socket = socket
        self._session = ""
        self._profile = ""
        self._loaded = trio.Event()
        self._numbers = itertools.count(1)
        self._answers: dict[int, Answer] = {}

    async def open(self, url: str) -> None:
        """Goes there, and waits until it has loaded; what its scripts ask for may still come."""
        self._loaded = trio.Event()
        await self._call("Page.navigate", url=url)
        with trio.fail_after(PATIENCE_SECONDS):
            await self._loaded.wait()

    async def run(self, script: str) -> Any:
        """The value of an expression, waited for if it is a promise. Raises `PageFailed`."""
        answer = await self._call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"]
            raise PageFailed(thrown.get("exception", thrown).get("description", str(thrown)))
        return answer["result"].get("value")

    async def wait(self, condition: str) -> Any:
        """The value of an expression as soon as it is true; asked anew for each picture."""
        return await self.run(
            "new Promise((resolve) => { const look = () => {"
            f" const value = (() => {condition})();"
            " if (value) resolve(value); else requestAnimationFrame(look); }; look(); })"
        )

    async def screenshot(self, path: Path) -> None:
        """A picture of what is seen, as PNG."""
        answer = await self._call("Page.captureScreenshot", format="png")
        await trio.Path(path).write_bytes(base64.b64decode(answer["data"]))

    async def command(self, method: str, **parameters: Any) -> Json:
        """Any other command of the DevTools protocol."""
        return await self._call(method, **parameters)

    async def begin(self) -> None:
        """Opens the tab. Needs `listen` to run."""
        self._profile = (await self._call("Target.createBrowserContext"))["browserContextId"]
        made = await self._call(
            "Target.createTarget", url="about:blank", browserContextId=self._profile
        )
        target = made["targetId"]
        attached = await self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self._call(f"{domain}.enable")

    async def end(self) -> None:
        """Closes the tab, and forgets all that was done in it. Needs `listen` to run."""
        self._session = ""
        await self._call("Target.disposeBrowserContext", browserContextId=self._profile)

    async def listen(self) -> None:
        """Hears the browser, until cancelled."""
        async for text in self._socket:
            message = json.loads(text)
            if "id" in message:
                self._answers.pop(message["id"]).put(message)
            else:
                self._hear(message["method"], message["params"])

    async def _call(self, method: str, **parameters: Any) -> Json:
        number = next(self._numbers)
        call: Json = {"id": number, "method": method, "params": parameters}
        if self._session:
            call["sessionId"] = self._session
        self._answers[number] = waiting = Answer()
        await self._socket.send(json.dumps(call))
        with trio.fail_after(PATIENCE_SECONDS):
            answer = await waiting.get()
        if "error" in answer:
            raise PageFailed(f"{method}: {answer['error']['message']}")
        result: Json = answer["result"]
        return result

    def _hear(self, method: str, told: Json) -> None:
        if method == "Page.loadEventFired":
            self._loaded.set()
        if method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            values = (str(one.get("value", one.get("description"))) for one in told["args"])
            self.complaints.append(f"console.{told['type']}: {' '.join(values)}")
        if method == "Runtime.exceptionThrown":
            thrown = told["exceptionDetails"]
            self.complaints.append(str(thrown.get("exception", thrown).get("description", thrown)))
        if method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            entry = told["entry"]
            self.complaints.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}")


class Browser:
    """One process for all tests of a run, since to begin takes it longer than most tests take."""

    def __init__(self) -> None:
        program = find_chromium()
        if program is None:
            raise AssertionError("no browser: the tests should have been skipped")
        self._folder = Path(mkdtemp(prefix="chromium-"))
        self._process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self._folder}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(self._folder)},
        )
        atexit.register(self._end)

    async def url(self) -> str:
        """Where it listens, once it does."""
        told = self._folder / "DevToolsActivePort"
        with trio.fail_after(PATIENCE_SECONDS):
            while not told.exists() or told.read_text().count("\n") < 1:
                assert self._process.poll() is None, "the browser has ended"
                await trio.sleep(0.02)
        port, path = told.read_text().split()
        return f"ws://127.0.0.1:{port}{path}"

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


browser: Final = cache(Browser)


@asynccontextmanager
async def open_page() -> AsyncIterator[Page]:
    """A tab with a profile of its own, which is empty."""
    url = await browser().url()
    socket = connect(
        url, max_size=None, compression=None, proxy=None, ping_interval=None, close_timeout=0.1
    )
    async with socket as connection, trio.open_nursery() as nursery:
        page = Page(connection)
        nursery.start_soon(page.listen)
        try:
            await page.begin()
            yield page
        finally:
            with trio.CancelScope(shield=True):
                await page.end()
        nursery.cancel_scope.cancel()
