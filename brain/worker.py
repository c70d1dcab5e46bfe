"""The thread that thinks: one for a whole conversation, unless it never comes back from a think.

It is started while the process is young. On Windows no thread starts while another loads a library, and the first
think is due just when the network is being loaded.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from brain.engine import Think

Post = queue.SimpleQueue[Think | None]


class Worker:
    """Does `work` for one think after another, on its own thread."""

    def __init__(self, work: Callable[[Think], None]) -> None:
        self._work = work
        self._post: Post | None = self._hire()

    def give(self, think: Think) -> None:
        """The next think. Returns at once, except after `abandon`: then a new thread starts."""
        if self._post is None:
            self._post = self._hire()
        self._post.put(think)

    def abandon(self) -> None:
        """Lets the thread go that does not come back; it ends with its think.

        The next one is not started here: a reply is late already, and starting takes as long as loading does.
        """
        assert self._post is not None
        self._post.put(None)
        self._post = None

    def _hire(self) -> Post:
        post: Post = queue.SimpleQueue()
        threading.Thread(target=self._serve, args=(post,), name="think", daemon=True).start()
        return post

    def _serve(self, post: Post) -> None:
        while (think := post.get()) is not None:
            self._work(think)
