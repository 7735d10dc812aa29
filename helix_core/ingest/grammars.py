"""The grammar of each language by its name; here are those of languages that are compiled, of data and of prose.

Data only; grammars are loaded on first use.
"""

from __future__ import annotations

from helix_core.ingest.grammar import Grammar
from helix_core.ingest.script_grammars import SCRIPTING, WEB

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
(html_block) @name @section
""",
)

_RST = Grammar(
    module="tree_sitter_rst",
    headings=True,
    definitions="(section (title) @name) @section",
    text="(comment) @comment",
)

PROSE = {"markdown": _MARKDOWN, "rst": _RST}


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


GRAMMARS: dict[str, Grammar] = {
    **SCRIPTING,
    **WEB,
    **SYSTEMS,
    **MANAGED,
    **DATA,
    **PROSE,
}
