"""What is completed as users expect it before they say anything: by kind of text, and by where a document comes from."""

from __future__ import annotations

from typing import Final

from dg_lsp.documents import uri as uris
from dg_lsp.settings.completion import CompletionSettings, Trigger

BY_HAND: Final = frozenset(
    [
        "git-commit",
        "git-rebase",
        "gitcommit",
        "gitrebase",
        "hgcommit",
        "latex",
        "mail",
        "markdown",
        "plaintext",
        "quarto",
        "restructuredtext",
        "rst",
        "scminput",
        "search-result",
        "tex",
        "text",
        "typst",
    ]
)
"""Language ids of prose, in the spellings of VS Code and Neovim: completed when asked for by hand."""

NOT_COMPLETED: Final = frozenset(
    [
        "chat-editing-text-model",
        "comment",
        "conflictresolution",
        "debug",
        "diffview",
        "fugitive",
        "git",
        "gitfs",
        "gitlens",
        "gitsigns",
        "jdt",
        "merge-conflict.conflict-diff",
        "neotree",
        "oil",
        "output",
        "pr",
        "review",
        "search-editor",
        "term",
        "vscode-chat-code-block",
        "vscode-chat-session",
        "vscode-interactive-input",
        "vscode-local-history",
        "vscode-scm",
        "vscode-settings",
        "vscode-terminal",
        "walkthrough",
    ]
)
"""Schemes of old versions of files, of sides of a diff, of output, terminals and input boxes."""


def trigger_for(language: str, settings: CompletionSettings) -> Trigger:
    """When documents of a language are completed; named ones before `*`, the user's word before ours."""
    chosen = settings.languages.get(language)
    if chosen is None and language in BY_HAND:
        chosen = "manual"
    if chosen is None:
        chosen = settings.languages.get("*", "automatic")
    return ("automatic" if chosen else "off") if isinstance(chosen, bool) else chosen


def is_on_purpose(language: str, settings: CompletionSettings) -> bool:
    """Whether the user has named the language."""
    return language in settings.languages


def scheme_is_on(uri: str, settings: CompletionSettings) -> bool:
    """Whether documents of this URI's scheme are completed."""
    scheme = uris.scheme_of(uri)
    return settings.schemes.get(scheme, scheme not in NOT_COMPLETED)
