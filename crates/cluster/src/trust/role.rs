//! What somebody who came in is.

use crate::call::TaskName;

/// A certificate with this name among its alternative names is a client's. So is one without any of ours.
pub const CLIENT_URI: &str = "tensorfleet://cluster/client";
/// A certificate with this name is an operator's.
pub const OPERATOR_URI: &str = "tensorfleet://cluster/operator";

/// Returns the name in the certificate of a task.
///
/// ```
/// assert_eq!(tensorfleet_cluster::task_uri("ps", 0), "tensorfleet://cluster/job/ps/task/0");
/// ```
pub fn task_uri(job: &str, task: u32) -> String {
    format!("tensorfleet://cluster/job/{job}/task/{task}")
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Whoever reaches a server that asks for nothing.
    Anyone,
    /// Somebody with the token of a cluster without certificates: its tasks and clients are not told apart.
    Member,
    /// A task, by its certificate.
    Task(TaskName),
    /// A client, by its certificate, or by its token where tasks have certificates.
    Client,
    /// An operator, by certificate.
    Operator,
}

impl Role {
    /// The role of a certificate with these alternative names.
    pub fn of_certificate<'a>(names: impl IntoIterator<Item = &'a str>) -> Role {
        names.into_iter().find_map(Role::of_name).unwrap_or(Role::Client)
    }

    fn of_name(name: &str) -> Option<Role> {
        match name {
            CLIENT_URI => return Some(Role::Client),
            OPERATOR_URI => return Some(Role::Operator),
            _ => {}
        }
        let (job, task) = name.strip_prefix("tensorfleet://cluster/job/")?.split_once("/task/")?;
        Some(Role::Task(TaskName::new(job, task.parse().ok()?)))
    }

    /// Whether it may ask for what only tasks ask of each other: to register graphs, to run parts of steps, to take tensors.
    pub fn is_task(&self) -> bool {
        matches!(self, Role::Anyone | Role::Member | Role::Task(_))
    }

    /// Whether it may close the sessions of others and empty what all share.
    pub fn may_wipe(&self) -> bool {
        *self != Role::Client
    }

    /// Whether it may go by the name of this task, or by none.
    pub fn may_be(&self, task: Option<&TaskName>) -> bool {
        match self {
            Role::Anyone | Role::Member => true,
            // Programs of a task are clients of their own servers, and of others.
            Role::Task(own) => task.is_none_or(|task| task == own),
            Role::Client | Role::Operator => task.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_name_roles() {
        let ps = TaskName::new("ps", 1);
        assert_eq!(Role::of_certificate([task_uri("ps", 1).as_str()]), Role::Task(ps.clone()));
        assert_eq!(Role::of_certificate(["spiffe://other/name", OPERATOR_URI]), Role::Operator);
        for client in [CLIENT_URI, "", "tensorfleet://cluster/job/ps/task/-1", "tensorfleet://elsewhere/job/ps/task/1"]
        {
            assert_eq!(Role::of_certificate([client]), Role::Client, "{client}");
        }
    }

    #[test]
    fn only_tasks_go_by_the_name_of_a_task_and_by_their_own() {
        let (ps, other) = (TaskName::new("ps", 0), TaskName::new("ps", 1));
        assert!(Role::Task(ps.clone()).may_be(Some(&ps)) && Role::Task(ps.clone()).may_be(None));
        assert!(!Role::Task(ps.clone()).may_be(Some(&other)));
        for client in [Role::Client, Role::Operator] {
            assert!(client.may_be(None) && !client.may_be(Some(&ps)) && !client.is_task());
        }
        assert!(Role::Member.may_be(Some(&ps)) && !Role::Client.may_wipe() && Role::Operator.may_wipe());
    }
}
