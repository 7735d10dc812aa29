"""Tables of the languages of managed runtimes: Java, C#, Kotlin, Scala."""

from __future__ import annotations

from helix_core.ingest.grammars.table import Grammar

_JAVA = Grammar(
    module="tree_sitter_java",
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
    text="""
[(line_comment) (block_comment)] @comment
[(string_fragment) (multiline_string_fragment) (character_literal)] @string
(import_declaration) @import
(import_declaration [(scoped_identifier) (identifier)] @module)
""",
)

_C_SHARP = Grammar(
    module="tree_sitter_c_sharp",
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
    definitions="""
(function_declaration name: (identifier) @name) @function
(secondary_constructor "constructor" @name) @method
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @object
(companion_object "object" @name) @object
(property_declaration (variable_declaration (identifier) @name)) @constant
(enum_entry (identifier) @name) @field
(type_alias type: (identifier) @name) @type
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
    text="""
[(comment) (block_comment)] @comment
[(string) (character_literal)] @string
(import_declaration) @import
(annotation) @lead
""",
)

GRAMMARS = {"java": _JAVA, "c_sharp": _C_SHARP, "kotlin": _KOTLIN, "scala": _SCALA}
