//! More memory than a server may take: whoever asks for it is refused, and the honest client, who needs little, goes on.

use cluster::{RemoteOptions, RemoteSession};
use tensorfleet::prelude::*;

use super::{Arrow, Attack, CONTAINER, PATIENCE, Siege, after, refused, storm};

const LIMIT: &[&str] = &["--memory_limit", "512M"];
/// With this much on top of it, a server has overstepped: code, stacks, and blocks that wait for reuse.
const MOST: u64 = 850 << 20;
/// Floats of 64 MiB.
const LARGE: &[i64] = &[16, 1 << 20];
const MEBI: usize = 1 << 20;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new("variables beyond the limit", variables).with(LIMIT),
    Attack::new("a queue of large tensors", large_elements).with(LIMIT),
    Attack::new("a queue of millions of numbers", small_elements).with(LIMIT),
    Attack::new("a table of millions of keys", keys).with(LIMIT),
    Attack::new("a barrier of millions of keys", barrier).with(LIMIT),
    Attack::new("tensors put aside without end", staged).with(LIMIT),
    Attack::new("tensors kept by a session", kept).with(LIMIT),
    Attack::new("strings that share their bytes, changed", changed_strings).with(LIMIT),
    Attack::new("strings that share their bytes, fetched", fetched_strings).with(LIMIT),
    Attack::new("a text that matches everywhere", matches).with(LIMIT),
    Attack::new("numbers of four thousand digits", digits).with(LIMIT),
    Attack::new("many steps with large tensors at once", at_once).with(LIMIT),
];

#[test]
fn attacks_on_memory() {
    storm(ATTACKS);
}

/// Takes the same step again and again, on one session, until it is refused.
#[track_caller]
fn until_refused(siege: &mut Siege, arrow: &Arrow, last: &Output, most: usize) {
    let session = RemoteSession::with_options(&siege.target(), &arrow.g, RemoteOptions::default()).expect("a session");
    let refusal = (0..most).find_map(|_| session.fetch(arrow.request().fetch(last).timeout(PATIENCE)).err());
    let refusal = refusal.expect("a limit");
    assert_eq!(refusal.code(), Code::ResourceExhausted, "{refusal}");
    assert!(refusal.message().contains("--memory_limit"), "{refusal}");
    let memory = siege.fleet.task("ps", 0).memory();
    assert!(memory < MOST, "{memory} bytes are in use");
    siege.honest.goes_on();
    session.close().expect("closed");
}

fn variables(siege: &mut Siege) {
    let mut arrow = Arrow::default();
    let value = arrow.filled(LARGE, 1f32);
    let g = arrow.g.clone();
    let assigned: Vec<Output> = (0..20)
        .map(|number| {
            let entry = g.op("VarHandleOp").attr("dtype", DType::Float).attr("shape", PartialShape::unknown());
            let handle = entry.attr("shared_name", format!("v{number}")).attr("container", CONTAINER).output();
            after(&g, g.op("AssignVariableOp").input(&handle).input(&value).build())
        })
        .collect();
    let session = RemoteSession::with_options(&siege.target(), &arrow.g, RemoteOptions::default()).expect("a session");
    // Each step makes a value of its own.
    let outcomes: Vec<_> =
        assigned.iter().map(|one| session.fetch(arrow.request().fetch(one).timeout(PATIENCE))).collect();
    assert!(outcomes.iter().filter(|outcome| outcome.is_ok()).count() >= 4, "{outcomes:?}");
    refused(outcomes.into_iter().last().expect("outcomes"), Code::ResourceExhausted, &["--memory_limit"]);
    assert!(siege.fleet.task("ps", 0).memory() < MOST);
    session.close().expect("closed");
}

fn queue(g: &Graph, dtype: DType) -> Output {
    let entry = g.op("FIFOQueueV2").attr("component_types", vec![dtype]).attr("container", CONTAINER);
    entry.attr("shared_name", "flood").output()
}

fn large_elements(siege: &mut Siege) {
    let mut arrow = Arrow::default();
    let value = arrow.filled(LARGE, 1f32);
    let put = arrow.g.op("QueueEnqueueV2").input(queue(&arrow.g, DType::Float)).input_list(&[value]).build();
    let last = after(&arrow.g, put);
    until_refused(siege, &arrow, &last, 20);
}

fn small_elements(siege: &mut Siege) {
    let mut arrow = Arrow::default();
    let value = arrow.filled(&[1 << 20], 1f32);
    let put = arrow.g.op("QueueEnqueueManyV2").input(queue(&arrow.g, DType::Float)).input_list(&[value]).build();
    let last = after(&arrow.g, put);
    until_refused(siege, &arrow, &last, 20);
}

/// Numbers from a start that is fed.
fn numbers(arrow: &mut Arrow, start: i64, count: i64) -> Output {
    let bounds = [start, start + count, 1].map(|bound| arrow.input(bound));
    arrow.g.op("Range").input(&bounds[0]).input(&bounds[1]).input(&bounds[2]).output()
}

fn keys(siege: &mut Siege) {
    let refusal = (0..40).find_map(|round: i64| {
        let mut arrow = Arrow::default();
        let keys = numbers(&mut arrow, round << 20, 1 << 20);
        let g = &arrow.g;
        let entry = g.op("MutableHashTableV2").attr("key_dtype", DType::Int64).attr("value_dtype", DType::Int64);
        let table = entry.attr("container", CONTAINER).attr("shared_name", "flood").output();
        let put = g.op("LookupTableInsertV2").input(&table).input(&keys).input(&keys).build();
        siege.shoot(&arrow, &after(g, put)).err()
    });
    refused(refusal.map_or(Ok(()), Err), Code::ResourceExhausted, &["--memory_limit"]);
    assert!(siege.fleet.task("ps", 0).memory() < MOST);
}

fn barrier(siege: &mut Siege) {
    let refusal = (0..40).find_map(|round: i64| {
        let mut arrow = Arrow::default();
        let keys = numbers(&mut arrow, round << 19, 1 << 19);
        let g = &arrow.g;
        let names = g.op("AsString").input(&keys).output();
        let types = vec![DType::Int64, DType::Int64];
        let entry = g
            .op("Barrier")
            .attr("component_types", types)
            .attr("shapes", vec![PartialShape::scalar(); 2])
            .attr("container", CONTAINER);
        let barrier = entry.attr("shared_name", "flood").output();
        let entry = g.op("BarrierInsertMany").input(&barrier).input(&names).input(&keys);
        siege.shoot(&arrow, &after(g, entry.attr("component_index", 0i64).build())).err()
    });
    refused(refusal.map_or(Ok(()), Err), Code::ResourceExhausted, &["--memory_limit"]);
}

fn staged(siege: &mut Siege) {
    let mut arrow = Arrow::default();
    let value = arrow.filled(LARGE, 1f32);
    let entry = arrow.g.op("Stage").input_list(&[value]).attr("container", CONTAINER).attr("shared_name", "flood");
    let last = after(&arrow.g, entry.build());
    until_refused(siege, &arrow, &last, 20);
}

fn kept(siege: &mut Siege) {
    let mut arrow = Arrow::default();
    let value = arrow.filled(LARGE, 1f32);
    let handle = arrow.g.op("GetSessionHandle").input(&value).output();
    until_refused(siege, &arrow, &handle, 20);
}

/// A hundred thousand strings of a megabyte, which take one megabyte as long as nobody changes them.
fn many_strings(arrow: &mut Arrow, count: i64) -> Output {
    arrow.filled(&[count], Tensor::from("x".repeat(MEBI)))
}

fn changed_strings(siege: &mut Siege) {
    for op in [
        "StringUpper",
        "EncodeBase64",
        "StringJoin",
        "ReduceJoin",
        "AsString",
        "RegexReplace",
        "Add",
        "UnicodeTranscode",
    ] {
        let mut arrow = Arrow::default();
        let strings = many_strings(&mut arrow, 100_000);
        let zero = arrow.input(0i32);
        let (pattern, rewrite) = (arrow.input("x+"), arrow.input("y"));
        let entry = arrow.g.op(op);
        let last = match op {
            "StringJoin" => entry.input_list(&[strings.clone(), strings]).output(),
            "ReduceJoin" => entry.input(&strings).input(&zero).output(),
            "AsString" => entry.input(&strings).output(),
            "RegexReplace" => entry.input(&strings).input(&pattern).input(&rewrite).output(),
            "Add" => entry.input(&strings).input(&strings).output(),
            "UnicodeTranscode" => {
                let entry = entry.input(&strings).attr("input_encoding", "UTF-8");
                entry.attr("output_encoding", "UTF-16-BE").output()
            }
            _ => entry.input(&strings).output(),
        };
        // Only its size comes back.
        let size = arrow.g.op("Size").input(&last).output();
        match siege.shoot(&arrow, &size) {
            // Few letters are left of each string.
            Ok(_) if op == "RegexReplace" => {}
            outcome => refused(outcome, Code::ResourceExhausted, &["--memory_limit"]),
        }
        assert!(siege.fleet.task("ps", 0).memory() < MOST, "{op}");
    }
}

fn fetched_strings(siege: &mut Siege) {
    let mut arrow = Arrow::default();
    let strings = many_strings(&mut arrow, 2000);
    refused(siege.shoot(&arrow, &strings), Code::ResourceExhausted, &["2000 strings"]);
    assert!(siege.fleet.task("ps", 0).memory() < MOST);
}

fn matches(siege: &mut Siege) {
    let mut arrow = Arrow::default();
    let (text, pattern, rewrite) = (arrow.input("x".repeat(MEBI)), arrow.input("x"), arrow.input("y".repeat(100_000)));
    let replaced = arrow.g.op("RegexReplace").input(&text).input(&pattern).input(&rewrite).output();
    let length = arrow.g.op("StringLength").input(&replaced).output();
    refused(siege.shoot(&arrow, &length), Code::ResourceExhausted, &["--memory_limit"]);
    assert!(siege.fleet.task("ps", 0).memory() < MOST);
}

fn digits(siege: &mut Siege) {
    let mut arrow = Arrow::default();
    let numbers = arrow.filled(&[4 << 20], 1f32);
    let entry = arrow.g.op("AsString").input(&numbers).attr("width", 4096i64);
    let size = arrow.g.op("Size").input(entry.output()).output();
    refused(siege.shoot(&arrow, &size), Code::ResourceExhausted, &["--memory_limit"]);
    assert!(siege.fleet.task("ps", 0).memory() < MOST);
}

/// Sixteen threads, each of which alone would find room.
fn at_once(siege: &mut Siege) {
    let target = siege.target();
    let outcomes: Vec<Result<_>> = std::thread::scope(|scope| {
        let one = || {
            let mut arrow = Arrow::default();
            let value = arrow.filled(&[5, 16, 1 << 20], 1f32);
            let sum = arrow.g.op("Sum").input(&value).input(arrow.input(Tensor::vector(&[0i32, 1, 2]))).output();
            let session = RemoteSession::with_options(&target, &arrow.g, RemoteOptions::default())?;
            let outcome = session.fetch(arrow.request().fetch(&sum).timeout(PATIENCE));
            session.close()?;
            outcome
        };
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|thread| thread.join().expect("an outcome")).collect()
    });
    for outcome in outcomes {
        if outcome.is_err() {
            refused(outcome, Code::ResourceExhausted, &["--memory_limit"]);
        }
    }
    let memory = siege.fleet.task("ps", 0).memory();
    assert!(memory < MOST, "{memory}");
}
