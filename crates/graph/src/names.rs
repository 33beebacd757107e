//! Names of devices and tensors, as TensorFlow spells them.

use std::fmt;

use tensor::{Result, Status, bail, ensure, err};

/// A device, or a constraint on one: every part may be left open.
///
/// ```
/// use tensorfleet_graph::DeviceName;
/// let name: DeviceName = "/job:ps/task:1/cpu:0".parse()?;
/// assert_eq!(name.to_string(), "/job:ps/task:1/device:CPU:0");
/// let outer: DeviceName = "/job:worker/task:3".parse()?;
/// assert_eq!(outer.overlaid("/gpu:0".parse()?).to_string(), "/job:worker/task:3/device:GPU:0");
/// # Ok::<(), tensor::Status>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceName {
    /// As in `/job:ps`.
    pub job: Option<String>,
    /// As in `/replica:0`.
    pub replica: Option<u32>,
    /// As in `/task:1`.
    pub task: Option<u32>,
    /// Upper case, as in `CPU`.
    pub kind: Option<String>,
    /// The number among the devices of its kind, as in `/device:CPU:0`.
    pub index: Option<u32>,
}

impl DeviceName {
    /// The full name of a CPU of a task.
    ///
    /// ```
    /// use tensorfleet::DeviceName;
    /// assert_eq!(DeviceName::cpu("worker", 1, 0).to_string(), "/job:worker/replica:0/task:1/device:CPU:0");
    /// ```
    pub fn cpu(job: &str, task: u32, index: u32) -> DeviceName {
        DeviceName {
            job: Some(job.into()),
            replica: Some(0),
            task: Some(task),
            kind: Some("CPU".into()),
            index: Some(index),
        }
    }

    /// Returns whether all parts are stated, so that there is only one such device.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::DeviceName;
    /// assert!(DeviceName::cpu("worker", 1, 0).is_full());
    /// assert!(!"/job:worker".parse::<DeviceName>()?.is_full());
    /// assert!("".parse::<DeviceName>()?.is_empty());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn is_full(&self) -> bool {
        self.job.is_some()
            && self.replica.is_some()
            && self.task.is_some()
            && self.kind.is_some()
            && self.index.is_some()
    }

    /// Returns whether nothing is stated, so that any device will do.
    pub fn is_empty(&self) -> bool {
        *self == DeviceName::default()
    }

    /// This name without the device itself: `/job:ps/replica:0/task:1`.
    ///
    /// ```
    /// use tensorfleet::DeviceName;
    /// assert_eq!(DeviceName::cpu("ps", 1, 0).task_name().to_string(), "/job:ps/replica:0/task:1");
    /// ```
    pub fn task_name(&self) -> DeviceName {
        DeviceName { kind: None, index: None, ..self.clone() }
    }

    /// Whether a full name satisfies this constraint.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::DeviceName;
    /// let any_worker: DeviceName = "/job:worker".parse()?;
    /// assert!(any_worker.matches(&DeviceName::cpu("worker", 1, 0)));
    /// assert!(!any_worker.matches(&DeviceName::cpu("ps", 1, 0)));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn matches(&self, full: &DeviceName) -> bool {
        fn agrees<T: PartialEq>(constraint: &Option<T>, value: &Option<T>) -> bool {
            constraint.is_none() || constraint == value
        }
        agrees(&self.job, &full.job)
            && agrees(&self.replica, &full.replica)
            && agrees(&self.task, &full.task)
            && agrees(&self.kind, &full.kind)
            && agrees(&self.index, &full.index)
    }

    /// This name with the parts that `inner` states put over it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::DeviceName;
    /// let outer: DeviceName = "/job:ps/task:0".parse()?;
    /// assert_eq!(outer.overlaid("/task:1".parse()?).to_string(), "/job:ps/task:1");
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn overlaid(&self, inner: DeviceName) -> DeviceName {
        DeviceName {
            job: inner.job.or_else(|| self.job.clone()),
            replica: inner.replica.or(self.replica),
            task: inner.task.or(self.task),
            index: inner.index.or(if inner.kind.is_none() || inner.kind == self.kind { self.index } else { None }),
            kind: inner.kind.or_else(|| self.kind.clone()),
        }
    }

    /// Both constraints at once; `None` if they contradict each other.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::DeviceName;
    /// let (job, task): (DeviceName, DeviceName) = ("/job:ps".parse()?, "/task:1".parse()?);
    /// assert_eq!(job.intersect(&task), Some("/job:ps/task:1".parse()?));
    /// assert_eq!(job.intersect(&"/job:worker".parse()?), None);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn intersect(&self, other: &DeviceName) -> Option<DeviceName> {
        fn both<T: PartialEq + Clone>(a: &Option<T>, b: &Option<T>) -> Option<Option<T>> {
            match (a, b) {
                (Some(x), Some(y)) if x != y => None,
                (Some(x), _) => Some(Some(x.clone())),
                (None, y) => Some(y.clone()),
            }
        }
        Some(DeviceName {
            job: both(&self.job, &other.job)?,
            replica: both(&self.replica, &other.replica)?,
            task: both(&self.task, &other.task)?,
            kind: both(&self.kind, &other.kind)?,
            index: both(&self.index, &other.index)?,
        })
    }
}

impl std::str::FromStr for DeviceName {
    type Err = Status;

    /// Accepts full, partial and legacy spellings: `/job:ps/task:1`, `/cpu:0`, `/device:GPU:*`.
    fn from_str(text: &str) -> Result<DeviceName> {
        let malformed = || err!(InvalidArgument, "Malformed device specification '{text}'");
        let number = |digits: &str| match digits {
            "*" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| malformed()),
        };
        let mut name = DeviceName::default();
        if text.is_empty() || text == "/" {
            return Ok(name);
        }
        let rest = text.strip_prefix('/').unwrap_or(text);
        for part in rest.split('/') {
            let mut fields = part.split(':');
            let (key, first, second) = (fields.next().unwrap_or(""), fields.next(), fields.next());
            if fields.next().is_some() {
                return Err(malformed());
            }
            match (key, first, second) {
                ("job", Some("*"), None) => {}
                ("job", Some(job), None) => {
                    ensure!(
                        is_job_name(job),
                        InvalidArgument,
                        "Malformed device specification '{text}': job name '{job}'"
                    );
                    name.job = Some(job.to_owned());
                }
                ("replica", Some(digits), None) => name.replica = number(digits)?,
                ("task", Some(digits), None) => name.task = number(digits)?,
                ("device", Some(kind), index) => {
                    name.kind = (kind != "*").then(|| kind.to_ascii_uppercase());
                    name.index = index.map_or(Ok(None), number)?;
                }
                (kind, index, None) if kind.eq_ignore_ascii_case("cpu") || kind.eq_ignore_ascii_case("gpu") => {
                    name.kind = Some(kind.to_ascii_uppercase());
                    name.index = index.map_or(Ok(None), number)?;
                }
                _ => return Err(malformed()),
            }
        }
        Ok(name)
    }
}

fn is_job_name(job: &str) -> bool {
    job.starts_with(|c: char| c.is_ascii_alphabetic()) && job.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(job) = &self.job {
            write!(f, "/job:{job}")?;
        }
        if let Some(replica) = self.replica {
            write!(f, "/replica:{replica}")?;
        }
        if let Some(task) = self.task {
            write!(f, "/task:{task}")?;
        }
        match (&self.kind, self.index) {
            (None, None) => Ok(()),
            (kind, index) => {
                write!(f, "/device:{}:", kind.as_deref().unwrap_or("*"))?;
                match index {
                    Some(index) => write!(f, "{index}"),
                    None => f.write_str("*"),
                }
            }
        }
    }
}

/// A node's output by name: `node:1`, or `node` for its first.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::TensorName;
/// let name: TensorName = "layer/split:1".parse()?;
/// assert_eq!((name.node.as_str(), name.index), ("layer/split", 1));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TensorName {
    /// The name of the node.
    pub node: String,
    /// Which of the node's outputs.
    pub index: u32,
}

impl std::str::FromStr for TensorName {
    type Err = Status;

    fn from_str(text: &str) -> Result<TensorName> {
        let (node, index) = match text.rsplit_once(':') {
            Some((node, digits)) => {
                let index = digits
                    .parse()
                    .map_err(|_| err!(InvalidArgument, "tensor name '{text}' has no output number after ':'"))?;
                (node, index)
            }
            None => (text, 0),
        };
        if node.is_empty() || node.starts_with('^') {
            bail!(InvalidArgument, "'{text}' is not the name of a tensor");
        }
        Ok(TensorName { node: node.to_owned(), index })
    }
}

impl fmt::Display for TensorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.node, self.index)
    }
}

/// Whether TensorFlow accepts this as a node's name: a letter, digit or dot, then also `_ - / \ >`.
pub(crate) fn is_node_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let later = |c: char| c.is_ascii_alphanumeric() || "_.\\-/>".contains(c);
    name.starts_with(first) && name.chars().all(later)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_devices() {
        let shown = |text: &str| text.parse::<DeviceName>().map(|name| name.to_string());
        assert_eq!(shown("/job:ps/replica:0/task:0/device:CPU:0").unwrap(), "/job:ps/replica:0/task:0/device:CPU:0");
        assert_eq!(shown("/CPU:0").unwrap(), "/device:CPU:0");
        assert_eq!(shown("/device:CPU:*").unwrap(), "/device:CPU:*");
        assert_eq!(shown("/job:*/task:3").unwrap(), "/task:3");
        assert_eq!(shown("").unwrap(), "");
        for bad in ["/job:", "/job:ps:1", "/task:x", "/tpux:0", "/job:1abc", "/task:-1", "//", "/device:CPU:0:1"] {
            assert!(shown(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn another_kind_of_device_drops_the_outer_index() {
        let outer: DeviceName = "/cpu:3".parse().unwrap();
        assert_eq!(outer.overlaid("/device:GPU:*".parse().unwrap()).to_string(), "/device:GPU:*");
    }

    #[test]
    fn names_of_tensors() {
        let name: TensorName = "layer/w:2".parse().unwrap();
        assert_eq!((name.node.as_str(), name.index), ("layer/w", 2));
        assert_eq!("x".parse::<TensorName>().unwrap().to_string(), "x:0");
        assert!(
            "^x".parse::<TensorName>().is_err()
                && "x:y".parse::<TensorName>().is_err()
                && ":0".parse::<TensorName>().is_err()
        );
    }
}
