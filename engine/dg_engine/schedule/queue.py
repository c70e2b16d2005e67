"""Which job is worked on next: the newest interactive one first, clients in turn. Holds no tensors; any thread may call it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import replace

from dg_engine.schedule.ticket import URGENCIES, Ticket

Chore = Callable[[], None]


class JobQueue:
    """Tickets of all clients, and chores for the thread that owns the model.

    Within a client the newest job goes first, also before one that is half done, which then waits between two passes. Jobs on one
    document never interleave: they would share its slot. Clients take turns step by step, a step being a pass or a chunk.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._tickets: list[Ticket] = []
        self._turn: list[Hashable] = []
        self._chores: list[Chore] = []
        self._closed = False

    def __len__(self) -> int:
        return len(self._tickets)

    def add(self, ticket: Ticket) -> None:
        """Queue a job."""
        with self._changed:
            self._tickets.append(ticket)
            if ticket.client not in self._turn:
                self._turn.append(ticket.client)
            self._changed.notify_all()

    def add_chore(self, chore: Chore) -> None:
        """Have `chore` run on the model's thread between two steps."""
        with self._changed:
            self._chores.append(chore)
            self._changed.notify_all()

    def adopt(self, client: Hashable, document: str, fits: Callable[[Ticket], bool], ticket: Ticket) -> Ticket | None:
        """Let a speculative job of the client on the document go on as another ticket's, if `fits` says that it is the same.

        Returns a copy of the ticket as it was; its own place in the queue is the other one's from now on.
        """
        with self._changed:
            for one in self._tickets:
                if (
                    one.client == client
                    and one.document == document
                    and one.urgency == "speculative"
                    and not one.cancelled
                    and fits(one)
                ):
                    before = replace(one)
                    one.id, one.urgency, one.received = ticket.id, ticket.urgency, ticket.received
                    self._tickets.remove(one)  # the newest from now on
                    self._tickets.append(one)
                    self._changed.notify_all()
                    return before
            return None

    def cancel(self, client: Hashable, job: int) -> Ticket | None:
        """Take a waiting job out and return it; one that has started is marked instead, and its worker ends it."""
        with self._changed:
            for ticket in self._tickets:
                if ticket.client == client and ticket.id == job and not ticket.cancelled:
                    ticket.cancelled, ticket.cancelled_at = True, time.monotonic()
                    if not ticket.started:
                        self._remove(ticket)
                        return ticket
                    self._changed.notify_all()
            return None

    def cancel_client(self, client: Hashable) -> list[Ticket]:
        """The client is gone: none of its jobs goes on. Returns those that had not begun, which are taken out."""
        with self._changed:
            mine = [ticket for ticket in self._tickets if ticket.client == client and not ticket.cancelled]
            for ticket in mine:
                ticket.cancelled, ticket.cancelled_at = True, time.monotonic()
            waiting = [ticket for ticket in mine if not ticket.started]
            for ticket in waiting:
                self._remove(ticket)
            self._changed.notify_all()
            return waiting

    def next(self) -> Ticket | None:
        """The ticket to work on for one step; blocks while there is none. None when the queue is closed.

        Chores run here first, on the caller's thread.
        """
        while True:
            with self._changed:
                while not (self._chores or self._tickets or self._closed):
                    self._changed.wait()
                if self._closed:
                    return None
                chores, self._chores = self._chores, []
                ticket = self._pick() if self._tickets else None
                if ticket:
                    ticket.started = True
                    self._pass_turn(ticket.client)
            for chore in chores:
                chore()
            if ticket:
                return ticket

    def done(self, ticket: Ticket) -> None:
        """The job has ended."""
        with self._changed:
            self._remove(ticket)

    def drain(self) -> list[Ticket]:
        """Take out every ticket."""
        with self._changed:
            left, self._tickets = self._tickets, []
            return left

    def close(self) -> None:
        """Let `next` return None from now on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _pass_turn(self, client: Hashable) -> None:
        """The client has had its step: it stands at the end now."""
        self._turn.remove(client)
        self._turn.append(client)

    def _pick(self) -> Ticket:
        if cancelled := [t for t in self._tickets if t.cancelled]:
            return cancelled[0]
        urgent = min(URGENCIES.index(t.urgency) for t in self._tickets)
        ready = [t for t in self._tickets if URGENCIES.index(t.urgency) == urgent]
        client = next(client for client in self._turn if any(t.client == client for t in ready))
        newest = [t for t in ready if t.client == client][-1]
        return self._holder(newest) or newest

    def _holder(self, wanted: Ticket) -> Ticket | None:
        """The started job on the same document, if there is one."""
        same = (t for t in self._tickets if t.started and t.client == wanted.client and t.document == wanted.document)
        return next(same, None)

    def _remove(self, ticket: Ticket) -> None:
        if ticket in self._tickets:
            self._tickets.remove(ticket)
        if not any(t.client == ticket.client for t in self._tickets) and ticket.client in self._turn:
            self._turn.remove(ticket.client)
