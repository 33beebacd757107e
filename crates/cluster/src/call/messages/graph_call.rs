//! What masters ask of workers, and workers of each other: sessions, graphs, steps of graphs, tensors.

use graph::op::{Parcel, Registry, RendezvousKey, StepId};
use graph::{GraphData, ImportOptions, graph_from_proto};
use tensor::proto::{from_proto, to_proto};
use tensor::{Result, err};

use super::limit::check_fits;
use super::{cluster_from_proto, cluster_to_proto, stats_from_proto, stats_to_proto, status_from_body};
use crate::call::{
    GraphHandle, NewWorkerSession, PartialCall, RequestId, SessionHandle, StepAnswer, StepCall, TaskName,
};

/// Writes a session to be opened at a worker by the master of a task.
pub(crate) fn new_session_to_proto(
    new: &NewWorkerSession,
    master: &TaskName,
    incarnation: u64,
) -> wire::CreateWorkerSessionRequest {
    let server_def = new.cluster.as_ref().map(|(cluster, job, task)| wire::ServerDef {
        cluster: Some(cluster_to_proto(cluster)),
        job_name: job.clone(),
        task_index: *task as i32,
        protocol: "grpc".to_owned(),
        ..Default::default()
    });
    wire::CreateWorkerSessionRequest {
        session_handle: new.handle.as_str().to_owned(),
        server_def,
        isolate_session_state: new.isolate,
        master_task: master.as_str().to_owned(),
        master_incarnation: incarnation as i64,
        ..Default::default()
    }
}

/// Reads a session to be opened.
///
/// # Errors
/// `InvalidArgument` for a malformed cluster or task number.
pub(crate) fn new_session_from_proto(message: wire::CreateWorkerSessionRequest) -> Result<NewWorkerSession> {
    let server = message.server_def.unwrap_or_default();
    let cluster = match server.cluster.filter(|cluster| !cluster.job.is_empty()) {
        None => None,
        Some(cluster) => {
            let task = u32::try_from(server.task_index)
                .map_err(|_| err!(InvalidArgument, "{} is not a task number", server.task_index))?;
            Some((cluster_from_proto(&cluster)?, server.job_name, task))
        }
    };
    Ok(NewWorkerSession { handle: message.session_handle.into(), isolate: message.isolate_session_state, cluster })
}

/// Reads a graph that a master has placed and split, for registering it.
///
/// # Errors
/// `InvalidArgument` for a malformed graph.
pub(crate) fn placed_graph_from_proto(message: wire::GraphDef, registry: &Registry) -> Result<GraphData> {
    let mut graph = GraphData::default();
    let options = ImportOptions { allow_internal_ops: true, ..Default::default() };
    graph_from_proto(&mut graph, message, registry, options)?;
    Ok(graph)
}

/// Writes a step of a graph.
///
/// # Errors
/// `InvalidArgument` for tensors that do not fit into one message, or cannot leave this process.
pub(crate) fn graph_call_to_proto(
    session: &SessionHandle,
    graph: &GraphHandle,
    call: &StepCall,
) -> Result<wire::RunGraphRequest> {
    check_fits(call.sends.iter().map(|(_, tensor)| tensor))?;
    let send = call.sends.iter().map(|(key, tensor)| {
        Ok(wire::NamedTensorProto { name: key.as_str().to_owned(), tensor: Some(to_proto(tensor)?) })
    });
    Ok(wire::RunGraphRequest {
        session_handle: session.as_str().to_owned(),
        graph_handle: graph.as_str().to_owned(),
        step_id: call.id.0,
        send: send.collect::<Result<_>>()?,
        recv_key: call.receives.iter().map(|key| key.as_str().to_owned()).collect(),
        exec_opts: Some(wire::ExecutorOpts {
            record_timeline: call.trace,
            record_partition_graphs: call.graphs,
            ..Default::default()
        }),
        is_partial: call.partial.is_some(),
        is_last_partial_run: call.partial == Some(PartialCall::Last),
        store_errors_in_response_body: true,
        create_worker_session_called: true,
        request_id: RequestId::random().0,
    })
}

/// Reads a step of a graph.
///
/// # Errors
/// `InvalidArgument` for malformed keys or tensors.
pub(crate) fn graph_call_from_proto(message: &wire::RunGraphRequest) -> Result<StepCall> {
    let mut sends = Vec::with_capacity(message.send.len());
    for named in &message.send {
        let tensor = named.tensor.as_ref();
        let tensor =
            from_proto(tensor.ok_or_else(|| err!(InvalidArgument, "{} was sent without a value", named.name))?)?;
        sends.push((RendezvousKey::parse(&named.name)?, tensor));
    }
    let options = message.exec_opts.as_ref();
    Ok(StepCall {
        id: StepId(message.step_id),
        sends,
        receives: message.recv_key.iter().map(|key| RendezvousKey::parse(key)).collect::<Result<_>>()?,
        trace: options.is_some_and(|options| options.record_timeline),
        graphs: options.is_some_and(|options| options.record_partition_graphs),
        partial: PartialCall::from_flags(message.is_partial, message.is_last_partial_run),
        on_this_thread: false,
    })
}

/// Writes the answer to a step of a graph that was asked for these keys.
///
/// # Errors
/// `InvalidArgument` for tensors that do not fit into one message, or cannot leave this process.
pub(crate) fn graph_answer_to_proto(keys: Vec<String>, answer: StepAnswer) -> Result<wire::RunGraphResponse> {
    check_fits(&answer.tensors)?;
    let recv = keys
        .into_iter()
        .zip(&answer.tensors)
        .map(|(name, tensor)| Ok(wire::NamedTensorProto { name, tensor: Some(to_proto(tensor)?) }));
    Ok(wire::RunGraphResponse {
        recv: recv.collect::<Result<_>>()?,
        step_stats: answer.stats.as_ref().map(stats_to_proto),
        partition_graph: answer.graphs,
        ..Default::default()
    })
}

/// Reads the answer to a step of a graph that was asked for these keys.
///
/// # Errors
/// The step's; `Internal` if a tensor is missing.
pub(crate) fn graph_answer_from_proto(
    message: wire::RunGraphResponse,
    receives: &[RendezvousKey],
) -> Result<StepAnswer> {
    status_from_body(message.status_code, &message.status_error_message)?;
    let find = |key: &RendezvousKey| {
        let named = message.recv.iter().find(|named| named.name == key.as_str());
        let tensor = named.and_then(|named| named.tensor.as_ref());
        from_proto(tensor.ok_or_else(|| err!(Internal, "the task did not return {}", key.name()))?)
    };
    let tensors = receives.iter().map(find).collect::<Result<_>>()?;
    let stats = message.step_stats.as_ref().map(stats_from_proto);
    Ok(StepAnswer { tensors, stats, graphs: message.partition_graph, costs: None })
}

/// Writes a tensor that another task has asked for.
///
/// # Errors
/// `InvalidArgument` for a tensor that does not fit into one message, or cannot leave this process.
pub(crate) fn parcel_to_proto(parcel: &Parcel) -> Result<wire::RecvTensorResponse> {
    Ok(match parcel {
        Parcel::Dead => wire::RecvTensorResponse { is_dead: true, ..Default::default() },
        Parcel::Tensor(tensor) => {
            check_fits([tensor])?;
            wire::RecvTensorResponse { tensor: Some(to_proto(tensor)?), ..Default::default() }
        }
    })
}

/// Reads a tensor that another task was asked for.
///
/// # Errors
/// `InvalidArgument` for a malformed tensor.
pub(crate) fn parcel_from_proto(message: wire::RecvTensorResponse) -> Result<Parcel> {
    if message.is_dead {
        return Ok(Parcel::Dead);
    }
    from_proto(&message.tensor.unwrap_or_default()).map(Parcel::Tensor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runtime::ClusterSpec;
    use tensor::Tensor;

    #[test]
    fn a_step_of_a_graph_survives_its_message() {
        let device = "/job:a/replica:0/task:0/device:CPU:0";
        let key = RendezvousKey::new(device, 7, device, "x:0", 0, 0);
        let call = StepCall {
            id: StepId(5),
            sends: vec![(key.clone(), Tensor::from(1f32))],
            receives: vec![key.clone()],
            trace: true,
            graphs: false,
            partial: Some(PartialCall::Last),
            on_this_thread: false,
        };
        let message = graph_call_to_proto(&"s".to_owned().into(), &"g".to_owned().into(), &call).unwrap();
        let read = graph_call_from_proto(&message).unwrap();
        assert_eq!((read.id, read.trace, read.graphs, read.partial), (call.id, true, false, Some(PartialCall::Last)));
        assert_eq!((read.sends[0].0.as_str(), &read.sends[0].1), (key.as_str(), &Tensor::from(1f32)));
        let answer = StepAnswer { tensors: vec![Tensor::from(2f32)], ..Default::default() };
        let message = graph_answer_to_proto(message.recv_key, answer).unwrap();
        assert_eq!(graph_answer_from_proto(message, &[key]).unwrap().tensors, [Tensor::from(2f32)]);
    }

    #[test]
    fn a_session_survives_its_message() {
        let cluster = ClusterSpec::new([("ps", vec!["a:1"])]).unwrap();
        let new = NewWorkerSession {
            handle: "s".to_owned().into(),
            isolate: true,
            cluster: Some((cluster, "ps".to_owned(), 0)),
        };
        let read = new_session_from_proto(new_session_to_proto(&new, &TaskName::new("ps", 0), 1)).unwrap();
        let (cluster, job, task) = read.cluster.unwrap();
        assert_eq!((cluster.address("ps", 0).unwrap(), job.as_str(), task), ("a:1", "ps", 0));
        assert!(read.handle == new.handle && read.isolate);
    }
}
