//! Groups with tasks of TensorFlow that gather here.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use graph::DeviceName;
use parking_lot::Mutex;
use tensor::{Result, Status, ensure, err};
use tokio::sync::watch;

/// So many gather here.
const MAX_GROUPS: usize = 4096;

/// The members of a group, by rank.
pub(super) type Members = Arc<[wire::DeviceAttributes]>;

#[derive(Default)]
pub(super) struct Groups(Mutex<HashMap<i32, Group>>);

struct Group {
    size: usize,
    device_type: String,
    members: BTreeMap<DeviceName, wire::DeviceAttributes>,
    state: watch::Sender<Option<Result<Members>>>,
}

/// Waits until something is settled.
pub(super) struct Pending<T>(pub watch::Receiver<Option<Result<T>>>);

impl<T: Clone> Pending<T> {
    /// # Errors
    /// What it ended with; `Aborted` if it was given up.
    pub async fn wait(mut self) -> Result<T> {
        let settled = self.0.wait_for(Option::is_some).await;
        let outcome = settled.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or_else(|| Err(err!(Aborted, "the collective group has begun anew")))
    }
}

impl Groups {
    /// Adds a member; also says whether its group has begun anew.
    ///
    /// # Errors
    /// `Internal` for a device that does not fit in, `ResourceExhausted` if there are too many groups.
    pub fn join(&self, request: wire::CompleteGroupRequest) -> Result<(Pending<Members>, bool)> {
        let (key, wanted) = (request.group_key, request.group_size);
        let device = request.device_attributes.ok_or_else(|| {
            err!(
                Internal,
                "CompleteGroupRequest device_attributes is not set. Make sure you're running the same version of Tensorflow on all workers."
            )
        })?;
        let name: DeviceName = device.name.parse()?;
        let size = usize::try_from(wanted).ok().filter(|size| *size > 0);
        let size = size.ok_or_else(|| err!(InvalidArgument, "group_size must be positive integer but got {wanted}"))?;
        let mut groups = self.0.lock();
        // A device that has begun anew has lost the others, and they have lost it.
        let restarted =
            |group: &Group| group.members.get(&name).is_some_and(|known| known.incarnation != device.incarnation);
        let anew = groups.get(&key).is_some_and(restarted);
        if anew {
            groups.remove(&key);
        }
        ensure!(
            groups.len() < MAX_GROUPS || groups.contains_key(&key),
            ResourceExhausted,
            "{MAX_GROUPS} groups gather here already"
        );
        let group = groups.entry(key).or_insert_with(|| Group {
            size,
            device_type: request.device_type.clone(),
            members: BTreeMap::new(),
            state: watch::Sender::new(None),
        });
        let is_new = !group.members.contains_key(&name);
        let refusal = if group.device_type != request.device_type {
            Some(err!(
                Internal,
                "Device {} is joining a group with incompatible device type {} (group_key={key})",
                device.name,
                group.device_type
            ))
        } else if group.size != size {
            Some(err!(
                Internal,
                "Device {} is joining a group with size{size}, but that group has size {} (group_key={key})",
                device.name,
                group.size
            ))
        } else if is_new && group.members.len() == size {
            Some(err!(Internal, "Device {} is joining a group that is already full (group_key={key})", device.name))
        } else {
            None
        };
        if let Some(status) = refusal {
            group.refuse(&status);
            return Err(status);
        }
        group.members.insert(name, device);
        if group.members.len() == size && group.state.borrow().is_none() {
            group.state.send_replace(Some(Ok(group.members.values().cloned().collect())));
        }
        Ok((Pending(group.state.subscribe()), anew))
    }

    /// The members of a group that is complete.
    pub fn complete(&self, group: i32) -> Option<Members> {
        let groups = self.0.lock();
        let state = groups.get(&group)?.state.borrow();
        state.as_ref()?.as_ref().ok().cloned()
    }
}

impl Group {
    /// Whoever waits is told, and whoever comes later; a group that is complete stays.
    fn refuse(&self, status: &Status) {
        if self.state.borrow().is_none() {
            self.state.send_replace(Some(Err(status.clone())));
        }
    }
}

#[cfg(test)]
mod tests {
    use tensor::Code;

    use super::*;

    fn request(task: u32, incarnation: u64, size: i32) -> wire::CompleteGroupRequest {
        let name = format!("/job:worker/replica:0/task:{task}/device:CPU:0");
        let device = wire::DeviceAttributes { name, incarnation, ..Default::default() };
        wire::CompleteGroupRequest {
            group_key: 1,
            group_size: size,
            device_type: "CPU".to_owned(),
            collective_type: 0,
            device_attributes: Some(device),
        }
    }

    #[tokio::test]
    async fn a_group_is_complete_when_all_came_and_begins_anew_with_a_member_that_does() {
        let groups = Groups::default();
        let (first, _) = groups.join(request(10, 1, 2)).unwrap();
        assert!(groups.complete(1).is_none());
        let (second, _) = groups.join(request(9, 2, 2)).unwrap();
        let members = first.wait().await.unwrap();
        assert_eq!(members.iter().map(|member| member.incarnation).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(second.wait().await.unwrap(), members);
        // Again the same, and a stranger.
        assert_eq!(groups.join(request(10, 1, 2)).unwrap().0.wait().await.unwrap(), members);
        assert_eq!(groups.join(request(3, 1, 2)).err().unwrap().code(), Code::Internal);
        let (anew, is_anew) = groups.join(request(10, 5, 2)).unwrap();
        assert!(is_anew && groups.complete(1).is_none());
        assert_eq!(groups.join(request(9, 2, 3)).err().unwrap().code(), Code::Internal);
        assert_eq!(anew.wait().await.unwrap_err().code(), Code::Internal);
    }
}
