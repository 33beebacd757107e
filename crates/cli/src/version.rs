//! `tensorfleet --version`: ours, and with `--verbose` those of everything that is spoken, read and written.

use graph::Versions;
use math::isa::Isa;

/// What is printed.
pub fn text(verbose: bool) -> String {
    let version = env!("CARGO_PKG_VERSION");
    if !verbose {
        return format!("tensorfleet {version}\n");
    }
    let (link, features) = cluster::link_terms();
    let graph = Versions::default();
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    let debug = if cfg!(debug_assertions) { ", not optimised" } else { "" };
    format!(
        "tensorfleet {version}\n\
         links between tasks: version {link}, features: {features}\n\
         gRPC: TensorFlow's services tensorflow.MasterService and tensorflow.WorkerService\n\
         graphs: written as GraphDef version {}, for readers from version {} on, with the ops of TensorFlow 2.21\n\
         checkpoints: written in TensorFlow's second format, read in both\n\
         instructions: {} (TENSORFLEET_MAX_ISA limits them)\n\
         built for {}-{}{debug}\n",
        graph.producer,
        graph.min_consumer,
        Isa::best().name(),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}
