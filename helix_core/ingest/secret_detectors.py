"""detect-secrets as a second opinion on the few lines our own patterns point at.

Its patterns are Python ``re``, so a line is given to it only up to ``LONGEST_LINE`` bytes; its plugins are used
directly through ``analyze_string``, which keeps no state, reads no settings and never asks anybody over the network.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

LONGEST_LINE = 1000
_ISSUERS = (
    ("artifactory", "ArtifactoryDetector"),
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("cloudant", "CloudantDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("ibm_cloud_iam", "IbmCloudIamDetector"),
    ("ibm_cos_hmac", "IbmCosHmacDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("softlayer", "SoftlayerDetector"),
    ("square_oauth", "SquareOAuthDetector"),
)


@cache
def _issuer_plugins() -> tuple[tuple[str, Any], ...]:
    from importlib import import_module

    return tuple(
        (module.replace("_", "-"), getattr(import_module(f"detect_secrets.plugins.{module}"), name)())
        for module, name in _ISSUERS
    )


@cache
def _entropy_plugins() -> tuple[Any, Any]:
    from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString, HexHighEntropyString

    return HexHighEntropyString(), Base64HighEntropyString()


def issued(line: bytes) -> Iterator[tuple[str, bytes]]:
    """``(kind, secret)`` for each credential an issuer's plugin sees in ``line``."""
    text = line[:LONGEST_LINE].decode("latin-1")
    for kind, plugin in _issuer_plugins():
        for secret in plugin.analyze_string(text):
            if len(secret) >= 8:
                yield kind, secret.encode("latin-1")


def random_strings(line: bytes) -> Iterator[bytes]:
    """Quoted strings of ``line`` whose entropy is above the plugins' limits (4.5 bits base64, 3.0 bits hex)."""
    text = line[:LONGEST_LINE].decode("latin-1")
    for plugin in _entropy_plugins():
        for secret in plugin.analyze_string(text):
            if len(secret) >= 20 and plugin.calculate_shannon_entropy(secret) > plugin.entropy_limit:
                yield secret.encode("latin-1")
