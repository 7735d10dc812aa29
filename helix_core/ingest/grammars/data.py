"""Tables of data and configuration languages: JSON, YAML, TOML, SQL, Dockerfile."""

from __future__ import annotations

from helix_core.ingest.grammars.table import Grammar

_JSON = Grammar(
    module="tree_sitter_json",
    definitions="(document (object (pair key: (string (string_content) @name)) @key))",
    text="(comment) @comment (string_content) @string",
)

_YAML = Grammar(
    module="tree_sitter_yaml",
    definitions="(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @key)))",
    text="(comment) @comment [(double_quote_scalar) (single_quote_scalar) (block_scalar)] @string",
    deepest=240,
)

_TOML = Grammar(
    module="tree_sitter_toml",
    definitions="""
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @table
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @table
(pair . [(bare_key) (dotted_key) (quoted_key)] @name) @key
""",
    text="(comment) @comment (string) @string",
)

_SQL = Grammar(
    module="tree_sitter_sql",
    definitions="""
(create_table) @table
(create_view) @view
(create_materialized_view) @view
(create_function) @function
(create_index) @index
(create_trigger) @trigger
(create_type) @type
(create_schema) @schema
(create_sequence) @sequence
(column_definition) @field
""",
    text="[(comment) (marginalia)] @comment",
)

_DOCKERFILE = Grammar(
    module="tree_sitter_dockerfile",
    definitions="""
(from_instruction as: (image_alias) @name) @stage
(arg_instruction name: (_) @name) @key
(env_instruction (env_pair name: (_) @name)) @key
""",
    text="(comment) @comment [(double_quoted_string) (single_quoted_string)] @string",
)

GRAMMARS = {"json": _JSON, "yaml": _YAML, "toml": _TOML, "sql": _SQL, "dockerfile": _DOCKERFILE}
