"""Ask a running Helix server from Python, over HTTP: a client with a method for each operation, and its typed answers.

In: arguments under the names of the table of operations. Out: the server's JSON as typed dictionaries, or ``SdkError``.
``client.py`` is generated from the OpenAPI document by ``docs/sdk.py``. Must never start a server, open an index, ask a
request a second time, or send a key to a server that did not prove that it knows it, unless it was named by the caller.
Needs no extra of the package.
"""

from helix_ls.sdk.client import HelixClient
from helix_ls.sdk.sending import SdkError

__all__ = ["HelixClient", "SdkError"]
