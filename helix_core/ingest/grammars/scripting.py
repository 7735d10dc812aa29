"""Tables of the scripting languages: Python, Ruby, PHP, Lua, Bash."""

from __future__ import annotations

from helix_core.ingest.grammars.table import Grammar

_PYTHON = Grammar(
    module="tree_sitter_python",
    definitions="""
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(module (expression_statement (assignment left: (identifier) @name)) @constant)
(module (type_alias_statement left: (type (identifier) @name)) @type)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @field))
""",
    text="""
(comment) @comment
(expression_statement . (string) @docstring .)
(string_content) @string
(decorator) @lead
(import_statement) @import
(import_statement name: [(dotted_name) @module (aliased_import name: (dotted_name) @module)])
(import_from_statement) @import
(import_from_statement module_name: (_) @module)
(future_import_statement) @import
""",
)

_RUBY = Grammar(
    module="tree_sitter_ruby",
    definitions="""
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @constant
(call method: (identifier) @call arguments: (argument_list . (string (string_content) @name)) block: (_)) @suite
""",
    text="""
(comment) @comment
[(string_content) (heredoc_content) (simple_symbol)] @string
(call method: (identifier) @loader arguments: (argument_list . (string (string_content) @module))) @import
""",
)

_PHP = Grammar(
    module="tree_sitter_php",
    entry="language_php",
    definitions="""
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(namespace_definition name: (namespace_name) @name) @namespace
(const_declaration (const_element . (name) @name)) @constant
(property_declaration (property_element name: (variable_name (name) @name))) @field
(enum_case name: (name) @name) @field
""",
    text="""
(comment) @comment
[(string_content) (heredoc_body) (nowdoc_body) (text)] @string
(namespace_use_declaration) @import
(namespace_use_clause [(qualified_name) (name)] @module)
(require_expression (string (string_content) @module)) @import
(require_once_expression (string (string_content) @module)) @import
(include_expression (string (string_content) @module)) @import
(include_once_expression (string (string_content) @module)) @import
""",
)

_LUA = Grammar(
    module="tree_sitter_lua",
    definitions="""
(function_declaration name: (identifier) @name) @function
(function_declaration name: (dot_index_expression table: (_) @owner field: (identifier) @name)) @function
(function_declaration name: (method_index_expression table: (_) @owner method: (identifier) @name)) @method
(assignment_statement (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition))) @function
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name))
  (expression_list . value: (function_definition))) @function
(field name: (identifier) @name value: (function_definition)) @method
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name))) @constant)
(chunk (assignment_statement (variable_list . name: (identifier) @name)) @constant)
""",
    text="""
(comment) @comment
(string_content) @string
(function_call name: (identifier) @loader arguments: (arguments (string content: (string_content) @module))) @import
""",
)

_BASH = Grammar(
    module="tree_sitter_bash",
    definitions="""
(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @constant)
""",
    text="""
(comment) @comment
[(string_content) (raw_string) (heredoc_body)] @string
(command name: (command_name (word) @loader) . argument: (word) @module) @import
""",
)

GRAMMARS = {"python": _PYTHON, "ruby": _RUBY, "php": _PHP, "lua": _LUA, "bash": _BASH}
