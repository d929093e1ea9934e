"""Run long tasks in a separate thread, so that the event loop can continue to read answers."""

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
    """Runs functions one after the other in a thread. When the process ends, it does not wait for this thread."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._closed = Event()
        self._thread = Thread(target=self._work, name="judging", daemon=True)
        self._thread.start()

    async def run(self, function: Callable[[], T]) -> T:
        """Return what the function returns, or raise what it raises.

        If the caller is cancelled, a function that has begun still runs to its end.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._tasks.put(_Task(function, future, loop))
        return await future

    def close(self) -> None:
        """Begin no more functions. A function that is running continues, but nobody waits for its result."""
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
            except BaseException as raised:  # noqa: BLE001  # it is raised again in the caller that waits
                error = raised
            with suppress(RuntimeError):  # the loop is closed, so nobody waits for the result
                task.loop.call_soon_threadsafe(_set_result, task.future, result, error)


def _set_result(future: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
