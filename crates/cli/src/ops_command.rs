//! `tensorfleet ops`: what is registered.

use clap::Args;
use graph::op::OpSpec;
use tensor::Result;

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
                let spec = registry.find(&name)?;
                output::text(description(spec));
            }
        }
        Ok(())
    }
}

fn summary(spec: &OpSpec) -> String {
    let kernels: Vec<String> = spec.kernels.iter().map(|kernel| kernel.to_string()).collect();
    format!("{}  [{}]", spec.def.signature(), kernels.join("; "))
}

fn description(spec: &OpSpec) -> String {
    let mut text = format!("{}{}\n", spec.def.name, if spec.def.stateful { " (stateful)" } else { "" });
    for (title, args) in [("inputs", &spec.def.inputs), ("outputs", &spec.def.outputs)] {
        text += &format!("  {title}:\n");
        for arg in args {
            text += &format!("    {arg}\n");
        }
    }
    text += "  attributes:\n";
    for attr in &spec.def.attrs {
        text += &format!("    {attr}\n");
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
