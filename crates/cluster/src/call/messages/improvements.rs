//! How a session improves its graphs, as TensorFlow's session options say it.
//!
//! `OptimizerOptions` chooses between everything (level 1, the default) and only what it names (level 0). `RewriterConfig`
//! switches single improvements off: `constant_folding`, `common_subgraph_elimination`, `dependency_optimization` for nodes
//! that only pass a value on or that nobody takes a value of, `arithmetic_optimization` for copies of constants, `remapping` for
//! nodes that become one; `disable_meta_optimizer` all but the first two.

use prost::Message;
use runtime::Improvements;
use tensor::{Result, err};

use wire::optimizer_options::Level;
use wire::rewriter_config::Toggle;

pub(crate) fn improvements_from_proto(config: &wire::ConfigProto) -> Result<Improvements> {
    let mut improvements = Improvements::default();
    let Some(graph) = &config.graph_options else {
        return Ok(improvements);
    };
    if let Some(optimizer) = &graph.optimizer_options {
        if optimizer.opt_level() == Level::L0 {
            improvements = Improvements {
                folding: optimizer.do_constant_folding,
                merging: optimizer.do_common_subexpression_elimination,
                ..Improvements::NONE
            };
        }
        if let Ok(bytes @ 1..) = usize::try_from(optimizer.max_folded_constant_in_bytes) {
            improvements.max_folded_bytes = bytes;
        }
    }
    if let Some(bytes) = &graph.rewrite_options {
        let rewrites = wire::RewriterConfig::decode(bytes.clone())
            .map_err(|error| err!(InvalidArgument, "the session's rewrite_options cannot be read: {error}"))?;
        let meta = !rewrites.disable_meta_optimizer;
        improvements.folding &= rewrites.constant_folding() != Toggle::Off;
        improvements.merging &= rewrites.common_subgraph_elimination() != Toggle::Off;
        improvements.identities &= meta && rewrites.dependency_optimization() != Toggle::Off;
        improvements.fusing &= meta && rewrites.remapping() != Toggle::Off;
        improvements.copying &= meta && rewrites.arithmetic_optimization() != Toggle::Off;
    }
    Ok(improvements)
}

/// The options that say so; none if nothing is switched off.
pub(crate) fn improvements_to_proto(improvements: &Improvements) -> Option<wire::GraphOptions> {
    if *improvements == Improvements::default() {
        return None;
    }
    let toggle = |on: bool| if on { Toggle::Default } else { Toggle::Off }.into();
    let rewrites = wire::RewriterConfig {
        constant_folding: toggle(improvements.folding),
        common_subgraph_elimination: toggle(improvements.merging),
        dependency_optimization: toggle(improvements.identities),
        remapping: toggle(improvements.fusing),
        arithmetic_optimization: toggle(improvements.copying),
        ..Default::default()
    };
    let optimizer = wire::OptimizerOptions {
        max_folded_constant_in_bytes: i64::try_from(improvements.max_folded_bytes).unwrap_or(i64::MAX),
        ..Default::default()
    };
    Some(wire::GraphOptions {
        optimizer_options: Some(optimizer),
        rewrite_options: Some(rewrites.encode_to_vec().into()),
        ..Default::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(graph_options: Option<wire::GraphOptions>) -> Improvements {
        improvements_from_proto(&wire::ConfigProto { graph_options, ..Default::default() }).unwrap()
    }

    #[test]
    fn what_a_client_of_ours_chooses_arrives() {
        let some = Improvements { merging: false, copying: false, max_folded_bytes: 7, ..Improvements::ALL };
        for chosen in [Improvements::ALL, Improvements::NONE, some] {
            assert_eq!(read(improvements_to_proto(&chosen)), chosen);
        }
    }

    #[test]
    fn what_tensorflows_client_chooses_arrives() {
        // ConfigProto(graph_options=GraphOptions(optimizer_options=OptimizerOptions(opt_level=-1,
        //   do_constant_folding=True))), as TensorFlow 2.21 serializes it.
        let level_0 = b"\x52\x0f\x1a\x0d\x10\x01\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        let config = wire::ConfigProto::decode(&level_0[..]).unwrap();
        let folding = Improvements { folding: true, ..Improvements::NONE };
        assert_eq!(improvements_from_proto(&config).unwrap(), folding);
        // rewrite_options=RewriterConfig(disable_meta_optimizer=True)
        let no_meta = wire::ConfigProto::decode(&b"\x52\x05\x52\x03\x98\x01\x01"[..]).unwrap();
        let classic = Improvements { folding: true, merging: true, ..Improvements::NONE };
        assert_eq!(improvements_from_proto(&no_meta).unwrap(), classic);
        let garbled = wire::GraphOptions { rewrite_options: Some((&b"\xff"[..]).into()), ..Default::default() };
        let config = wire::ConfigProto { graph_options: Some(garbled), ..Default::default() };
        assert_eq!(improvements_from_proto(&config).unwrap_err().code(), tensor::Code::InvalidArgument);
    }
}
