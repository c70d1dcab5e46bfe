"""The thread that thinks: one for a whole conversation, unless it never comes back from a job.

It is started while the process is young. On Windows no thread starts while another loads a library, and the first
search is due just when the network is being loaded.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

Job = Callable[[], None]
Post = queue.SimpleQueue[Job | None]


def start_thread(target: Callable[[], None], name: str) -> None:
    """Starts a thread that nobody waits for. MemoryError if the system has no room for its stack."""
    try:
        threading.Thread(target=target, name=name, daemon=True).start()
    except RuntimeError as error:
        raise MemoryError(f"{error} ({name})") from error


class Background:
    """Does one job after another, on its own thread."""

    def __init__(self) -> None:
        self._post: Post | None = self._hire()

    def give(self, job: Job) -> None:
        """The next job. Returns at once, except after `abandon`: then a new thread starts."""
        if self._post is None:
            self._post = self._hire()
        self._post.put(job)

    def abandon(self) -> None:
        """Lets the thread go that does not come back; it ends with its job.

        The next one is not started here: a reply is late already, and starting takes as long as loading does.
        """
        assert self._post is not None
        self._post.put(None)
        self._post = None

    @staticmethod
    def _hire() -> Post:
        post: Post = queue.SimpleQueue()

        def serve() -> None:
            while (job := post.get()) is not None:
                job()

        start_thread(serve, "think")
        return post
