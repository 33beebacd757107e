//! What programs usually need: 46 names, and the methods of graphs, outputs, sessions, servers and clusters, whose traits have no
//! name here. What is needed less often is in the modules [`train`](crate::train), [`session`](crate::session),
//! [`cluster`](crate::cluster) and [`ops`](crate::ops).

// Values, graphs and what is built in them.
pub use crate::{
    Code, DType, Graph, Operation, Output, PartialShape, Result, Shape, Status, Tensor, cond, gradients, while_loop,
};
pub use ::ops::prelude::Padding;

// Sessions and clusters.
pub use crate::cluster::{ClusterSpec, LocalCluster, RemoteOptions, RemoteSession, RemoteSessions, Server};
pub use crate::session::{LocalSession, LocalSessions, RunRequest, Session, SessionOptions};

// Training.
pub use crate::train::{
    Adagrad, Adam, AllReduce, Coordinator, GradientDescent, Momentum, MonitoredTrainingSession, Optimizer,
    ReplicaDeviceSetter, Saver, SessionRunHook, StopAtStepHook, Supervisor, SyncReplicas, Variable,
    get_or_create_global_step, global_variables_initializer, layers, losses, metrics, summary,
};

// Methods.
pub use crate::NewGraph as _;
pub use crate::cluster::{NewCluster as _, NewServer as _};
pub use crate::session::{Evaluate as _, SessionFactory as _};
pub use crate::train::VariableScopeOps as _;
pub use ::ops::prelude::{
    ActivationOps as _, ArgMaxOps as _, AssertOps as _, AssignOps as _, BiasAddOps as _, BinaryOps as _,
    BroadcastOps as _, CastOps as _, ClipOps as _, CompareOps as _, ConcatOps as _, Conv2dOps as _,
    CrossEntropyOps as _, CumulativeOps as _, EnsureShapeOps as _, ExpandDimsOps as _, FillOps as _, GatherNdOps as _,
    GatherOps as _, IdentityOps as _, InTopKOps as _, IndexOps as _, L2LossOps as _, LikeOps as _, MatMulOps as _,
    MergeOps as _, OneHotOps as _, PadOps as _, PlaceholderOps as _, PoolOps as _, RandomOps as _, RangeOps as _,
    ReadVariableOps as _, ReduceOps as _, ReshapeOps as _, ReverseOps as _, SegmentOps as _, SelectOps as _,
    ShapeOps as _, ShuffleOps as _, SliceOps as _, SoftmaxOps as _, SplitOps as _, StackOps as _, SummaryOps as _,
    SwitchOps as _, TextSummaryOps as _, TileOps as _, TopKOps as _, TransposeOps as _, UnaryOps as _, UnstackOps as _,
    WhereOps as _,
};

#[cfg(test)]
mod tests {
    /// Names that a glob brings into every program are few, so that programs can have names of their own.
    #[test]
    fn the_prelude_has_as_many_names_as_its_documentation_says() {
        let source = include_str!("prelude.rs").split("#[cfg(test)]").next().unwrap_or_default();
        let mut names = Vec::new();
        for import in source.split("pub use ").skip(1) {
            let path = import.split(';').next().unwrap_or_default();
            let list = path.rsplit_once("::").map_or(path, |(_, last)| last);
            let items = list.trim_matches(['{', '}']).split(',').map(str::trim);
            names.extend(items.filter(|item| !item.is_empty() && !item.ends_with(" as _")));
        }
        assert!(source.contains(&format!("need: {} names", names.len())), "{}: {names:?}", names.len());
    }
}
