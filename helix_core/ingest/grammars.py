"""Tree-sitter tables per language: the grammar's package, and up to three queries over its trees.

Data only; grammars are loaded on first use.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grammar:
    """``module`` and ``entry`` name the function of a grammar wheel that returns its language.

    ``definitions``: a ``@hoisted`` one belongs to the namespace around, whatever function it stands in, unless what it
    is named with is a local there.
    ``bases``: what a ``@class`` extends or implements is its ``@base``; the node of a class is that of its definition.
    ``scopes``: what has members, or locals of its own, and is no definition: a ``@part`` gives them its ``@name``,
    behind its ``@owner``; in an ``@anonymous`` one, unless it is also ``@held`` by a name, nothing has a sure chain.
    ``headings``: its definitions are headings, nested by level. ``deepest``: the maximum number of open block levels of
    its scanner (0: unlimited). ``unended``: a pattern whose group 1 is the blank before what the scanner takes for a
    continuation of the line above, which has ended.
    """

    module: str
    definitions: str = ""
    text: str = ""
    bases: str = ""
    scopes: str = ""
    entry: str = "language"
    headings: bool = False
    deepest: int = 0
    unended: str = ""

    @property
    def distribution(self) -> str:
        """Return the wheel's distribution name, for its version."""
        return self.module.replace("_", "-")


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

DATA = {"json": _JSON, "yaml": _YAML, "toml": _TOML, "sql": _SQL, "dockerfile": _DOCKERFILE}


_JAVA = Grammar(
    module="tree_sitter_java",
    bases="""
(class_declaration (superclass (_) @base)) @class
(class_declaration (super_interfaces (type_list (_) @base))) @class
(record_declaration (super_interfaces (type_list (_) @base))) @class
(enum_declaration (super_interfaces (type_list (_) @base))) @class
(interface_declaration (extends_interfaces (type_list (_) @base))) @class
""",
    definitions="""
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(compact_constructor_declaration name: (identifier) @name) @method
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_constant name: (identifier) @name) @field
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
""",
    scopes="""
(object_creation_expression (class_body) @anonymous)
(variable_declarator value: (object_creation_expression (class_body) @held))
(class_body (block) @anonymous)
(static_initializer) @anonymous
""",
    text="""
[(line_comment) (block_comment)] @comment
[(string_fragment) (multiline_string_fragment) (character_literal)] @string
(import_declaration) @import
(import_declaration [(scoped_identifier) (identifier)] @module)
""",
)

_C_SHARP = Grammar(
    module="tree_sitter_c_sharp",
    bases="""
(class_declaration (base_list (_) @base)) @class
(record_declaration (base_list (_) @base)) @class
(struct_declaration (base_list (_) @base)) @class
(interface_declaration (base_list (_) @base)) @class
""",
    definitions="""
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(destructor_declaration name: (identifier) @name) @method
(local_function_statement name: (identifier) @name) @function
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @field
(namespace_declaration name: (_) @name) @namespace
(property_declaration name: (identifier) @name) @field
(delegate_declaration name: (identifier) @name) @type
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @field
""",
    text="""
(comment) @comment
[(string_literal_content) (string_content) (verbatim_string_literal) (raw_string_content) (character_literal)] @string
(using_directive) @import
(using_directive [(identifier) (qualified_name)] @module)
""",
)

_KOTLIN = Grammar(
    module="tree_sitter_kotlin",
    bases="""
(class_declaration (delegation_specifiers (delegation_specifier (_) @base))) @class
(object_declaration (delegation_specifiers (delegation_specifier (_) @base))) @class
(companion_object (delegation_specifiers (delegation_specifier (_) @base))) @class
""",
    definitions="""
(function_declaration name: (identifier) @name) @function
(secondary_constructor "constructor" @name) @method
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @object
(companion_object name: (identifier) @name) @object
(companion_object !name "object" @name) @object
(property_declaration (variable_declaration (identifier) @name)) @constant
(enum_entry (identifier) @name) @field
(type_alias type: (identifier) @name) @type
""",
    scopes="""
(object_literal) @anonymous
(property_declaration (object_literal) @held)
(anonymous_initializer) @anonymous
""",
    text="""
[(line_comment) (block_comment)] @comment
[(string_content) (character_literal)] @string
(import) @import
(import (qualified_identifier) @module)
""",
)

_SCALA = Grammar(
    module="tree_sitter_scala",
    bases="""
(class_definition extend: (extends_clause (_) @base)) @class
(object_definition extend: (extends_clause (_) @base)) @class
(trait_definition extend: (extends_clause (_) @base)) @class
(enum_definition extend: (extends_clause (_) @base)) @class
""",
    definitions="""
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @declaration
(class_definition name: (_) @name) @class
(object_definition name: (_) @name) @object
(trait_definition name: (_) @name) @trait
(enum_definition name: (_) @name) @enum
(given_definition name: (_) @name) @object
(simple_enum_case name: (_) @name) @field
(full_enum_case name: (_) @name) @field
(val_definition pattern: (identifier) @name) @constant
(var_definition pattern: (identifier) @name) @constant
(type_definition name: (_) @name) @type
""",
    scopes="""
(instance_expression (template_body) @anonymous)
(val_definition value: (instance_expression (template_body) @held))
(var_definition value: (instance_expression (template_body) @held))
(given_definition name: (_) body: (instance_expression (template_body) @held))
(given_definition !name) @anonymous
""",
    text="""
[(comment) (block_comment)] @comment
[(string) (character_literal)] @string
(import_declaration) @import
(annotation) @lead
""",
)

MANAGED = {"java": _JAVA, "c_sharp": _C_SHARP, "kotlin": _KOTLIN, "scala": _SCALA}


_MARKDOWN = Grammar(
    module="tree_sitter_markdown",
    headings=True,
    definitions="""
(atx_heading heading_content: (_) @name) @section
(setext_heading heading_content: (_) @name) @section
""",
)

_RST = Grammar(
    module="tree_sitter_rst",
    headings=True,
    definitions="(section (title) @name) @section",
    text="(comment) @comment",
)

PROSE = {"markdown": _MARKDOWN, "rst": _RST}


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


_C_SHARED = """
(function_definition declarator: (_) @declarator) @function
(declaration declarator: (_) @declarator) @constant
(field_declaration declarator: (_) @declarator) @field
(type_definition declarator: (_) @declarator) @type
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(enumerator name: (identifier) @name) @field
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro
"""

_C_TEXT = """
(comment) @comment
[(string_content) (char_literal)] @string
(compound_statement) @block
(preproc_include) @import
(preproc_include path: (_) @module)
"""

# ``EXPORT(void name(int a)) {``: C's grammar takes it for a type of a macro, a missing semicolon and a block.
_C_WRAPPED = """
((macro_type_specifier
    (type_descriptor type: (type_identifier) @name declarator: (abstract_function_declarator))) @function
  . ";" . (compound_statement) @body)
"""

_C = Grammar(module="tree_sitter_c", definitions=_C_SHARED + _C_WRAPPED, text=_C_TEXT)

_CPP = Grammar(
    module="tree_sitter_cpp",
    bases="""
(class_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)) @class
(struct_specifier (base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)) @class
""",
    definitions=_C_SHARED
    + """
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @namespace
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
""",
    text=_C_TEXT
    + """
(raw_string_content) @string
(template_declaration "template" @lead parameters: (template_parameter_list) @lead)
""",
)

_GO = Grammar(
    module="tree_sitter_go",
    definitions="""
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (field_identifier) @name) @method
(type_declaration . (type_spec name: (type_identifier) @name type: (struct_type)) .) @struct
(type_declaration . (type_spec name: (type_identifier) @name type: (interface_type)) .) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
((source_file (const_declaration (const_spec (identifier) @name) @constant)) (#not-eq? @name "_"))
((source_file (var_declaration (var_spec name: (identifier) @name) @constant)) (#not-eq? @name "_"))
((source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @constant))) (#not-eq? @name "_"))
(field_declaration name: (field_identifier) @name) @field
(method_elem name: (field_identifier) @name) @declaration
""",
    text="""
(comment) @comment
[(interpreted_string_literal_content) (raw_string_literal_content) (rune_literal)] @string
(import_declaration) @import
(import_spec path: (_) @module)
""",
)

_RUST_TYPE = """[(type_identifier) @name (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  [(array_type) (tuple_type) (unit_type) (dynamic_type) (bounded_type) (function_type) (pointer_type)
   (primitive_type) (never_type)] @name]"""

_RUST = Grammar(
    module="tree_sitter_rust",
    bases="""
(impl_item trait: (_) @base) @class
""",
    definitions=f"""
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @declaration
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @field
(trait_item name: (type_identifier) @name) @trait
(impl_item type: {_RUST_TYPE}) @impl
(impl_item type: (reference_type type: {_RUST_TYPE})) @impl
(mod_item name: (identifier) @name body: (_)) @module
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
((const_item name: (identifier) @name) @constant (#not-eq? @name "_"))
(static_item name: (identifier) @name) @constant
(macro_definition name: (identifier) @name) @macro
(field_declaration name: (field_identifier) @name) @field
""",
    text="""
[(line_comment) (block_comment)] @comment
[(string_content) (char_literal)] @string
(attribute_item) @lead
(use_declaration) @import
(use_declaration argument: (_) @module)
(extern_crate_declaration name: (identifier) @module) @import
(mod_item name: (identifier) @module !body)
""",
)

_SWIFT = Grammar(
    module="tree_sitter_swift",
    bases="""
(class_declaration (inheritance_specifier inherits_from: (_) @base)) @class
(protocol_declaration (inheritance_specifier inherits_from: (_) @base)) @class
""",
    definitions="""
(function_declaration) @function
(init_declaration name: _ @name) @method
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(class_declaration declaration_kind: _ @word name: (_) @name) @class
(protocol_declaration name: (_) @name) @interface
(protocol_function_declaration "func" . name: (_) @name) @declaration
(property_declaration name: (pattern (simple_identifier) @name)) @constant
(enum_entry name: (simple_identifier) @name) @field
(typealias_declaration . name: (type_identifier) @name) @type
""",
    text="""
[(comment) (multiline_comment)] @comment
[(line_str_text) (multi_line_str_text) (raw_str_part)] @string
(import_declaration) @import
(import_declaration (identifier) @module)
""",
)

SYSTEMS = {"c": _C, "cpp": _CPP, "go": _GO, "rust": _RUST, "swift": _SWIFT}


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


GRAMMARS: dict[str, Grammar] = {
    **SCRIPTING,
    **WEB,
    **SYSTEMS,
    **MANAGED,
    **DATA,
    **PROSE,
}

__all__ = ["GRAMMARS", "Grammar"]
