"""The editor's own tools are MCP's: the same names, descriptions and arguments, from one source of words."""

import json
from pathlib import Path

from helix_ls.mcp.tools import DEFAULT_TOOLS

MANIFEST = Path(__file__).parents[2] / "vscode-extension" / "package.json"


def test_the_manifest_of_the_extension_says_what_mcp_says():
    tools = json.loads(MANIFEST.read_text("utf-8"))["contributes"]["languageModelTools"]
    said = [(one["name"], one["displayName"], one["modelDescription"], one["inputSchema"]) for one in tools]
    assert said == [(one.name, one.title, one.description, one.input_schema()) for one in DEFAULT_TOOLS]
