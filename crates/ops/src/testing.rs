//! Running single kernels in tests, against a small stand-in for the runtime.

use std::collections::HashMap;
use std::sync::Arc;

use graph::op::{
    AsyncContext, CallFrame, Cancellation, CollectiveDone, CollectiveEntry, CollectivePlay, Collectives, Files,
    Function, Host, Kernel, OpContext, Parcel, Receive, Rendezvous, RendezvousKey, ResourceManager, Resources, Spawn,
    Step, StepId, Value,
};
use graph::{AttrValue, GraphData, Node};
use parking_lot::Mutex;
use tensor::{Result, Status, Tensor, err};

/// The device all test kernels are on.
pub(crate) const DEVICE: &str = "/job:localhost/replica:0/task:0/device:CPU:0";

/// A device with its resources, and the step that kernels run in.
pub(crate) struct Bench {
    pub(crate) step: Arc<Step>,
}

/// A kernel with its node, kept from one run to the next.
pub(crate) struct Part {
    node: Arc<Node>,
    kernel: Kernel,
}

/// An asynchronous kernel that was started.
pub(crate) struct Started(Arc<Mutex<Option<Result<Vec<Value>>>>>);

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench::with_args(Vec::new(), 0)
    }

    pub(crate) fn with_args(args: Vec<Tensor>, results: usize) -> Bench {
        Bench { step: Arc::new(step(Arc::new(ResourceManager::new("localhost")), CallFrame::new(args, results))) }
    }

    /// Another step on the same device.
    pub(crate) fn next_step(&self) -> Bench {
        Bench { step: Arc::new(step(self.step.resources.clone(), CallFrame::default())) }
    }

    pub(crate) fn node(&self, op: &str, attrs: &[(&str, AttrValue)]) -> Part {
        self.try_node(op, attrs).unwrap()
    }

    pub(crate) fn try_node(&self, op: &str, attrs: &[(&str, AttrValue)]) -> Result<Part> {
        let registry = crate::registry();
        let spec = registry.find(op)?;
        let attrs = attrs.iter().map(|(name, value)| (*name, value.clone()));
        let node = Node { device: DEVICE.to_owned(), ..spec.node(op.to_lowercase(), attrs)? };
        let kernel = spec.kernel(&node)?;
        Ok(Part { node: Arc::new(node), kernel })
    }

    /// Makes a kernel, runs it once and drops it.
    pub(crate) fn run(&self, op: &str, attrs: &[(&str, AttrValue)], inputs: Vec<Value>) -> Result<Vec<Value>> {
        self.try_node(op, attrs)?.run(self, inputs)
    }

    /// As [`run`](Bench::run), for the value of the first output.
    pub(crate) fn value(&self, op: &str, attrs: &[(&str, AttrValue)], inputs: Vec<Value>) -> Result<Tensor> {
        Ok(tensor(&self.run(op, attrs, inputs)?[0]))
    }
}

impl Part {
    /// Runs a kernel that ends at once.
    pub(crate) fn run(&self, bench: &Bench, inputs: Vec<Value>) -> Result<Vec<Value>> {
        self.start(bench, inputs).take().expect("the kernel waits")
    }

    pub(crate) fn start(&self, bench: &Bench, mut inputs: Vec<Value>) -> Started {
        assert_eq!(inputs.len(), self.node.input_types.len(), "inputs of {}", self.node.op);
        let started = Started(Arc::default());
        match &self.kernel {
            Kernel::Cheap(compute)
            | Kernel::Compute(compute)
            | Kernel::Blocking(compute)
            | Kernel::Files { compute, .. } => {
                let mut outputs = vec![Value::Empty; self.node.output_types.len()];
                let mut cx = OpContext::new(&self.node, &bench.step, (0, 0), &mut inputs, &mut outputs);
                let result = compute.compute(&mut cx);
                *started.0.lock() = Some(result.map(|()| outputs));
            }
            Kernel::Async(kernel) => {
                let slot = started.0.clone();
                let (node, step) = (self.node.clone(), bench.step.clone());
                let cx = AsyncContext { node, step, frame: (0, 0), inputs: inputs.into(), blocking: Arc::new(Inline) };
                kernel.start(
                    cx,
                    Box::new(move |result| {
                        let before = slot.lock().replace(result.map(|outputs| outputs.into_vec()));
                        assert!(before.is_none(), "done was called twice");
                    }),
                );
            }
        }
        started
    }
}

impl Started {
    pub(crate) fn is_done(&self) -> bool {
        self.0.lock().is_some()
    }

    /// What came out, if it ended.
    pub(crate) fn take(&self) -> Option<Result<Vec<Value>>> {
        self.0.lock().take()
    }

    pub(crate) fn error(&self) -> Status {
        match self.take() {
            Some(Err(status)) => status,
            Some(Ok(_)) => panic!("the kernel succeeded"),
            None => panic!("the kernel waits"),
        }
    }

    pub(crate) fn value(&self) -> Tensor {
        tensor(&self.take().expect("the kernel waits").unwrap()[0])
    }
}

/// Runs jobs where they are asked for.
struct Inline;

impl Spawn for Inline {
    fn spawn(self: Arc<Self>, job: Box<dyn FnOnce() + Send>) {
        job();
    }
}

/// The value on an edge, references followed.
#[track_caller]
pub(crate) fn tensor(value: &Value) -> Tensor {
    match value {
        Value::Tensor(tensor) => tensor.clone(),
        Value::Ref(variable) => variable.read().unwrap(),
        Value::Empty => panic!("there is no value"),
    }
}

pub(crate) fn val(tensor: impl Into<Tensor>) -> Value {
    Value::Tensor(tensor.into())
}

fn step(resources: Arc<dyn Resources>, frame: CallFrame) -> Step {
    Step {
        id: StepId(1),
        device: DEVICE.to_owned(),
        resources,
        step_resources: Arc::new(ResourceManager::new("step")),
        rendezvous: Arc::new(Meeting::default()),
        collectives: Arc::new(Alone),
        cancellation: Cancellation::new(),
        frame: Arc::new(frame),
        host: Arc::new(ThisProcess),
        files: Arc::new(Anywhere),
        epoch: 0,
    }
}

/// Groups of one member.
struct Alone;

impl Collectives for Alone {
    fn enter(&self, entry: CollectiveEntry, mut play: Box<dyn CollectivePlay>, done: CollectiveDone) {
        assert_eq!((entry.device.as_str(), entry.group_size), (DEVICE, 1));
        done(play.begin(0, 1).map(|turn| turn.result.expect("a member that is alone does not wait")));
    }
}

/// Any file may be touched.
struct Anywhere;

impl Files for Anywhere {
    fn check(&self, _: &std::path::Path) -> Result<()> {
        Ok(())
    }
}

/// Has threads, but nobody to call functions.
struct ThisProcess;

impl Host for ThisProcess {
    fn prepare(&self, _: &GraphData) -> Result<Arc<dyn Function>> {
        Err(err!(Unimplemented, "kernels are tested without functions"))
    }

    fn after(&self, _: std::time::Duration, _: Box<dyn FnOnce() + Send>) -> Box<dyn Send> {
        Box::new(())
    }

    fn spawn(&self, name: &str, job: Box<dyn FnOnce() + Send>) -> bool {
        std::thread::Builder::new().name(name.to_owned()).spawn(job).is_ok()
    }
}

#[derive(Default)]
struct Meeting(Mutex<HashMap<String, Side>>);

enum Side {
    Sent(Parcel),
    Waiting(Receive),
}

impl Rendezvous for Meeting {
    fn send(&self, key: &RendezvousKey, parcel: Parcel) -> Result<()> {
        let before = self.0.lock().remove(key.as_str());
        match before {
            Some(Side::Waiting(receive)) => receive(Ok(parcel)),
            Some(Side::Sent(_)) => return Err(err!(Internal, "sent twice: {key}")),
            None => drop(self.0.lock().insert(key.as_str().to_owned(), Side::Sent(parcel))),
        }
        Ok(())
    }

    fn recv(&self, key: &RendezvousKey, receive: Receive) {
        let before = self.0.lock().remove(key.as_str());
        match before {
            Some(Side::Sent(parcel)) => receive(Ok(parcel)),
            _ => drop(self.0.lock().insert(key.as_str().to_owned(), Side::Waiting(receive))),
        }
    }
}

/// A folder for one test, removed in the end.
pub(crate) struct Folder(std::path::PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-ops-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
