//! `tensorfleet ops`: what is registered.

use clap::Args;
use graph::op::{ArgDef, ArgType, AttrDef, OpSpec};
use tensor::{Result, err};

use crate::output;

#[derive(Args)]
pub struct Ops {
    /// Describe this op instead of listing all.
    name: Option<String>,
    /// Print the page `docs/ops.md`: what is there of TensorFlow 2.21's ops, and what is not.
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
}

impl Ops {
    pub fn run(self) -> Result<()> {
        let registry = ops::registry();
        if self.markdown {
            output::text(crate::ops_page::page()?);
            return Ok(());
        }
        match self.name {
            None => {
                for spec in registry.iter() {
                    output::line(summary(spec));
                }
            }
            Some(name) => {
                let spec = registry.get(&name).ok_or_else(|| {
                    let wanted = name.to_lowercase();
                    let near: Vec<&str> = registry
                        .iter()
                        .map(|spec| spec.def.name.as_str())
                        .filter(|known| known.to_lowercase().contains(&wanted))
                        .take(5)
                        .collect();
                    let hint =
                        if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) };
                    err!(NotFound, "there is no op '{name}'{hint}")
                })?;
                output::text(description(spec));
            }
        }
        Ok(())
    }
}

fn summary(spec: &OpSpec) -> String {
    let list = |args: &[ArgDef]| args.iter().map(argument).collect::<Vec<_>>().join(", ");
    let kernels: Vec<String> = spec.kernels.iter().map(|kernel| kernel.to_string()).collect();
    format!("{}({}) -> ({})  [{}]", spec.def.name, list(&spec.def.inputs), list(&spec.def.outputs), kernels.join("; "))
}

fn argument(arg: &ArgDef) -> String {
    let ty = match &arg.ty {
        ArgType::Fixed(dtype) => dtype.name().to_owned(),
        ArgType::Attr(name) => name.clone(),
    };
    let ty = if arg.is_ref { format!("Ref({ty})") } else { ty };
    match &arg.number_attr {
        Some(number) => format!("{}: {number} * {ty}", arg.name),
        None => format!("{}: {ty}", arg.name),
    }
}

fn attribute(attr: &AttrDef) -> String {
    let mut text = format!("{}: {}", attr.name, attr.kind.name());
    if !attr.allowed_types.is_empty() {
        let names: Vec<&str> = attr.allowed_types.iter().map(|dtype| dtype.name()).collect();
        text += &format!(" in {{{}}}", names.join(", "));
    }
    if !attr.allowed_strings.is_empty() {
        text += &format!(" in {:?}", attr.allowed_strings);
    }
    if let Some(minimum) = attr.minimum {
        text += &format!(" >= {minimum}");
    }
    if let Some(default) = &attr.default {
        text += &format!(" = {default}");
    }
    text
}

fn description(spec: &OpSpec) -> String {
    let mut text = format!("{}{}\n", spec.def.name, if spec.def.stateful { " (stateful)" } else { "" });
    for (title, args) in [("inputs", &spec.def.inputs), ("outputs", &spec.def.outputs)] {
        text += &format!("  {title}:\n");
        for arg in args {
            text += &format!("    {}\n", argument(arg));
        }
    }
    text += "  attributes:\n";
    for attr in &spec.def.attrs {
        text += &format!("    {}\n", attribute(attr));
    }
    text += "  kernels (CPU):\n";
    for kernel in &spec.kernels {
        text += &format!("    {kernel}\n");
    }
    let gradient = match spec.gradient {
        graph::op::GradientRule::Function(_) => "yes",
        graph::op::GradientRule::Zero => "none: gradients end here",
        graph::op::GradientRule::Missing => "not defined",
    };
    text + &format!("  gradient: {gradient}\n")
}
