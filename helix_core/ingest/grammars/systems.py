"""Tables of the systems languages: C, C++, Go, Rust, Swift."""

from __future__ import annotations

from helix_core.ingest.grammars.table import Grammar

_C_SHARED = """
(function_definition declarator: (_) @declarator) @function
(declaration declarator: (_) @declarator) @constant
(field_declaration declarator: (_) @declarator) @field
(type_definition declarator: (_) @declarator) @type
(struct_specifier name: (type_identifier) @name body: (_)) @struct
(union_specifier name: (type_identifier) @name body: (_)) @struct
(enum_specifier name: (type_identifier) @name body: (_)) @enum
(enumerator name: (identifier) @name) @field
(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro
"""

_C_TEXT = """
(comment) @comment
[(string_content) (char_literal)] @string
(preproc_include) @import
(preproc_include path: (_) @module)
"""

_C = Grammar(module="tree_sitter_c", definitions=_C_SHARED, text=_C_TEXT)

_CPP = Grammar(
    module="tree_sitter_cpp",
    definitions=_C_SHARED
    + """
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @namespace
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
""",
    text=_C_TEXT + "(raw_string_content) @string (template_parameter_list) @lead",
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
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @constant)))
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

_RUST = Grammar(
    module="tree_sitter_rust",
    definitions="""
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @declaration
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @field
(trait_item name: (type_identifier) @name) @trait
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name)
  (reference_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))]) @impl
(mod_item name: (identifier) @name body: (_)) @module
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @constant
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
    definitions="""
(function_declaration) @function
(init_declaration name: _ @name) @method
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(class_declaration declaration_kind: _ @word name: (_) @name) @class
(protocol_declaration name: (_) @name) @interface
(protocol_function_declaration name: (_) @name) @declaration
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

GRAMMARS = {"c": _C, "cpp": _CPP, "go": _GO, "rust": _RUST, "swift": _SWIFT}
