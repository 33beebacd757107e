//! What a worker tells an operator: its resources, and for every step under way the nodes that wait, what for, and which nodes
//! of its graphs could help. Everything is looked up when it is asked for.

use std::collections::HashMap;
use std::sync::Arc;

use graph::op::{GradientsOfWorker, ResourceManager, ResourceReport, ResourceState, StepId};
use graph::{GraphData, Node, ReadAttrs};
use runtime::{UnderWay, WaitingNode};
use tensor::DType;
use wire::operator as told;

use super::Worker;
use super::session::RegisteredGraph;
use crate::call::{SessionHandle, WorkerCalls, millis};

/// So many nodes that wait are told of one step.
const MOST_NODES: usize = 200;
/// So many steps whose part has ended, and so many tensors that each has sent.
const MOST_OVER: usize = 100;
const MOST_SENT: usize = 1000;
/// So many nodes that could help are told of one that waits.
const MOST_HELPERS: usize = 20;

impl Worker {
    /// Adds the variables, queues and accumulators of all devices.
    pub fn report_resources(&self, status: &mut told::StatusResponse) {
        for resource in self.all_resources().iter().flat_map(|manager| manager.report()) {
            let ResourceReport { container, name, kind, state } = resource;
            match state {
                ResourceState::Variable { dtype, shape, bytes, uses } => status.variables.push(told::Variable {
                    name,
                    container,
                    dtype: dtype.to_string(),
                    shape: shape.to_string(),
                    initialized: bytes.is_some(),
                    bytes: bytes.unwrap_or(0),
                    uses,
                }),
                ResourceState::Queue { length, capacity, entering, leaving, missing, closed } => {
                    status.queues.push(told::Queue {
                        name,
                        container,
                        kind: kind.to_owned(),
                        length,
                        capacity,
                        enqueues_waiting: entering,
                        dequeues_waiting: leaving,
                        missing,
                        closed,
                    });
                }
                ResourceState::Accumulator { accumulated, required, accepted, dropped, by_worker } => {
                    let worker = |of: GradientsOfWorker| told::WorkerGradients {
                        worker: of.worker,
                        accepted: of.accepted,
                        dropped: of.dropped,
                        steps_late: of.steps_late,
                        present: of.present,
                    };
                    status.accumulators.push(told::Accumulator {
                        name,
                        container,
                        accumulated,
                        required,
                        accepted,
                        dropped,
                        workers: by_worker.into_iter().map(worker).collect(),
                    });
                }
                ResourceState::Other => status.other_resources += 1,
            }
        }
    }

    /// The stores of all devices, those of sessions that share nothing included.
    fn all_resources(&self) -> Vec<Arc<ResourceManager>> {
        let mut all: Vec<Arc<ResourceManager>> = Vec::new();
        let sessions: Vec<_> = self.sessions.lock().values().cloned().collect();
        let of_sessions = sessions.iter().flat_map(|session| session.devices());
        for device in self.devices.iter().chain(of_sessions) {
            if !all.iter().any(|known| Arc::ptr_eq(known, &device.resources)) {
                all.push(device.resources.clone());
            }
        }
        all
    }

    /// Returns the steps under way, with what waits in them.
    pub fn report_waits(&self) -> Vec<told::StepUnderWay> {
        let graphs = self.registered();
        let running = self.steps.running();
        let names: Vec<String> =
            self.all_resources().iter().flat_map(|manager| manager.report()).map(|resource| resource.name).collect();
        let mut steps: HashMap<StepId, told::StepUnderWay> = HashMap::new();
        for (step, age, graph) in &running {
            let session = graph.upgrade().map(|graph| graph.session.as_str().to_owned()).unwrap_or_default();
            let age_millis = millis(*age);
            let told = told::StepUnderWay { step: step.0, session, age_millis, nodes: Vec::new(), computes: false };
            steps.insert(*step, told);
        }
        for graph in graphs.iter() {
            for ((executor, device), part) in graph.parts.iter().zip(&graph.graphs) {
                for UnderWay { step, nodes, computes } in executor.under_way() {
                    let Some(told) = steps.get_mut(&step) else { continue };
                    told.computes |= computes;
                    for waiting in nodes {
                        if told.nodes.len() < MOST_NODES {
                            told.nodes.push(describe(&waiting, &device.full_name, part, &names));
                        }
                    }
                }
            }
        }
        // Those whose nodes all compute are not known to the executors.
        let mut steps: Vec<told::StepUnderWay> = steps.into_values().collect();
        for step in &mut steps {
            step.computes |= step.nodes.is_empty();
            for node in step.nodes.iter_mut().filter(|node| !node.resource.is_empty()) {
                node.helpers = helpers(node, &graphs, &running, &names);
            }
        }
        steps.sort_by_key(|step| std::cmp::Reverse(step.age_millis));
        steps
    }

    /// Returns the steps whose part here has ended, with what it sent.
    pub fn report_parts_over(&self) -> Vec<told::PartOver> {
        let over = self.steps.over().into_iter().take(MOST_OVER);
        let told = over.map(|(step, graph)| {
            let graph = graph.upgrade();
            let nodes = graph.iter().flat_map(|graph| &graph.graphs).flat_map(|part| part.nodes());
            let sends = nodes.filter(|node| node.op.contains("Send"));
            let sent = sends.filter_map(|node| node.attr_str("tensor_name").ok().map(str::to_owned));
            told::PartOver { step: step.0, sent: sent.take(MOST_SENT).collect() }
        });
        told.collect()
    }

    /// Returns the graphs of all sessions.
    fn registered(&self) -> Vec<Arc<RegisteredGraph>> {
        let sessions: Vec<_> = self.sessions.lock().values().cloned().collect();
        sessions.iter().flat_map(|session| session.graphs.lock().values().cloned().collect::<Vec<_>>()).collect()
    }

    /// Returns by which keys the transfers of a step's graph are known, by node.
    pub fn transfer_keys(&self, session: &SessionHandle) -> HashMap<String, String> {
        let graphs = self.registered();
        let mine = graphs.iter().filter(|graph| graph.session == *session);
        let nodes = mine.flat_map(|graph| graph.graphs.iter()).flat_map(|part| part.nodes());
        let key = |node: &Node| {
            let text = |name: &str| node.attr_str(name).ok().map(str::to_owned);
            Some(format!("{}>{}:{}", text("send_device")?, text("recv_device")?, text("tensor_name")?))
        };
        nodes.filter_map(|node| Some((node.name.clone(), key(node)?))).collect()
    }

    /// Returns the name of this worker's task.
    pub fn name(&self) -> &str {
        self.task().as_str()
    }
}

type Running = Vec<(StepId, std::time::Duration, std::sync::Weak<RegisteredGraph>)>;

fn describe(waiting: &WaitingNode, device: &str, part: &GraphData, names: &[String]) -> told::WaitingNode {
    let node = &waiting.node;
    let text = |name: &str| node.attr_str(name).map(str::to_owned).unwrap_or_default();
    told::WaitingNode {
        node: node.name.clone(),
        op: node.op.clone(),
        device: device.to_owned(),
        age_millis: millis(waiting.since.elapsed()),
        tensor: text("tensor_name"),
        from_device: text("send_device"),
        from_client: node.attr_bool("client_terminated").unwrap_or(false),
        resource: resource_of(node, part, names).unwrap_or_default(),
        helpers: Vec::new(),
        blocking: waiting.blocking,
        capacity: number(node, "capacity"),
        memory_limit: number(node, "memory_limit"),
    }
}

fn number(node: &Node, name: &str) -> u64 {
    node.attr_int(name).ok().and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
}

/// Returns the name of the resource that a node works on: that of the node where its handle or reference comes from.
fn resource_of(node: &Node, graph: &GraphData, names: &[String]) -> Option<String> {
    // Ops of staging areas name theirs themselves.
    if is_staging(&node.op) {
        let shared = node.attr_str("shared_name").unwrap_or_default();
        return Some(if shared.is_empty() { node.name.clone() } else { shared.to_owned() });
    }
    let takes = |wanted: &graph::ValueType| wanted.is_ref || wanted.dtype == DType::Resource;
    let index = node.input_types.iter().position(takes)?;
    let mut owner = graph.node(node.inputs.get(index)?.node);
    // No path is longer than the graph, unless it goes in a circle.
    for _ in 0..graph.len() {
        match owner.inputs.first() {
            Some(input) => owner = graph.node(input.node),
            None => break,
        }
    }
    let shared = owner.attr_str("shared_name").unwrap_or_default();
    if !shared.is_empty() {
        return Some(shared.to_owned());
    }
    // A resource that its kernel has for itself goes by a number and the node's name.
    let private = |name: &&String| {
        let number = name.strip_prefix('_').and_then(|rest| rest.strip_suffix(&format!("_{}", owner.name)));
        number.is_some_and(|number| number.parse::<u64>().is_ok())
    };
    Some(names.iter().find(private).unwrap_or(&owner.name).clone())
}

/// Returns the nodes of all graphs that could end the waiting of a node in a resource.
fn helpers(
    waiting: &told::WaitingNode,
    graphs: &[Arc<RegisteredGraph>],
    running: &Running,
    names: &[String],
) -> Vec<told::Helper> {
    let mut found: Vec<told::Helper> = Vec::new();
    for graph in graphs {
        let under_way = running.iter().filter(|(.., of)| std::ptr::eq(of.as_ptr(), Arc::as_ptr(graph)));
        let steps: Vec<i64> = under_way.map(|(step, ..)| step.0).collect();
        for part in &graph.graphs {
            for node in part.nodes().iter().filter(|node| helps(&node.op, &waiting.op)) {
                if found.len() >= MOST_HELPERS || resource_of(node, part, names).as_ref() != Some(&waiting.resource) {
                    continue;
                }
                let session = graph.session.as_str().to_owned();
                let steps = steps.clone();
                found.push(told::Helper { session, node: node.name.clone(), op: node.op.clone(), steps });
            }
        }
    }
    found
}

fn is_staging(op: &str) -> bool {
    op.contains("Stage") || op.contains("Unstage")
}

/// Returns whether an op ends what another one waits for.
fn helps(op: &str, waits: &str) -> bool {
    if is_staging(waits) {
        return if waits.ends_with("Stage") { op.contains("Unstage") } else { op.ends_with("Stage") };
    }
    let pairs = [
        ("Dequeue", "Enqueue"),
        ("Enqueue", "Dequeue"),
        ("TakeGradient", "ApplyGradient"),
        ("BarrierTakeMany", "BarrierInsertMany"),
    ];
    pairs.into_iter().any(|(waiting, helping)| waits.contains(waiting) && op.contains(helping))
}
