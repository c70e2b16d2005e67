"""How often a lost engine is started again."""

from __future__ import annotations

from dg_lsp.engine_client.restart import WINDOW, RestartPolicy


def test_three_losses_within_the_window_end_it() -> None:
    """At once, after a second, never."""
    policy = RestartPolicy()
    assert [policy.lost(now) for now in (0.0, 10.0, 20.0)] == [0.0, 1.0, None]
    assert policy.exhausted(30.0)
    assert not policy.exhausted(20.0 + WINDOW + 1)


def test_losses_far_apart_climb_the_delays() -> None:
    """Two a window, on and on."""
    policy = RestartPolicy()
    assert [policy.lost(now) for now in (0.0, 200.0, 400.0, 600.0, 800.0)] == [0.0, 1.0, 4.0, 16.0, 16.0]


def test_a_long_calm_starts_anew() -> None:
    """After twice the window."""
    policy = RestartPolicy()
    policy.lost(0.0)
    assert policy.lost(3 * WINDOW) == 0.0
