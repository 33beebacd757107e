//! Clusters as TensorFlow's messages.

use runtime::ClusterSpec;
use tensor::{Result, err};

/// Reads the description of a cluster.
///
/// # Errors
/// `InvalidArgument` for malformed names, numbers or addresses.
pub(crate) fn cluster_from_proto(message: &wire::ClusterDef) -> Result<ClusterSpec> {
    let mut cluster = ClusterSpec::default();
    for job in &message.job {
        for (task, address) in &job.tasks {
            let task = u32::try_from(*task)
                .map_err(|_| err!(InvalidArgument, "job '{}': {task} is not a task number", job.name))?;
            cluster.add(&job.name, task, address.clone())?;
        }
    }
    Ok(cluster)
}

/// Describes a cluster.
pub(crate) fn cluster_to_proto(cluster: &ClusterSpec) -> wire::ClusterDef {
    let job = cluster.jobs().map(|(name, tasks)| wire::JobDef {
        name: name.to_owned(),
        tasks: tasks.iter().map(|(task, address)| (*task as i32, address.clone())).collect(),
    });
    wire::ClusterDef { job: job.collect() }
}
