//! Graphs built here have TensorFlow's nodes: names, ops, devices, inputs and attributes, so that a Rust worker and a Python
//! worker meet at the same variables, accumulators and queues. `testdata/graphs.py` recorded what TensorFlow 2.21 builds.

use std::collections::BTreeMap;
use std::path::Path;

use graph::{AttrValue, GraphData, Node, ReadAttrs};
use tensorfleet::losses::{self, Reduction};
use tensorfleet::prelude::*;
use tensorfleet::train::{
    Adadelta, Ftrl, Initializer, Partitioner, Reuse, RmsProp, VariableKind, VariableScope, fixed_size_partitioner,
    keys, local_variables_initializer, report_uninitialized_variables,
};

/// Name, then op, device, inputs and attributes.
type Lines = BTreeMap<String, [String; 4]>;

fn compare(program: &str, build: impl Fn(&Graph)) {
    for (suffix, kind) in [("ref", VariableKind::Ref), ("resource", VariableKind::Resource)] {
        let g = Graph::new();
        Variable::set_kind(&g, kind);
        build(&g);
        let ours = normalized(dumped(&g.snapshot().unwrap()));
        let file = format!("{}/testdata/graphs/{program}_{suffix}.txt", env!("CARGO_MANIFEST_DIR"));
        let theirs = normalized(recorded(Path::new(&file)));
        let mut differences = Vec::new();
        for (name, line) in &theirs {
            match ours.get(name) {
                None => differences.push(format!("missing: {name} {line:?}")),
                Some(our_line) if our_line != line => {
                    differences.push(format!("{name}\n  theirs {line:?}\n  ours   {our_line:?}"));
                }
                _ => {}
            }
        }
        differences.extend(ours.keys().filter(|name| !theirs.contains_key(*name)).map(|name| format!("extra: {name}")));
        assert!(differences.is_empty(), "{program}, {suffix}:\n{}", differences.join("\n"));
        assert!(!theirs.is_empty());
    }
}

/// What is left of the lines without what may differ: the model, its gradients, and which of several reads of a variable is
/// used.
fn normalized(lines: Lines) -> Lines {
    let free = |name: &str| name.starts_with("model/") || name.starts_with("gradients/");
    let is_read = |name: &str, op: &str| op == "ReadVariableOp" && !name.ends_with("/Read/ReadVariableOp");
    let reads: BTreeMap<String, String> = lines
        .iter()
        .filter(|(_, line)| line[0] == "ReadVariableOp")
        .map(|(name, line)| (name.clone(), format!("read({})", line[2].split(' ').next().unwrap_or(""))))
        .collect();
    let input = |text: &str| {
        if free(text.trim_start_matches('^')) {
            return "*".to_owned();
        }
        match text.strip_prefix('^') {
            Some(name) => reads.get(name).map_or_else(|| text.to_owned(), |read| format!("^{read}")),
            None => reads.get(text).cloned().unwrap_or_else(|| text.to_owned()),
        }
    };
    lines
        .iter()
        .filter(|(name, line)| !free(name) && !is_read(name, &line[0]))
        .map(|(name, line)| {
            let mut inputs: Vec<String> = line[2].split(' ').map(input).collect();
            let control = inputs.iter().position(|input| input.starts_with('^')).unwrap_or(inputs.len());
            inputs[control..].sort();
            (name.clone(), [line[0].clone(), line[1].clone(), inputs.join(" "), line[3].clone()])
        })
        .collect()
}

fn recorded(path: &Path) -> Lines {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        let mut next = || fields.next().expect("five fields");
        (next(), [next(), next(), next(), next()])
    };
    text.lines().map(line).collect()
}

fn dumped(graph: &GraphData) -> Lines {
    let line = |node: &Node| {
        let input = |input: &graph::Endpoint| match input.index {
            0 => graph.node(input.node).name.clone(),
            index => format!("{}:{index}", graph.node(input.node).name),
        };
        let mut inputs: Vec<String> = node.inputs.iter().map(input).collect();
        inputs.extend(node.control_inputs.iter().map(|id| format!("^{}", graph.node(*id).name)));
        let or_none = |text: String| if text.is_empty() { "-".to_owned() } else { text };
        let fields = [node.op.clone(), or_none(node.device.clone()), or_none(inputs.join(" ")), or_none(attrs(node))];
        (node.name.clone(), fields)
    };
    graph.nodes().iter().map(line).collect()
}

fn attrs(node: &Node) -> String {
    let shown = node.attrs.iter().filter_map(|(key, value)| match (key.as_str(), value) {
        ("_class", _) => Some(format!("class={}", node.colocated_with().collect::<Vec<_>>().join(","))),
        ("shared_name" | "container" | "reduction_type", AttrValue::String(text)) if !text.is_empty() => {
            Some(format!("{key}={}", String::from_utf8_lossy(text)))
        }
        (
            "use_locking" | "validate_shape" | "use_nesterov" | "update_slots" | "cancel_pending_enqueues",
            AttrValue::Bool(on),
        ) => Some(format!("{key}={on}")),
        ("capacity", AttrValue::Int(number)) => Some(format!("{key}={number}")),
        ("dtype" | "T" | "SrcT" | "DstT", AttrValue::Type(dtype)) => Some(format!("{key}={}", dtype.python_name())),
        ("shape", AttrValue::Shape(_)) => {
            let dims = node.attr_shape("shape").ok()?.raw_dims().unwrap_or(&[]).to_vec();
            Some(format!("shape=[{}]", dims.iter().map(i64::to_string).collect::<Vec<_>>().join(",")))
        }
        ("value", AttrValue::Tensor(value)) => {
            let content = match value.buffer() {
                Some(buffer) => buffer.as_bytes().to_vec(),
                None => value.strings().map(|strings| strings.join(&b',')).unwrap_or_default(),
            };
            let shown = &content[..content.len().min(16)];
            Some(format!("value={}", shown.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
        }
        _ => None,
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn variables() {
    compare("variables", |g| {
        Variable::new("a", g.zeros([2], DType::Float));
        g.with_variable_scope("s", |g| {
            g.get_variable("c", [2, 3], Initializer::glorot_uniform());
            g.with_name_scope("n", |g| {
                g.get_variable("e", [2], Initializer::random_normal(0.5));
                Variable::new("f", g.ones((), DType::Float));
            });
        });
        g.with_variable_scope(VariableScope::new("s").reuse(Reuse::Yes), |g| {
            let c = g.get_variable("c", [2, 3], Initializer::glorot_uniform());
            g.op("Identity").name("again").input(c.value()).build();
        });
        let local = g.variable("l").shape(()).initializer(Initializer::Ones);
        local.trainable(false).collections([keys::LOCAL_VARIABLES]).get();
        get_or_create_global_step(g);
        g.variable("k1").initializer(Initializer::Value(g.constant([1f32, 2.0]))).get();
        g.get_variable("k2", [2], Initializer::constant([1f32, 2.0]));
        g.get_variable("k3", [2, 2], Initializer::truncated_normal(0.5));
        g.get_variable("k4", [2, 2], Initializer::random_uniform(-1.0, 2.0));
        g.get_variable("k5", [5, 3, 2, 4], Initializer::glorot_normal());
        g.get_variable("k6", [200, 200], Initializer::Ones);
        g.variable("k7").shape([200]).dtype(DType::Int64).get();
        let partitioner: Partitioner = fixed_size_partitioner(2);
        g.with_variable_scope(VariableScope::new("p").partitioner(partitioner), |g| {
            g.variable("w").shape([5, 3]).try_get_partitioned().unwrap().value();
        });
        global_variables_initializer(g);
        local_variables_initializer(g);
        report_uninitialized_variables(g, None);
    });
}

#[test]
fn devices() {
    compare("devices", |g| {
        let setter = ReplicaDeviceSetter::new(2).worker_device("/job:worker/task:3/device:CPU:0");
        let variable = |name: &str| g.get_variable(name, [2], Initializer::glorot_uniform());
        g.with_device(setter, |g| {
            variable("a");
            Variable::new("b", g.zeros([2], DType::Float));
            g.with_device("/device:GPU:1", |_| variable("c"));
            g.with_device("/job:worker/task:1", |_| variable("d"));
            g.with_device("/job:ps/task:7", |_| variable("e"));
            variable("f");
            g.op("Const").name("k").attr("dtype", DType::Float).attr("value", Tensor::from(1f32)).build();
            global_variables_initializer(g);
            report_uninitialized_variables(g, None);
        });
    });
}

/// A dense and a sparse gradient: a matrix product, and rows taken from a table.
fn model(g: &Graph) -> (Output, Variable) {
    let w = g.get_variable("w", [2, 3], Initializer::Ones);
    let table = g.get_variable("table", [5, 2], Initializer::Ones);
    let step = get_or_create_global_step(g);
    let loss = g.with_name_scope("model", |g| table.rows(&g.constant([1i32, 3, 1])).matmul(&w).reduce_sum(..));
    (loss, step)
}

#[test]
fn optimizers() {
    let all: [(&str, &dyn Fn() -> Box<dyn Optimizer>); 9] = [
        ("gradient_descent", &|| Box::new(GradientDescent::new(0.1))),
        ("momentum", &|| Box::new(Momentum::new(0.1, 0.9))),
        ("nesterov", &|| Box::new(Momentum::new(0.1, 0.9).nesterov())),
        ("adagrad", &|| Box::new(Adagrad::new(0.1))),
        ("adam", &|| Box::new(Adam::new(0.1))),
        ("rms_prop", &|| Box::new(RmsProp::new(0.1).momentum(0.5))),
        ("centered_rms_prop", &|| Box::new(RmsProp::new(0.1).momentum(0.5).centered())),
        ("adadelta", &|| Box::new(Adadelta::new(0.1))),
        ("ftrl", &|| Box::new(Ftrl::new(0.1).l1_regularization_strength(0.01).l2_regularization_strength(0.02))),
    ];
    for (name, make) in all {
        compare(name, |g| {
            g.with_device(ReplicaDeviceSetter::new(2).worker_device("/job:worker/task:0"), |_| {
                let (loss, step) = model(g);
                make().minimize(&loss, Some(&step)).unwrap();
            });
        });
    }
}

/// Synchronous training: accumulators, tokens and steps are shared by name, so a worker of either kind finds the other's.
#[test]
fn synchronous_training() {
    for (name, workers) in [("sync_adam", 2), ("sync_backup", 3)] {
        compare(name, |g| {
            g.with_device(ReplicaDeviceSetter::new(2).worker_device("/job:worker/task:0"), |_| {
                let (loss, step) = model(g);
                let sync = SyncReplicas::new(Adam::new(0.1), 2).total_num_replicas(workers);
                sync.minimize(&loss, Some(&step)).unwrap();
                sync.init_tokens_op(None).unwrap();
            });
        });
    }
}

fn placeholder(g: &Graph, name: &str, dtype: DType, shape: impl Into<PartialShape>) -> Output {
    g.op("Placeholder").name(name).attr("dtype", dtype).attr("shape", shape.into()).output()
}

#[test]
fn dense_layers() {
    compare("dense", |g| {
        let x = placeholder(g, "x", DType::Float, [None, Some(4)]);
        let y = layers::dense(&x, 3).activation(Output::relu).name("hidden").build();
        let y = layers::dense(&y, 2).build();
        layers::dense(&y, 2).without_bias().build();
        g.with_variable_scope(VariableScope::new("again").reuse(Reuse::Auto), |_| {
            layers::dense(&y, 2).name("shared").build();
            layers::dense(&y, 2).name("shared").build();
        });
    });
}

#[test]
fn layers_of_images() {
    compare("images", |g| {
        let x = placeholder(g, "x", DType::Float, [None, Some(8), Some(8), Some(1)]);
        let y = layers::conv2d(&x, 3, 5).padding(Padding::Same).activation(Output::relu).build();
        let y = layers::conv2d(&y, 2, [3, 2]).strides([1, 2]).without_bias().build();
        let y = layers::max_pool2d(&y, 2, 1).padding(Padding::Same).build();
        let y = layers::average_pool2d(&y, 2, 2).build();
        let y = layers::dropout(&layers::flatten(&y), 0.5).training(true).build();
        layers::dropout(&y, 0.5).build();
    });
}

#[test]
fn losses_of_all_kinds() {
    compare("losses", |g| {
        let of = |name: &str| placeholder(g, name, DType::Float, [None, Some(3)]);
        let (labels, predictions) = (of("l"), of("p"));
        for reduction in [Reduction::SumByNonzeroWeights, Reduction::Mean, Reduction::None, Reduction::Sum] {
            losses::mean_squared_error(&labels, &predictions).weights(2.0).reduction(reduction).build();
        }
        losses::mean_squared_error(&labels, &predictions).reduction(Reduction::SumOverBatchSize).build();
        let weights = placeholder(g, "w", DType::Float, [None, Some(1)]);
        losses::absolute_difference(&labels, &predictions).weights(&weights).build();
        losses::huber(&labels, &predictions).build();
        losses::hinge(&labels, &predictions).build();
        losses::log_loss(&labels, &predictions).build();
        losses::sigmoid_cross_entropy(&labels, &predictions).build();
        losses::sigmoid_cross_entropy(&labels, &predictions).label_smoothing(0.1).build();
    });
}

#[test]
fn metrics_of_all_kinds() {
    compare("metrics", |g| {
        let of = |name: &str, dtype: DType| placeholder(g, name, dtype, [None]);
        let (labels, predictions) = (of("l", DType::Int64), of("p", DType::Int64));
        metrics::accuracy(&labels, &predictions).build();
        metrics::precision(&labels, &predictions).build();
        metrics::recall(&labels, &predictions).build();
        let values = of("v", DType::Float);
        metrics::mean(&values).build();
        metrics::mean(&values).weights(&of("w", DType::Float)).build();
        let of = |name: &str| placeholder(g, name, DType::Float, [None, Some(3)]);
        metrics::mean_squared_error(&of("e"), &of("f")).build();
    });
}
