"""Files that are never completed."""

from __future__ import annotations

import pytest

from dg_lsp.exclude.secrets import looks_secret

SECRET = (
    ".env",
    ".ENV",
    ".env.local",
    "prod.env",
    "server.pem",
    "tls.key",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".netrc",
    ".envrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    "app.jks",
    "passwords.kdbx",
    "prod.tfvars",
    "cert.p12",
    "cert.pfx",
    "id_rsa.pub",
    "id_ed25519_work",
    "credentials",
    "credentials.json",
    "Secrets.yaml",
    "secrets",
)
ALIKE = (
    "environment.py",
    "identity.py",
    "id_map.py",
    "id_rsa.py",
    "keyring.py",
    "keys.py",
    "credentials_test.py",
    "my_credential_store.py",
    "dotenv.py",
    "id_map.go",
    "id_rsa_test.go",
    "secrets.py",
    "credentials.ts",
)


@pytest.mark.parametrize("name", SECRET)
def test_secret_names(name: str) -> None:
    """In any folder, under any scheme."""
    assert looks_secret(f"file:///w/{name}")
    assert looks_secret(f"vscode-remote://host/w/deep/{name}")


@pytest.mark.parametrize("name", ALIKE)
def test_names_that_only_look_alike(name: str) -> None:
    """These are completed."""
    assert not looks_secret(f"file:///w/{name}")


def test_folders_and_escapes() -> None:
    """A folder of credentials; percent escapes; no path at all."""
    assert looks_secret("file:///home/me/credentials/store.py")
    assert looks_secret("file:///w/%2Eenv")
    assert looks_secret("file:///c%3A%5Cw%5C.env")
    assert not looks_secret("untitled:Untitled-1")
    assert not looks_secret("")
