"""The grammars of languages that are interpreted, and of pages: Python, Ruby, PHP, Lua, shells, JavaScript, TypeScript,
HTML and CSS. Data only.
"""

from __future__ import annotations

from helix_core.ingest.grammar import Grammar

_PYTHON = Grammar(
    module="tree_sitter_python",
    definitions="""
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(module (expression_statement (assignment left: (identifier) @name)) @constant)
((module (expression_statement (assignment left: [
    (pattern_list (identifier) @name) (tuple_pattern (identifier) @name)])) @constant) (#not-eq? @name "_"))
(module (if_statement condition: [(named_expression name: (identifier) @name) @constant
    (parenthesized_expression (named_expression name: (identifier) @name) @constant)]))
(module (type_alias_statement left: (type (identifier) @name)) @type)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @field))
(class_definition body: (block (expression_statement (assignment left: [
    (pattern_list (identifier) @name) (tuple_pattern (identifier) @name)])) @field))
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
    bases="""
(class superclass: (superclass [(constant) (scope_resolution)] @base)) @class
(class body: (body_statement
  (call method: (identifier) @call arguments: (argument_list [(constant) (scope_resolution)] @base)))
  (#eq? @call "include")) @class
""",
    definitions="""
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @constant
(call method: (identifier) @call arguments: (argument_list . (string) @name) block: (_)) @suite
""",
    text="""
(comment) @comment
[(string_content) (heredoc_content) (simple_symbol)] @string
(call method: (identifier) @loader arguments: (argument_list . (string (string_content) @module))) @import
""",
)

_PHP = Grammar(
    module="tree_sitter_php",
    bases="""
(class_declaration (base_clause (_) @base)) @class
(class_declaration (class_interface_clause (_) @base)) @class
(class_declaration body: (declaration_list (use_declaration [(name) (qualified_name)] @base))) @class
(interface_declaration (base_clause (_) @base)) @class
(enum_declaration (class_interface_clause (_) @base)) @class
""",
    entry="language_php",
    definitions="""
(function_definition name: (name) @name) @function @hoisted
(method_declaration name: (name) @name) @method
(class_declaration name: (name) @name) @class @hoisted
(interface_declaration name: (name) @name) @interface @hoisted
(trait_declaration name: (name) @name) @trait @hoisted
(enum_declaration name: (name) @name) @enum @hoisted
(namespace_definition name: (namespace_name) @name) @namespace
(const_declaration (const_element . (name) @name)) @constant
(property_declaration (property_element name: (variable_name (name) @name))) @field
(enum_case name: (name) @name) @field
""",
    scopes="(anonymous_class) @anonymous",
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
(function_declaration name: (identifier) @name) @function @hoisted
(function_declaration name: (dot_index_expression table: (_) @owner field: (identifier) @name)) @function @hoisted
(function_declaration name: (method_index_expression table: (_) @owner method: (identifier) @name)) @method @hoisted
(assignment_statement (variable_list name: (identifier) @name)
  (expression_list value: (function_definition))) @function @hoisted
(assignment_statement (variable_list name: (dot_index_expression table: (_) @owner field: (identifier) @name))
  (expression_list value: (function_definition))) @function @hoisted
(field name: (identifier) @name value: (function_definition)) @method
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @constant)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @constant)
""",
    scopes="""
(field name: (_) @name value: (table_constructor)) @part
(assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (table_constructor) @part))
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name))
  (expression_list . value: (table_constructor) @part))
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
(function_definition name: (word) @name) @function @hoisted
(program (variable_assignment name: (variable_name) @name) @constant)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @constant)
""",
    text="""
(comment) @comment
[(string_content) (raw_string) (heredoc_body)] @string
(command name: (command_name (word) @loader) . argument: (word) @module) @import
""",
)

SCRIPTING = {"python": _PYTHON, "ruby": _RUBY, "php": _PHP, "lua": _LUA, "bash": _BASH}


_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"

# A call such as ``defineGetter(req, 'ip', function () {…})`` or ``Object.defineProperty(app, 'router', {…})``.
_DEFINED = """(call_expression function: [(identifier) (member_expression)] @callee
  arguments: (arguments . [(identifier) (member_expression) (this)] @owner
    . (string (string_fragment) @name) . {} .)
  (#match? @callee "(^|[.])(__)?define[A-Za-z]*(__)?$") (#not-eq? @name "__esModule")) @{}
"""

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
(assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: (object)) @constant
(lexical_declaration (variable_declarator name: (identifier) @name)) @constant
(variable_declaration (variable_declarator name: (identifier) @name)) @constant
(call_expression function: [(identifier) (member_expression) (call_expression)] @call
  arguments: (arguments . [(string) (template_string)] @name)) @suite
{_DEFINED.format(_FUNCTION, "method")}
{_DEFINED.format("(object)", "field")}
{_DEFINED.format(f"(object (pair value: {_FUNCTION}))", "method")}
{_DEFINED.format("(object (method_definition))", "method")}
"""

# The functions around a whole module: called at once, or handed to AMD's ``define``. Their values are the module's.
_SCRIPT_TEXT = f"""
{_FUNCTION} @closure
(call_expression function: {_FUNCTION} @wrapper)
(call_expression function: (parenthesized_expression {_FUNCTION} @wrapper))
(call_expression function: (parenthesized_expression (function_expression))
  arguments: (arguments (function_expression) @wrapper))
((call_expression function: (identifier) @callee arguments: (arguments {_FUNCTION} @wrapper)) (#eq? @callee "define"))
(comment) @comment
[(string_fragment) (regex_pattern)] @string
(decorator) @lead
(import_statement) @import
(import_statement source: (string (string_fragment) @module))
(export_statement source: (string (string_fragment) @module))
(call_expression function: [(identifier) (import)] @loader
  arguments: (arguments . (string (string_fragment) @module))) @import
"""

# An object or a class that a name holds, and a class that none does; {} is a list of what may stand around a value.
_SCRIPT_SCOPES = """
(class) @anonymous
(decorator) @anonymous
(class_static_block) @anonymous
(class_heritage) @anonymous
(class name: (_) @name) @part
(pair key: (_) @name value: {0}) @part
(variable_declarator name: (identifier) @name value: {0}) @part
(assignment_expression left: (identifier) @name right: {0}) @part
(assignment_expression left: (member_expression object: (_) @owner property: (_) @name) right: {0}) @part
({1} value: {0})
"""
_LITERAL = "[(object) @held (class) @held (parenthesized_expression [(object) (class)] @held)]"
_TYPED_LITERAL = """[(object) @held (class) @held (parenthesized_expression [(object) (class)] @held)
  (as_expression . [(object) @held (class) @held (as_expression . [(object) (class)] @held)])
  (satisfies_expression . [(object) (class)] @held)]"""

_JAVASCRIPT = Grammar(
    module="tree_sitter_javascript",
    definitions=_SCRIPT + "(field_definition property: (_) @name) @field",
    scopes=_SCRIPT_SCOPES.format(_LITERAL, "field_definition"),
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

_TYPED_SCOPES = f"""
{_SCRIPT_SCOPES.format(_TYPED_LITERAL, "public_field_definition")}
(type_parameters) @anonymous
(extends_type_clause) @anonymous
"""

# A call signature behind a member without a semicolon: its type parameters are read as arguments of the type before.
_UNENDED = r"(?m)^[ \t]*([ \t])<(?:[ \t\r]*$|(?:const +)?[A-Z]\w*(?: +extends\b| *[,>=]))"

_TYPESCRIPT = Grammar(
    module="tree_sitter_typescript",
    entry="language_typescript",
    definitions=_SCRIPT + _TYPED,
    scopes=_TYPED_SCOPES,
    text=_SCRIPT_TEXT,
    unended=_UNENDED,
)

_TSX = Grammar(
    module="tree_sitter_typescript",
    entry="language_tsx",
    definitions=_SCRIPT + _TYPED,
    scopes=_TYPED_SCOPES,
    text=_SCRIPT_TEXT + "(jsx_text) @string",
    unended=_UNENDED,
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

WEB = {"javascript": _JAVASCRIPT, "typescript": _TYPESCRIPT, "tsx": _TSX, "html": _HTML, "css": _CSS}
