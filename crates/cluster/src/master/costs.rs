//! In which steps a session tells what nodes cost, and how such a step differs from others.

use tensor::Result;

use crate::call::messages::costs_to_proto;
use crate::call::{Answer, StepAnswer, StepOptions};

/// In which of the steps of a signature the cost of nodes is told.
pub(super) struct CostModel {
    every: i64,
    after: i64,
}

impl CostModel {
    /// As a client wants it.
    pub fn of(config: &wire::ConfigProto) -> CostModel {
        let (every, after) = config
            .graph_options
            .as_ref()
            .map_or((0, 0), |options| (options.build_cost_model, options.build_cost_model_after));
        CostModel { every, after }
    }

    /// Returns whether it is told in the step before which there were so many.
    pub fn is_due(&self, before: u64) -> bool {
        let counted = i64::try_from(before).unwrap_or(i64::MAX).saturating_add(1).saturating_sub(self.after);
        self.every > 0 && counted >= 0 && counted % self.every == 0
    }
}

/// A step that also tells what its nodes cost: its graphs and statistics are taken for that, and told if they were asked for.
pub(super) fn with_costs(asked: StepOptions, answer: Answer) -> (StepOptions, Answer) {
    let answer = Answer::new(move |outcome: Result<StepAnswer>| {
        answer.give(outcome.map(|mut told| {
            let stats = told.stats.take().unwrap_or_default();
            let costs = costs_to_proto(&told.graphs, &stats);
            let stats = asked.trace.then_some(stats);
            let graphs = if asked.graphs { told.graphs } else { Vec::new() };
            StepAnswer { tensors: told.tensors, stats, graphs, costs: Some(costs) }
        }));
    });
    (StepOptions { trace: true, graphs: true, ..asked }, answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(every: i64, after: i64) -> Vec<u64> {
        let options =
            wire::GraphOptions { build_cost_model: every, build_cost_model_after: after, ..Default::default() };
        let model = CostModel::of(&wire::ConfigProto { graph_options: Some(options), ..Default::default() });
        (0..10).filter(|before| model.is_due(*before)).collect()
    }

    #[test]
    fn costs_are_told_every_so_many_steps_after_the_first_ones() {
        assert_eq!(due(0, 0), Vec::<u64>::new());
        assert_eq!(due(1, 0), (0..10).collect::<Vec<_>>());
        assert_eq!(due(3, 0), [2, 5, 8]);
        assert_eq!(due(4, 2), [1, 5, 9]);
        assert_eq!(due(i64::MIN, i64::MAX), Vec::<u64>::new());
        assert_eq!(due(i64::MAX, 0), Vec::<u64>::new());
        assert_eq!(due(1, i64::MAX), Vec::<u64>::new());
    }
}
