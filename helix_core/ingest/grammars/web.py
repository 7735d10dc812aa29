"""Tables of the web's languages: JavaScript, TypeScript, TSX, HTML, CSS."""

from __future__ import annotations

from helix_core.ingest.grammars.table import Grammar

_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"

_SCRIPT = f"""
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(lexical_declaration (variable_declarator name: (identifier) @name value: {_FUNCTION})) @function
(variable_declaration (variable_declarator name: (identifier) @name value: {_FUNCTION})) @function
(assignment_expression left: (identifier) @name right: {_FUNCTION}) @function
(assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: {_FUNCTION}) @function
(pair key: (property_identifier) @name value: {_FUNCTION}) @method
(assignment_expression left: (member_expression property: (property_identifier) @name) right: (object)) @constant
(lexical_declaration (variable_declarator name: (identifier) @name)) @constant
(variable_declaration (variable_declarator name: (identifier) @name)) @constant
(call_expression function: [(identifier) (member_expression)] @call
  arguments: (arguments . [(string (string_fragment) @name) (template_string (string_fragment) @name)])) @suite
"""

_SCRIPT_TEXT = """
(comment) @comment
[(string_fragment) (regex_pattern)] @string
(decorator) @lead
(import_statement) @import
(import_statement source: (string (string_fragment) @module))
(export_statement source: (string (string_fragment) @module))
(call_expression function: [(identifier) (import)] @loader
  arguments: (arguments . (string (string_fragment) @module))) @import
"""

_JAVASCRIPT = Grammar(
    module="tree_sitter_javascript",
    definitions=_SCRIPT + "(field_definition property: (_) @name) @field",
    text=_SCRIPT_TEXT + "(jsx_text) @string",
)

_TYPED = """
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @namespace
(function_signature name: (_) @name) @declaration
(method_signature name: (_) @name) @declaration
(abstract_method_signature name: (_) @name) @declaration
(property_signature name: (_) @name) @field
(public_field_definition name: (_) @name) @field
"""

_TYPESCRIPT = Grammar(
    module="tree_sitter_typescript",
    entry="language_typescript",
    definitions=_SCRIPT + _TYPED,
    text=_SCRIPT_TEXT,
)

_TSX = Grammar(
    module="tree_sitter_typescript",
    entry="language_tsx",
    definitions=_SCRIPT + _TYPED,
    text=_SCRIPT_TEXT + "(jsx_text) @string",
)

_HTML = Grammar(
    module="tree_sitter_html",
    text="(comment) @comment [(text) (attribute_value)] @string",
)

_CSS = Grammar(
    module="tree_sitter_css",
    definitions="""
(rule_set (selectors) @name) @rule
(keyframes_statement (keyframes_name) @name) @rule
(stylesheet (declaration (property_name) @name) @constant)
""",
    text="""
(comment) @comment
(string_value) @string
(import_statement) @import
(import_statement (string_value (string_content) @module))
""",
)

GRAMMARS = {"javascript": _JAVASCRIPT, "typescript": _TYPESCRIPT, "tsx": _TSX, "html": _HTML, "css": _CSS}
