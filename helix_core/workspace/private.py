"""The never-read list: names that hold secrets or git's own state, judged by the path alone.

Pure. One list for the watcher, ingest, search and exports alike. Source code whose name merely contains
``secret`` or ``credential`` is not on it.
"""

from __future__ import annotations

_FOLDERS = frozenset({b".git", b".hg", b".svn", b".jj", b".helix", b".ssh", b".gnupg", b".password-store"})
_NAMES = frozenset(
    b".netrc _netrc .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .git-credentials .htpasswd .htdigest .dockercfg .s3cfg "
    b".boto .terraformrc terraform.rc .vault-token .envrc .env kubeconfig credentials.json "
    b"application_default_credentials.json id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk "
    b"wallet.dat "
    b".bash_history .zsh_history .sh_history .python_history .psql_history .mysql_history .sqlite_history "
    b".node_repl_history .irb_history .rediscli_history .git".split()
)
_EXTENSIONS = frozenset(
    b"key ppk p12 pfx p8 jks keystore bks truststore kdbx kdb keychain keychain-db ovpn kubeconfig tfstate tfvars "
    b"agekey env".split()
)
_BELOW = (
    (b".aws", frozenset({b"credentials", b"config"})),
    (b".docker", frozenset({b"config.json"})),
    (b".kube", frozenset({b"config"})),
    (b".cargo", frozenset({b"credentials", b"credentials.toml"})),
    (b".gem", frozenset({b"credentials"})),
    (b".composer", frozenset({b"auth.json"})),
    (b".m2", frozenset({b"settings.xml", b"settings-security.xml"})),
    (b".gradle", frozenset({b"gradle.properties"})),
    (b".streamlit", frozenset({b"secrets.toml"})),
    (b"gh", frozenset({b"hosts.yml"})),
    (b"gcloud", frozenset({b"credentials.db", b"access_tokens.db", b"legacy_credentials"})),
    (b".azure", frozenset({b"accesstokens.json", b"msal_token_cache.json", b"azureprofile.json"})),
)
_PREFIXES = (b"client_secret", b"service-account", b"service_account")
_BELOW_NAMES = frozenset(name for _, names in _BELOW for name in names)
_PATTERNS_FOR = (b"example", b"sample", b"template", b"tmpl", b"dist", b"defaults")
_DOTTED_FOLDERS = tuple(b"/" + name + b"/" for name in sorted(_FOLDERS))


def is_private(path: bytes) -> bool:
    """Must the file at ``path`` never be opened?"""
    folded = path.lower()
    if b"." in folded and any(folder in b"/" + folded for folder in _DOTTED_FOLDERS):
        return True
    name = folded.rpartition(b"/")[2]
    if name in _NAMES:
        return True
    stem, dot, extension = name.rpartition(b".")
    if name.startswith(b".env."):
        return extension not in _PATTERNS_FOR
    if dot and extension in _EXTENSIONS:
        return stem.rpartition(b".")[2] not in _PATTERNS_FOR
    if dot and extension == b"backup" and stem.endswith(b".tfstate"):
        return True
    if extension == b"json" and name.startswith(_PREFIXES):
        return True
    return name in _BELOW_NAMES and _is_below(folded, name)


def _is_below(folded: bytes, name: bytes) -> bool:
    folder = folded.rpartition(b"/")[0].rpartition(b"/")[2]
    return any(folder == parent and name in names for parent, names in _BELOW)
