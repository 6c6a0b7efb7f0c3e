"""The workers of a study: this process, several processes of this machine, or a Dask cluster.

A worker imports this module first, and NumPy only after `_begin`.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from itertools import count, islice
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from roundbook.errors import MissingExtraError, WorkersError

if TYPE_CHECKING:
    from roundbook.statistics.studies.common import Mapped

# Batches under way for each worker: enough that no worker waits, few enough to hold few results.
_AHEAD = 4
# A batch grows by one piece for every 16 pieces that each worker has had, up to 8 pieces.
_PIECES_TO_GROW, _LARGEST_BATCH = 16, 8
# Seconds in which a cluster must answer.
_PATIENCE = 10
_SCHEMES = ("", "tcp", "tls")
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


class _Future(Protocol):
    def result(self) -> Any: ...  # noqa: ANN401


def study_workers(processes: int = 1, dask: str | None = None) -> AbstractContextManager[Mapped]:
    """Return a context with a function that, like `map`, does the pieces of a study's work.

    Results come in the order of the pieces, so that a study's numbers do not depend on which worker
    did which piece. The mapped function is sent to each worker once, the pieces one by one.

    The workers are that many processes of this machine, which end with the block or with this
    process; 1 is this process only. Or they are those of the Dask scheduler at the address `dask`.

    Raises
    ------
    MissingExtraError
        When Dask is requested and not installed.
    WorkersError
        When no cluster answers, it has no workers or other software, or the work is lost.
    """
    if dask is not None:
        return _cluster(dask)
    return _processes(processes) if processes > 1 else nullcontext(map)


def _in_order(
    submit: Callable[[list[Any]], _Future], pieces: Iterable[Any], workers: int
) -> Iterator[Any]:
    """Yield the results of the pieces, with a few batches for each worker under way."""
    waiting: deque[_Future] = deque()
    rest, sent = iter(pieces), 0
    # Many pieces are sent several at a time, as sending takes a millisecond.
    while batch := list(islice(rest, min(_LARGEST_BATCH, 1 + sent // (_PIECES_TO_GROW * workers)))):
        sent += len(batch)
        waiting.append(submit(batch))
        if len(waiting) >= _AHEAD * workers:
            yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


def _apply(function: Callable[[Any], Any], batch: list[Any]) -> list[Any]:
    return [function(piece) for piece in batch]


# Processes of this machine


@contextmanager
def _processes(number: int) -> Iterator[Mapped]:
    # A fork would inherit the database's connection and the threads' locks.
    context = get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(number, context, _begin, (reader,))
    names = map(str, count())
    with TemporaryDirectory(prefix="roundbook-") as directory:

        def mapped(function: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
            path = Path(directory, next(names))
            path.write_bytes(pickle.dumps(function))

            def submit(batch: list[Any]) -> _Future:
                with uninterrupted():
                    return pool.submit(_apply_stored, path, batch)

            yield from _in_order(submit, pieces, number)
            path.unlink()

        try:
            yield mapped
        except BrokenProcessPool:
            message = (
                "A process that did part of the work was ended from outside: for want of memory?"
            )
            raise WorkersError(message, way_out="fewer workers") from None
        finally:
            # The workers end when this end of their pipe is closed, and with them unneeded work.
            writer.close()
            pool.shutdown(cancel_futures=True)
            reader.close()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Start processes within the block that ignore Ctrl-C, which this process handles."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        # Started with the first process, it would end by SIGHUP, and unblock SIGINT.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(pipe: Connection) -> None:
    """Initialise a worker: it uses one core, and ends when its pipe is closed or broken."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    Thread(target=_end_with, args=(pipe,), daemon=True).start()


def _end_with(pipe: Connection) -> None:
    pipe.poll(None)
    os._exit(0)


def _apply_stored(path: Path, batch: list[Any]) -> list[Any]:
    return _apply(_stored(path), batch)


@lru_cache(maxsize=1)
def _stored(path: Path) -> Callable[[Any], Any]:
    function: Callable[[Any], Any] = pickle.loads(path.read_bytes())  # noqa: S301 - our own
    return function


# A Dask cluster


@contextmanager
def _cluster(address: str) -> Iterator[Mapped]:
    try:
        import dask  # noqa: PLC0415
        import distributed  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError("A cluster is reached through Dask.", "dask") from None
    # Dask itself would wait for ever if something else listens, such as its own dashboard.
    scheme, _, rest = address.rpartition("://")
    parts = urlsplit(f"//{rest}")
    try:
        if scheme not in _SCHEMES or not (parts.hostname and parts.port) or parts.path:
            raise ValueError
        with socket.create_connection((parts.hostname, parts.port), _PATIENCE) as probe:
            if scheme != "tls" and not probe.recv(1):  # a scheduler speaks first
                raise ValueError
        client: Any = distributed.Client(  # type: ignore[no-untyped-call]
            address, timeout=_PATIENCE, set_as_default=False
        )
    except (OSError, ValueError) as error:
        reason = ""
        if isinstance(error, OSError) and error.strerror:
            reason = f" ({error.strerror.lower()})"
        raise WorkersError(
            f"No Dask scheduler answers at '{address}'{reason}.",
            way_out="scheduler address",
            address=address,
        ) from error
    software = _software()
    with client, dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):

        def mapped(function: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
            # The scheduler keeps the function: another worker gets a copy if this one is lost.
            copy = client.submit(pickle.loads, pickle.dumps(function), pure=False)

            def submit(batch: list[Any]) -> _Future:
                future: _Future = client.submit(_apply_there, software, copy, batch, pure=False)
                return future

            yield from _in_order(submit, pieces, max(2, sum(client.nthreads().values())))

        try:
            client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError:
            raise WorkersError(
                f"The Dask scheduler at '{address}' has no workers.",
                way_out="start workers",
                address=address,
            ) from None
        for name, ours in software.items():
            # Only functions of Python itself, as Roundbook may not be installed in the cluster.
            try:
                theirs = {
                    client.run_on_scheduler(version, name),
                    *client.run(version, name).values(),
                }
            except PackageNotFoundError:
                theirs = set()
            if theirs != {ours}:
                raise _other_software(f"The cluster at '{address}'", name, theirs, ours)
        try:
            yield mapped
        except (distributed.KilledWorker, distributed.CancelledError) as error:
            raise WorkersError(
                f"The cluster at '{address}' lost the work: {error}", address=address
            ) from None


def _apply_there(
    software: dict[str, str], function: Callable[[Any], Any], batch: list[Any]
) -> list[Any]:
    # A worker may have joined the cluster since the software was checked.
    for name, theirs in _software().items():
        if theirs != software[name]:
            worker = f"Worker {socket.gethostname()}"
            raise _other_software(worker, name, {theirs}, software[name])
    return _apply(function, batch)


@cache
def _software() -> dict[str, str]:
    return {name: version(name) for name in ("roundbook", "numpy", "scipy")}


def _other_software(worker: str, name: str, theirs: set[str], ours: str) -> WorkersError:
    has = f"{name} {' and '.join(sorted(theirs))}" if theirs else f"no {name} somewhere"
    return WorkersError(
        f"{worker} has {has} where this machine has {ours}: the numbers might differ.",
        way_out="the same software",
        software=name,
        version=ours,
    )
