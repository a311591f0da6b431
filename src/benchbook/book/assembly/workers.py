"""Processes that execute notebooks and that end with the work, also when it is broken off."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from multiprocessing.context import SpawnContext
from types import FrameType
from typing import TypeVar

import psutil

from benchbook import interruption, mishaps
from benchbook.book.assembly.ended import few_files
from benchbook.book.assembly.execution import Job, Result, execute
from benchbook.errors import MachineError

MOST = 2
"""Notebooks that are executed at once."""
_REMINDED_S, _REMINDERS = 1.0, 60

Submit = Callable[[Job], "Future[Result]"]
T = TypeVar("T")


@contextmanager
def workers(number: int) -> Iterator[Submit]:
    """Up to ``number`` processes; what is given submits a job to them.

    When the block is left by an exception, jobs that wait are dropped, and those at work are broken off. In any case
    every process has ended afterwards, and what it had in the folder for temporary files is gone. Raises MachineError
    where too few files may be open for any notebook, and where /dev/shm is full or cannot be written.
    """
    if few := few_files():
        raise few
    # Spawned, not forked: a fork would copy locks held by threads of whoever calls this.
    context = get_context("spawn")
    # Its start unblocks signals, so it must not fall into that of a worker.
    with interruption.kept_from_children():
        resource_tracker.ensure_running()
    told, telling = context.Pipe(duplex=False)
    with told, telling, _pool(number, context, told) as pool:

        def submit(job: Job) -> Future[Result]:
            with interruption.kept_from_children():
                return pool.submit(execute, job, _at_work)

        try:
            yield submit
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            telling.close()
            raise


def _pool(number: int, context: SpawnContext, told: Connection) -> ProcessPoolExecutor:
    try:
        return ProcessPoolExecutor(number, context, initializer=_prepare, initargs=(told,))
    except OSError as error:
        raise MachineError(
            f"processes that execute notebooks cannot share a lock in {mishaps.SHARED} ({error.strerror})",
            "make room there, or make it writable (mount -o remount,rw,size=64m /dev/shm); then repeat the command",
        ) from error


def results(jobs: Sequence[tuple[T, Job]]) -> Iterator[tuple[T, Result]]:
    """What comes of these jobs, each as it ends, with whatever it was given with."""
    if not jobs:
        return
    with workers(min(MOST, len(jobs))) as submit:
        whose = {submit(job): own for own, job in jobs}
        for future in as_completed(whose):
            yield whose[future], future.result()


class _Worker:
    """What is known of this process. at_work: a job can be broken off. ended: it was, or must not begin."""

    at_work = False
    ended = False


def _prepare(told: Connection) -> None:
    """Prepare a worker: signals that a terminal sends to all are its builder's, which ends it by closing ``told``."""
    interruption.keep_out_of_destructors()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _break_off)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, interruption.SIGNALS)
    threading.Thread(target=_watch, args=(told,), daemon=True).start()


def _watch(told: Connection) -> None:
    """Break off the job when the builder closes its end or is killed; by force if a library swallows that."""
    wait_for([told])
    main, builder = threading.main_thread(), parent_process()
    for _ in range(_REMINDERS):
        signal.pthread_kill(main.ident or 0, signal.SIGTERM)
        main.join(_REMINDED_S)
        if not _Worker.at_work and (builder is None or not builder.is_alive()):
            break  # nobody is left to end this process in order
    end_children()
    os._exit(1)


def _break_off(number: int, frame: FrameType | None) -> None:
    _Worker.ended = True
    if _Worker.at_work and not interruption.under_way():
        end_children()
        interruption.broken_off()
        raise KeyboardInterrupt


@contextmanager
def _at_work() -> Iterator[None]:
    """What may be broken off. Its kernel is ended at the end in any case: it writes into a folder that then goes."""
    try:
        _Worker.at_work = True
        if _Worker.ended:
            raise KeyboardInterrupt
        yield
    finally:
        _Worker.at_work = False
        end_children()


def end_children() -> None:
    children = psutil.Process().children(recursive=True)
    for child in children:
        with suppress(psutil.NoSuchProcess):
            child.kill()
    psutil.wait_procs(children)
