//! The graphs registered for signatures, of which the least used are given up when there are too many.

use std::collections::HashMap;
use std::sync::Arc;

use runtime::Signature;
use tokio::sync::OnceCell;

use super::step::RegisteredParts;

/// How many signatures of a session are kept ready. Programs have a few; whoever makes a new one for every step pays for
/// planning it, and for nobody's memory.
const MOST: usize = 1000;

/// The place of a plan, filled by whoever first needs it.
pub(super) type PlanCell = Arc<OnceCell<RegisteredParts>>;

/// The plans of a session.
#[derive(Default)]
pub(super) struct Plans {
    cells: HashMap<Signature, (PlanCell, u64)>,
    /// Counts uses, as a clock.
    now: u64,
}

impl Plans {
    /// The plan of a signature, if it is ready.
    pub fn ready(&mut self, signature: &Signature) -> Option<RegisteredParts> {
        self.now += 1;
        let (cell, used) = self.cells.get_mut(signature)?;
        *used = self.now;
        cell.get().cloned()
    }

    /// The place of a signature's plan, and the plans that are given up for it: those that nobody has used for longest, and
    /// nobody uses now.
    pub fn place(&mut self, signature: &Signature) -> (PlanCell, Vec<RegisteredParts>) {
        self.now += 1;
        let given_up = match self.cells.len() < MOST || self.cells.contains_key(signature) {
            true => Vec::new(),
            false => self.give_up(MOST / 10),
        };
        let (cell, used) = self.cells.entry(signature.clone()).or_default();
        *used = self.now;
        (cell.clone(), given_up)
    }

    fn give_up(&mut self, count: usize) -> Vec<RegisteredParts> {
        // A plan that is being made, or that a step runs by, is held elsewhere too.
        let idle =
            |cell: &PlanCell| Arc::strong_count(cell) == 1 && cell.get().is_none_or(|p| Arc::strong_count(p) == 1);
        let mut oldest: Vec<(u64, Signature)> = self
            .cells
            .iter()
            .filter(|(_, (cell, _))| idle(cell))
            .map(|(key, (_, used))| (*used, key.clone()))
            .collect();
        oldest.sort_by_key(|(used, _)| *used);
        oldest.truncate(count);
        let cells = oldest.iter().filter_map(|(_, key)| self.cells.remove(key));
        cells.filter_map(|(cell, _)| cell.get().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(number: usize) -> Signature {
        Signature { feeds: vec![format!("x{number}:0")], fetches: Vec::new(), targets: Vec::new() }
    }

    #[test]
    fn the_least_used_are_given_up_and_those_in_use_stay() {
        let mut plans = Plans::default();
        let fill = |plans: &mut Plans, number: usize| {
            let (cell, given_up) = plans.place(&signature(number));
            assert!(cell.set(Arc::default()).is_ok());
            given_up.len()
        };
        assert_eq!((0..MOST).map(|number| fill(&mut plans, number)).sum::<usize>(), 0);
        let running = plans.ready(&signature(0)).unwrap();
        plans.ready(&signature(1)).unwrap();
        assert_eq!(fill(&mut plans, MOST), MOST / 10);
        assert!(plans.ready(&signature(0)).is_some() && plans.ready(&signature(1)).is_some());
        assert!(plans.ready(&signature(2)).is_none());
        for number in 0..10 * MOST {
            fill(&mut plans, MOST + 1 + number);
        }
        assert!(plans.cells.len() <= MOST);
        // A step runs by the first one still.
        assert!(Arc::ptr_eq(&plans.ready(&signature(0)).unwrap(), &running));
        assert!(plans.ready(&signature(1)).is_none());
    }
}
