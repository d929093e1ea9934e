"""Check batches in several processes, and yield the results in the order of the batches."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from isogloss.cli.checking.summary import Run
from isogloss.cli.process import exits, signals
from isogloss.cli.reading.jobs import Batch, first_path
from isogloss.validator import interrupts
from isogloss.validator.secrets import mask_text

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, SpawnContext

__all__ = ["WorkerDied", "run_in_order"]

_MOST_UNDER_WAY = 3
"""How many batches may be under way for each process. The results of some may have to wait for an earlier one."""


class WorkerDied(click.ClickException):
    """Another process, which checked files for this one, was killed. The message says so, and what to do."""

    exit_code = exits.NOTHING_CHECKED

    def __init__(self, batch: Batch) -> None:
        path = first_path(batch)
        where = f", at or after {mask_text(path)}" if path is not None else ""
        super().__init__(
            f"a process was killed while it checked files{where}. Is there enough memory? --jobs 1 does without it."
        )


class _Task:
    """A batch that was given to a process, and its result or what the check raised, as soon as there is one."""

    __slots__ = ("batch", "outcome")

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.outcome: Run | Exception | None = None


class _Worker:
    """A process that checks batches for this one, one at a time. ``task`` is the one that it has, if it has one."""

    def __init__(
        self,
        context: ForkContext | SpawnContext,
        start: Callable[..., None],
        arguments: Sequence[object],
        check: Callable[[Batch], Run],
    ) -> None:
        self.task: _Task | None = None
        self.connection, other_end = context.Pipe()
        self._process = context.Process(target=_work, args=(other_end, start, arguments, check), daemon=True)
        with interrupts.hold(), other_end:
            self._process.start()

    def give(self, task: _Task) -> None:
        """Give the process a batch to check. Raises :class:`WorkerDied`."""
        self.task = task
        try:
            self.connection.send(task.batch)
        except OSError:
            raise WorkerDied(task.batch) from None

    def take(self) -> None:
        """Wait for the result, or for what the check raised, and put it into the task. Raises :class:`WorkerDied`."""
        task, self.task = self.task, None
        assert task is not None
        try:
            task.outcome = self.connection.recv()
        except (EOFError, OSError):
            raise WorkerDied(task.batch) from None

    def end(self) -> None:
        """Make the process end, whatever it does."""
        self._process.terminate()

    def join(self) -> None:
        """Wait until the process has ended."""
        self._process.join()
        self.connection.close()


def run_in_order(
    work: Iterable[Batch],
    jobs: int,
    start: Callable[..., None],
    arguments: Sequence[object],
    check: Callable[[Batch], Run],
    *,
    may_fork: Callable[[], bool],
) -> Iterator[tuple[Batch, Run]]:
    """Yield each batch with the result of ``check``, which runs in one of ``jobs`` processes. Each calls ``start``.

    A process is started when there is a batch for it, and all end with this one, however it ends. Only a few batches
    are under way at a time. What ``check`` raises is raised here, in place of the result. Raises :class:`WorkerDied`
    when a process ends by itself. ``may_fork`` is called before a process is started. It returns whether this process
    may fork: another thread could hold a lock, and a forked process would never see that lock released.
    """
    from multiprocessing import get_all_start_methods, get_context
    from multiprocessing.connection import wait

    can_fork = "fork" in get_all_start_methods() and os.uname().sysname == "Linux"
    remaining = iter(work)
    workers: list[_Worker] = []
    under_way: deque[_Task] = deque()
    try:
        batch = next(remaining, None)
        while batch is not None or under_way:
            while batch is not None and len(under_way) < _MOST_UNDER_WAY * jobs:
                idle = next((worker for worker in workers if worker.task is None), None)
                if idle is None and len(workers) == jobs:
                    break
                if idle is None:
                    context = get_context("fork") if can_fork and may_fork() else get_context("spawn")
                    idle = _Worker(context, start, arguments, check)
                    workers.append(idle)
                under_way.append(_Task(batch))
                idle.give(under_way[-1])
                batch = next(remaining, None)
            while under_way and (outcome := under_way[0].outcome) is not None:
                if isinstance(outcome, Exception):
                    raise outcome
                yield under_way.popleft().batch, outcome
            ready = wait([worker.connection for worker in workers if worker.task is not None]) if under_way else []
            for worker in workers:
                if worker.connection in ready:
                    worker.take()
    finally:
        for worker in workers:
            worker.end()
        for worker in workers:
            worker.join()


def _work(
    connection: Connection, start: Callable[..., None], arguments: Sequence[object], check: Callable[[Batch], Run]
) -> None:
    """Check each batch that comes, in a process that was started for this."""
    signals.restore_defaults()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    start(*arguments)
    with suppress(EOFError, OSError):  # the other process has ended, and so does this one
        while True:
            batch = connection.recv()
            outcome: Run | Exception
            try:
                outcome = check(batch)
            except Exception as error:  # noqa: BLE001  # the other process raises it
                outcome = error
            connection.send(outcome)


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()  # waits for the end of a pipe that only the parent, and processes that end with it, hold open
        os._exit(exits.NOTHING_CHECKED)
