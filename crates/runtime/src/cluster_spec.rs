//! The cluster: jobs, their tasks, and the address of each.

use std::collections::BTreeMap;

use tensor::{Result, bail, ensure, err};

/// Which tasks there are and where: job -> task number -> `host:port`.
///
/// ```
/// use tensorfleet_runtime::ClusterSpec;
/// let cluster = ClusterSpec::new([("ps", vec!["localhost:2222"]), ("worker", vec!["localhost:2223", "localhost:2224"])])?;
/// assert_eq!(cluster.address("worker", 1)?, "localhost:2224");
/// # Ok::<(), tensor::Status>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterSpec {
    jobs: BTreeMap<String, BTreeMap<u32, String>>,
}

impl ClusterSpec {
    /// The tasks of each job, numbered in the order of their addresses.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = ClusterSpec::new([("ps", vec!["host0:2222"]), ("worker", vec!["host1:2222", "host2:2222"])])?;
    /// assert_eq!((cluster.num_tasks("ps"), cluster.num_tasks("worker")), (1, 2));
    /// assert!(ClusterSpec::new([("worker", vec!["no port"])]).is_err());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed job name or address.
    pub fn new<J: Into<String>, A: Into<String>>(jobs: impl IntoIterator<Item = (J, Vec<A>)>) -> Result<ClusterSpec> {
        let mut spec = ClusterSpec::default();
        for (job, addresses) in jobs {
            let job = job.into();
            for (task, address) in addresses.into_iter().enumerate() {
                spec.add(&job, task as u32, address)?;
            }
        }
        Ok(spec)
    }

    /// Adds a task.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let mut cluster = ClusterSpec::new([("worker", vec!["host1:2222"])])?;
    /// cluster.add("worker", 7, "host7:2222")?;
    /// assert_eq!(cluster.address("worker", 7)?, "host7:2222");
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed job name or address.
    pub fn add(&mut self, job: &str, task: u32, address: impl Into<String>) -> Result<()> {
        let well_formed = job.starts_with(|c: char| c.is_ascii_alphabetic())
            && job.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        ensure!(
            well_formed,
            InvalidArgument,
            "'{job}' is not a job name: letters, digits and '_', beginning with a letter"
        );
        let address = address.into();
        check_address(&address).map_err(|status| status.context(format_args!("/job:{job}/task:{task}")))?;
        self.jobs.entry(job.to_owned()).or_default().insert(task, address);
        Ok(())
    }

    /// The jobs by name, with the addresses of their tasks by number.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = ClusterSpec::new([("ps", vec!["host0:2222"]), ("worker", vec!["host1:2222"])])?;
    /// let names: Vec<&str> = cluster.jobs().map(|(job, _addresses)| job).collect();
    /// assert_eq!(names, ["ps", "worker"]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn jobs(&self) -> impl Iterator<Item = (&str, &BTreeMap<u32, String>)> {
        self.jobs.iter().map(|(job, tasks)| (job.as_str(), tasks))
    }

    /// How many tasks a job has; none if there is no such job.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = ClusterSpec::new([("worker", vec!["host1:2222", "host2:2222"])])?;
    /// assert_eq!((cluster.num_tasks("worker"), cluster.num_tasks("ps")), (2, 0));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn num_tasks(&self, job: &str) -> usize {
        self.jobs.get(job).map_or(0, BTreeMap::len)
    }

    /// All tasks, as job and number.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = ClusterSpec::new([("worker", vec!["host1:2222", "host2:2222"])])?;
    /// assert_eq!(cluster.tasks().collect::<Vec<_>>(), [("worker", 0), ("worker", 1)]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn tasks(&self) -> impl Iterator<Item = (&str, u32)> {
        self.jobs.iter().flat_map(|(job, tasks)| tasks.keys().map(move |task| (job.as_str(), *task)))
    }

    /// The address of a task.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let cluster = ClusterSpec::new([("worker", vec!["host1:2222"])])?;
    /// assert_eq!(cluster.address("worker", 0)?, "host1:2222");
    /// assert_eq!(cluster.address("worker", 1).unwrap_err().code(), Code::InvalidArgument);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such task.
    pub fn address(&self, job: &str, task: u32) -> Result<&str> {
        let Some(tasks) = self.jobs.get(job) else {
            let known: Vec<&str> = self.jobs.keys().map(String::as_str).collect();
            bail!(InvalidArgument, "there is no job '{job}' in the cluster; its jobs are: {}", known.join(", "));
        };
        let found = tasks.get(&task).map(String::as_str);
        found.ok_or_else(|| {
            err!(
                InvalidArgument,
                "there is no task {task} in job '{job}'; its tasks are {:?}",
                tasks.keys().collect::<Vec<_>>()
            )
        })
    }
}

fn check_address(address: &str) -> Result<()> {
    let malformed = || err!(InvalidArgument, "'{address}' is not an address of the form host:port");
    let (host, port) = address.rsplit_once(':').ok_or_else(malformed)?;
    let bracketed = host.starts_with('[') && host.ends_with(']');
    ensure!(
        !host.is_empty() && (bracketed || !host.contains([':', '/', ' '])),
        InvalidArgument,
        "{}",
        malformed().message()
    );
    port.parse::<u16>().map_err(|_| malformed())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_entries_are_named() {
        for bad in ["localhost", "localhost:", ":2222", "localhost:99999", "http://x:1", "a:b:1"] {
            let error = ClusterSpec::new([("ps", vec![bad])]).unwrap_err();
            assert!(error.message().starts_with("/job:ps/task:0: "), "{error}");
        }
        assert!(ClusterSpec::new([("1ps", vec!["localhost:1"])]).is_err());
        assert!(ClusterSpec::new([("ps", vec!["[::1]:2222"])]).is_ok());
        let spec = ClusterSpec::new([("ps", vec!["localhost:1"])]).unwrap();
        assert!(spec.address("ps", 3).is_err() && spec.address("chief", 0).is_err());
    }
}
