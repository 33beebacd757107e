//! The source of the generated functions: a file of table entries for each group of ops.

use std::collections::BTreeSet;

use graph::op::{ArgDef, ArgType, AttrDef, AttrKind, OpDef};

/// Returns the generated files by name.
pub fn files() -> Vec<(String, String)> {
    let mut functions = BTreeSet::new();
    let mut files = Vec::new();
    let (mut modules, mut functions_of, mut builders_of) = (String::new(), String::new(), String::new());
    for (group, registry) in ops::groups() {
        let defs: Vec<&OpDef> = registry.iter().map(|spec| &spec.def).filter(|def| is_public(def)).collect();
        if defs.is_empty() {
            continue;
        }
        for def in &defs {
            assert!(functions.insert(function_name(&def.name)), "two ops have the function of {}", def.name);
        }
        let entries: String = defs.iter().map(|def| entry(def)).collect();
        let head =
            format!("//! The ops of the group `{group}`. Written by `cargo xtask generate`; not to be edited.\n\n");
        files.push((format!("{group}.rs"), format!("{head}ops! {{\n{}\n}}\n", entries.trim_end())));
        modules += &format!("mod {group};\n");
        functions_of += &format!("pub use {group}::*;\n");
        builders_of += &format!("    pub use super::{group}::builders::*;\n");
    }
    let list = format!(
        "//! The functions of all ops. Written by `cargo xtask generate`; not to be edited.\n\n{modules}\n{functions_of}\n\
         /// What the functions return: nodes in the making, and outputs by name.\npub mod builders {{\n{builders_of}}}\n"
    );
    files.push(("mod.rs".to_owned(), list));
    files
}

/// Whether programs may build nodes of the op; those of internal ops are made by the runtime.
pub fn is_public(def: &OpDef) -> bool {
    !def.name.starts_with('_')
}

/// Returns the name of the function of an op.
pub fn function_name(op: &str) -> String {
    let name = snake_case(op);
    if KEYWORDS.contains(&name.as_str()) { name + "_" } else { name }
}

/// Rust's keywords that ops, inputs or attributes may be named.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Methods that every builder has.
const METHODS: &[&str] = &["name", "device", "control_inputs", "colocate_with", "build", "output", "outputs"];

/// Returns `MatMul` as `mat_mul`, `Conv2DBackpropInput` as `conv2d_backprop_input` and `TopKV2` as `top_k_v2`.
fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let version =
            *letter == 'V' && index + 1 < letters.len() && letters[index + 1..].iter().all(char::is_ascii_digit);
        let after_lower = index > 0 && letters[index - 1].is_ascii_lowercase();
        let before_lower = letters.get(index + 1).is_some_and(char::is_ascii_lowercase);
        if letter.is_ascii_uppercase() && index > 0 && !snake.ends_with('_') && (version || after_lower || before_lower)
        {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// An argument of a function, or a method of a builder.
struct Parameter {
    name: String,
    kind: &'static str,
    of: String,
}

fn entry(def: &OpDef) -> String {
    let mut taken = BTreeSet::new();
    let mut fresh = |name: &str| {
        let mut name = snake_case(name);
        while KEYWORDS.contains(&name.as_str()) || METHODS.contains(&name.as_str()) || !taken.insert(name.clone()) {
            name.push('_');
        }
        name
    };
    let source = def.inputs.iter().position(|input| !input.is_list(def));
    let mut arguments = Vec::new();
    if source.is_none() {
        arguments.push(Parameter { name: fresh("graph"), kind: "graph", of: String::new() });
    }
    for input in &def.inputs {
        arguments.push(Parameter { name: fresh(&input.name), kind: arity(input, def), of: input.name.clone() });
    }
    let graph_from = arguments[source.unwrap_or(0)].name.clone();
    let asked = def.attrs.iter().filter(|attr| attr.default.is_none() && !follows(attr, def));
    for attr in asked {
        arguments.push(Parameter { name: fresh(&attr.name), kind: kind(attr.kind), of: attr.name.clone() });
    }
    let optional = |attr: &&AttrDef| match follows(attr, def) {
        true => may_be_left_open(attr, def),
        false => attr.default.is_some(),
    };
    let arguments: Vec<String> = arguments.iter().map(|p| format!("{}: {} {:?}", p.name, p.kind, p.of)).collect();
    let mut text = documentation(def);
    text += &format!(
        "    {} {} {graph_from} ({}) -> {} {{",
        function_name(&def.name),
        def.name,
        arguments.join(", "),
        outputs(def)
    );
    let mut methods = String::new();
    for attr in def.attrs.iter().filter(optional) {
        let doc = match follows(attr, def) {
            true => format!("Sets `{}`, which follows from the inputs unless there are none.", attr.name),
            false => format!("Sets `{attr}`."),
        };
        methods += &comment("        ", &doc);
        methods += &format!("        {}: {} {:?};\n", fresh(&attr.name), kind(attr.kind), attr.name);
    }
    if methods.is_empty() { text + "}\n\n" } else { text + "\n" + &methods + "    }\n\n" }
}

fn documentation(def: &OpDef) -> String {
    let mut lines =
        vec![format!("Begins a node of `{}`{}.", def.name, if def.stateful { ", which has state" } else { "" })];
    lines.extend([String::new(), "```text".to_owned(), def.signature()]);
    lines.extend(def.attrs.iter().map(|attr| format!("  {attr}")));
    lines.push("```".to_owned());
    lines.iter().map(|line| comment("    ", line)).collect()
}

/// Returns a line as a comment, broken where it is too long.
fn comment(indent: &str, line: &str) -> String {
    const WIDTH: usize = 110;
    let mut text = String::new();
    let mut row = String::new();
    for word in line.split(' ') {
        if row.trim().len() + word.len() > WIDTH && !row.trim().is_empty() {
            text += &format!("{indent}/// {}\n", row.trim_end());
            row = "    ".to_owned();
        }
        row += word;
        row.push(' ');
    }
    let row = row.trim_end();
    text + &if row.is_empty() { format!("{indent}///\n") } else { format!("{indent}/// {row}\n") }
}

fn outputs(def: &OpDef) -> String {
    match &def.outputs[..] {
        [] => "none".to_owned(),
        [only] => arity(only, def).to_owned(),
        several => {
            let field = |output: &ArgDef| {
                let name = snake_case(&output.name);
                let name = if KEYWORDS.contains(&name.as_str()) { name + "_" } else { name };
                format!("{name}: {}", arity(output, def))
            };
            let fields: Vec<String> = several.iter().map(field).collect();
            format!("({}Outputs {})", def.name, fields.join(", "))
        }
    }
}

fn arity(arg: &ArgDef, def: &OpDef) -> &'static str {
    if arg.is_list(def) { "list" } else { "one" }
}

/// Whether an attribute's value follows from the inputs.
fn follows(attr: &AttrDef, def: &OpDef) -> bool {
    def.inputs.iter().any(|input| is_type_of(attr, input) || input.number_attr.as_ref() == Some(&attr.name))
}

/// Whether an attribute's value follows from the inputs only if there are any: the type of lists that may be empty.
fn may_be_left_open(attr: &AttrDef, def: &OpDef) -> bool {
    let may_be_empty = |input: &ArgDef| {
        let number = input.number_attr.as_ref().and_then(|number| def.attr(number));
        number.is_some_and(|number| number.minimum.unwrap_or(0) < 1)
    };
    attr.kind == AttrKind::Type && def.inputs.iter().filter(|input| is_type_of(attr, input)).all(may_be_empty)
}

fn is_type_of(attr: &AttrDef, input: &ArgDef) -> bool {
    input.ty == ArgType::Attr(attr.name.clone())
}

/// Returns the word that the table's macro has for a kind of attribute.
fn kind(kind: AttrKind) -> &'static str {
    match kind {
        AttrKind::String => "string",
        AttrKind::Int => "int",
        AttrKind::Float => "float",
        AttrKind::Bool => "bool",
        AttrKind::Type => "dtype",
        AttrKind::Shape => "shape",
        AttrKind::Tensor => "tensor",
        AttrKind::Function => "function",
        AttrKind::Strings => "strings",
        AttrKind::Ints => "ints",
        AttrKind::Floats => "floats",
        AttrKind::Bools => "bools",
        AttrKind::Types => "dtypes",
        AttrKind::Shapes => "shapes",
        AttrKind::Tensors => "tensors",
        AttrKind::Functions => "functions",
    }
}
