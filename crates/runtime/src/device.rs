//! Devices: where nodes run. Here all of them are CPUs of this process.

use std::sync::Arc;

use graph::DeviceName;
use tensor::{Result, err};

use crate::{FileRoots, ResourceManager};

/// A device of this process.
///
/// ```
/// use tensorfleet_runtime::Device;
///
/// let device = Device::cpu("worker", 1, 0);
/// assert_eq!(device.full_name, "/job:worker/replica:0/task:1/device:CPU:0");
/// assert!(device.resources.is_empty());
/// ```
pub struct Device {
    /// The full name, in its parts.
    pub name: DeviceName,
    /// The full name, spelled out.
    pub full_name: String,
    /// A random number that changes when the process restarts.
    pub incarnation: u64,
    /// In bytes, as clients are told; nothing is held to it.
    pub memory_limit: i64,
    /// Its variables, queues, iterators and the like.
    pub resources: Arc<ResourceManager>,
    /// Which files its kernels may touch.
    pub files: Arc<FileRoots>,
}

impl Device {
    /// A CPU of a task. Resources of no named container go to the container named after the job.
    ///
    /// ```
    /// use tensorfleet_runtime::Device;
    /// assert_eq!(Device::cpu("ps", 0, 1).full_name, "/job:ps/replica:0/task:0/device:CPU:1");
    /// ```
    pub fn cpu(job: &str, task: u32, index: u32) -> Device {
        let name = DeviceName::cpu(job, task, index);
        Device {
            full_name: name.to_string(),
            name,
            incarnation: random_incarnation(),
            memory_limit: 256 << 20,
            resources: Arc::new(ResourceManager::new(job)),
            files: Arc::default(),
        }
    }

    /// The same device, whose kernels may touch these files only.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tensorfleet_runtime::{Device, FileRoots};
    /// let roots = FileRoots::new([std::env::temp_dir()])?;
    /// let device = Device::cpu("ps", 0, 0).with_files(Arc::new(roots));
    /// # Ok::<(), tensor::Status>(())
    /// ```
    #[must_use]
    pub fn with_files(self, files: Arc<FileRoots>) -> Device {
        Device { files, ..self }
    }

    /// The same device with resources of its own, for a session that shares nothing.
    #[must_use]
    pub fn isolated(&self) -> Device {
        let job = self.name.job.as_deref().unwrap_or("");
        Device { resources: Arc::new(ResourceManager::new(job)), ..self.of_task(&self.name) }
    }

    /// The same device, as a session with another description of the cluster calls it.
    #[must_use]
    pub fn of_task(&self, task: &DeviceName) -> Device {
        let name = DeviceName { job: task.job.clone(), replica: task.replica, task: task.task, ..self.name.clone() };
        Device {
            full_name: name.to_string(),
            name,
            incarnation: self.incarnation,
            memory_limit: self.memory_limit,
            resources: self.resources.clone(),
            files: self.files.clone(),
        }
    }
}

fn random_incarnation() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = std::collections::hash_map::RandomState::new().build_hasher();
    hasher
        .write_u128(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |now| now.as_nanos()));
    hasher.write_u32(std::process::id());
    hasher.finish().max(1)
}

/// The devices that a graph may be placed on: those of this task and, in a cluster, those of others. The first one is
/// where a client's values enter and leave.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet_runtime::{Device, DeviceSet};
///
/// let own = Arc::new(Device::cpu("worker", 0, 0));
/// let mut devices = DeviceSet::of(&[own.clone()]);
/// devices.add("/job:ps/replica:0/task:0/device:CPU:0".parse()?, 7);
/// assert_eq!(devices.client_device()?, own.full_name);
/// assert_eq!(devices.incarnation("/job:ps/replica:0/task:0/device:CPU:0")?, 7);
/// # Ok::<(), tensor::Status>(())
/// ```
#[derive(Clone, Default)]
pub struct DeviceSet {
    devices: Vec<DeviceEntry>,
}

#[derive(Clone)]
struct DeviceEntry {
    name: DeviceName,
    full_name: String,
    incarnation: u64,
}

impl DeviceSet {
    /// The devices of one task.
    pub fn of(devices: &[Arc<Device>]) -> DeviceSet {
        let mut set = DeviceSet::default();
        for device in devices {
            set.add(device.name.clone(), device.incarnation);
        }
        set
    }

    /// Adds a device, of this task or another one.
    pub fn add(&mut self, name: DeviceName, incarnation: u64) {
        self.devices.push(DeviceEntry { full_name: name.to_string(), name, incarnation });
    }

    /// The full names, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &DeviceName> {
        self.devices.iter().map(|device| &device.name)
    }

    /// The device where feeds enter and fetches leave.
    ///
    /// # Errors
    /// `Internal` if there is no device at all.
    pub fn client_device(&self) -> Result<&str> {
        self.devices
            .first()
            .map(|device| device.full_name.as_str())
            .ok_or_else(|| err!(Internal, "there are no devices"))
    }

    /// The number of a device that changes when its process restarts.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no such device.
    pub fn incarnation(&self, full_name: &str) -> Result<u64> {
        let found = self.devices.iter().find(|device| device.full_name == full_name);
        found.map(|device| device.incarnation).ok_or_else(|| err!(InvalidArgument, "there is no device {full_name}"))
    }
}
