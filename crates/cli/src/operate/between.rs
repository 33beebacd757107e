//! How fast tensors travel between tasks: measured by steps that send some there and back, over whatever way the tasks' own steps
//! take, so that two that do not reach each other are found too.

use std::time::{Duration, Instant};

use cluster::{RemoteOptions, RemoteSession, Security};
use graph::Output;
use serde_json::{Value, json};
use tensor::{Result, Status};
use tensorfleet::prelude::*;

use super::model::reason;
use super::table::{Look, Table};
use super::{Task, words};

/// So many numbers are sent.
const NUMBERS: i64 = 1 << 20;
const BYTES: f64 = 4.0 * NUMBERS as f64;
/// So often they travel in a step, there and back in turn.
const TRIPS: usize = 4;
/// So many steps are made of each kind; the quickest counts.
const TRIES: usize = 3;

/// What was measured between the tasks of a cluster.
pub struct Between {
    pub pairs: Vec<Pair>,
    /// How many pairs there are.
    pub all: usize,
}

/// Two tasks.
pub struct Pair {
    pub one: String,
    pub other: String,
    /// Bytes a second.
    pub rate: std::result::Result<f64, Status>,
}

/// Measures pairs of these tasks one after the other, `most` at most.
pub fn measure(tasks: &[&Task], most: usize, security: &Security, limit: Duration) -> Between {
    let (chosen, all) = choose(tasks.len(), most);
    let pairs = chosen.into_iter().map(|(one, other)| {
        let (one, other) = (tasks[one], tasks[other]);
        Pair { one: one.name.clone(), other: other.name.clone(), rate: rate(one, other, security, limit) }
    });
    Between { pairs: pairs.collect(), all }
}

/// Pairs of so many tasks, spread evenly over all of them, and how many there are.
fn choose(tasks: usize, most: usize) -> (Vec<(usize, usize)>, usize) {
    let all: Vec<(usize, usize)> = (0..tasks).flat_map(|one| (one + 1..tasks).map(move |other| (one, other))).collect();
    let count = most.min(all.len());
    ((0..count).map(|index| all[index * all.len() / count]).collect(), all.len())
}

fn rate(one: &Task, other: &Task, security: &Security, limit: Duration) -> Result<f64> {
    let g = Graph::new();
    let on = |task: &Task, node: &dyn Fn(&Graph) -> Output| g.with_device(task.name.as_str(), node);
    let numbers = on(one, &|g| g.random_uniform([NUMBERS], 0.0, 1.0));
    // Bits that are called another type: nothing is computed, but the tensor has to be there.
    let mut there = numbers.clone();
    for trip in 0..TRIPS {
        let (task, kind) = if trip % 2 == 0 { (other, DType::Int32) } else { (one, DType::Float) };
        there = on(task, &|g| g.op("Bitcast").input(&there).attr("type", kind).output());
    }
    let first = |value: &Output| {
        on(one, &|g| g.op("Slice").input(value).input(g.constant([0i32])).input(g.constant([1i32])).output())
    };
    let (far, near) = (first(&there), first(&numbers));
    let limit = limit * 4;
    let options = RemoteOptions { security: security.clone(), operation_timeout: Some(limit), ..Default::default() };
    let session = RemoteSession::with_options(&format!("grpc://{}", one.address), &g, options)?;
    let quickest = |wanted: &Output| {
        let mut best = Duration::MAX;
        for _ in 0..TRIES {
            let begin = Instant::now();
            session.run(RunRequest::new().fetch(wanted).timeout(limit))?;
            best = best.min(begin.elapsed());
        }
        Ok::<_, Status>(best)
    };
    let took = quickest(&near).and_then(|near| Ok((near, quickest(&far)?)));
    // This process may end before a session that is only dropped is closed.
    let _ = session.close();
    let (near, far) = took?;
    // Making the numbers is not sending them, unless the one cannot be told from the other.
    let took = far.checked_sub(near).filter(|took| !took.is_zero()).unwrap_or(far);
    Ok(TRIPS as f64 * BYTES / took.as_secs_f64().max(1e-9))
}

impl Between {
    /// As a table, with how many of all pairs it has; nothing if there are no pairs.
    pub fn text(&self, colours: bool) -> String {
        if self.pairs.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&["ONE TASK", "THE OTHER", "BANDWIDTH"]);
        for pair in &self.pairs {
            let (text, look) = match &pair.rate {
                Ok(rate) => (format!("{}/s", words::bytes(*rate as u64)), Look::Plain),
                Err(status) => {
                    (format!("{} and {} do not reach each other: {}", pair.one, pair.other, reason(status)), Look::Bad)
                }
            };
            table.looking([(pair.one.clone(), Look::Plain), (pair.other.clone(), Look::Plain), (text, look)]);
        }
        format!("\nBetween tasks: {} of {} pairs\n{}\n", self.pairs.len(), self.all, table.text(colours))
    }

    pub fn to_json(&self) -> Vec<Value> {
        let pair = |pair: &Pair| {
            json!({
                "one": pair.one,
                "other": pair.other,
                "bytes_per_second": pair.rate.as_ref().ok(),
                "error": pair.rate.as_ref().err().map(reason),
            })
        };
        self.pairs.iter().map(pair).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_spread_over_all_tasks() {
        assert_eq!(choose(3, 16), (vec![(0, 1), (0, 2), (1, 2)], 3));
        assert_eq!(choose(1, 16), (vec![], 0));
        assert_eq!(choose(5, 0), (vec![], 10));
        let (chosen, all) = choose(100, 16);
        assert_eq!((chosen.len(), all), (16, 4950));
        assert!(chosen.iter().any(|(one, _)| *one > 60), "{chosen:?}");
    }

    #[test]
    fn a_pair_apart_is_told() {
        let apart = Err(Status::new(Code::Unavailable, "refused the connection"));
        let pairs = vec![
            Pair { one: "/job:ps/task:0".to_owned(), other: "/job:worker/task:0".to_owned(), rate: Ok(2048.0) },
            Pair { one: "/job:ps/task:0".to_owned(), other: "/job:worker/task:1".to_owned(), rate: apart },
        ];
        let between = Between { pairs, all: 3 };
        let text = between.text(false);
        assert!(text.contains("2 of 3 pairs") && text.contains("do not reach each other"), "{text}");
        assert!(between.to_json()[1]["error"].as_str().is_some_and(|error| error.contains("refused")));
    }
}
