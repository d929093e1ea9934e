"""Run what takes long in a thread of its own, so that the event loop goes on reading answers in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, NamedTuple, TypeVar

__all__ = ["Worker"]

T = TypeVar("T")


class _Task(NamedTuple):
    function: Callable[[], Any]
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


class Worker:
    """Runs functions one after the other. The process does not wait for the thread when it ends."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._closed = Event()
        self._thread = Thread(target=self._work, name="judging", daemon=True)
        self._thread.start()

    async def run(self, function: Callable[[], T]) -> T:
        """Return what the function returns, or raise what it raises; who is cancelled leaves it to itself."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._tasks.put(_Task(function, future, loop))
        return await future

    def close(self) -> None:
        """Begin nothing more. What is running goes on, and nobody hears of it."""
        self._closed.set()
        self._tasks.put(None)

    def _work(self) -> None:
        while True:
            task = self._tasks.get()
            if task is None or self._closed.is_set():
                return
            result, error = None, None
            try:
                result = task.function()
            except BaseException as raised:  # noqa: BLE001  # it is raised again where it is waited for
                error = raised
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                task.loop.call_soon_threadsafe(_settle, task.future, result, error)


def _settle(future: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
