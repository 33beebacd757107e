//! Which addresses a client may send this task to, with a description of the cluster of its own.

use runtime::ClusterSpec;
use tensor::{Result, ensure};

/// A client's cluster of more tasks than this is taken for an attack.
const MOST_TASKS: usize = 10_000;

/// The addresses of the own cluster, and patterns of others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allowed {
    patterns: Vec<String>,
}

impl Allowed {
    /// Patterns are `host:port` or `host`, in which `*` stands for any text.
    pub fn new(patterns: &[String]) -> Allowed {
        Allowed { patterns: patterns.to_vec() }
    }

    /// Makes sure that a client's cluster leads nowhere else. Its own address of this task, which is not dialled, may be any.
    ///
    /// # Errors
    /// `PermissionDenied` for an address that is neither of `own` nor fits a pattern; `ResourceExhausted` for too many tasks.
    pub fn check(&self, own: &ClusterSpec, client: &ClusterSpec, this: (&str, u32)) -> Result<()> {
        let count = client.tasks().count();
        ensure!(
            count <= MOST_TASKS,
            ResourceExhausted,
            "cluster_def: a client's cluster may have {MOST_TASKS} tasks, and this one has {count}"
        );
        let known: Vec<&str> = own.tasks().filter_map(|(job, task)| own.address(job, task).ok()).collect();
        for (job, task) in client.tasks().filter(|task| *task != this) {
            let address = client.address(job, task)?;
            ensure!(
                known.contains(&address) || self.patterns.iter().any(|pattern| fits(pattern, address)),
                PermissionDenied,
                "cluster_def: /job:{job}/task:{task} is at {address}, which is not an address of this server's cluster; \
                 its operator can allow it with --allow_cluster_def"
            );
        }
        Ok(())
    }
}

fn fits(pattern: &str, address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    // The colons of an IPv6 address stand in brackets.
    let with_port = pattern.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
    matches(pattern.as_bytes(), if with_port { address } else { host }.as_bytes())
}

/// Whether a text fits a pattern. Goes back only to the last `*`.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == text[t] => (p, t) = (p + 1, t + 1),
            _ => match star {
                Some((at, from)) => {
                    (p, t) = (at + 1, from + 1);
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use tensor::Code;

    use super::*;

    #[test]
    fn patterns_are_hosts_with_or_without_a_port() {
        for (pattern, address, fit) in [
            ("host:1", "host:1", true),
            ("host:1", "host:12", false),
            ("host", "host:12", true),
            ("host", "ghost:12", false),
            ("*.example.com", "a.b.example.com:2222", true),
            ("*.example.com", "example.com.evil:2222", false),
            ("10.0.0.*:2222", "10.0.0.7:2222", true),
            ("10.0.0.*:2222", "10.0.0.7:22", false),
            ("[::1]", "[::1]:5", true),
            ("[::1]:6", "[::1]:5", false),
            ("*", "anything:1", true),
            ("", "host:1", false),
        ] {
            assert_eq!(fits(pattern, address), fit, "{pattern} {address}");
        }
    }

    #[test]
    fn a_client_leads_to_the_own_cluster_and_where_it_is_allowed_to() {
        let own = ClusterSpec::new([("ps", vec!["a:1", "b:2"])]).unwrap();
        let client = |address: &str| ClusterSpec::new([("w", vec!["elsewhere:9", "b:2", address])]).unwrap();
        let check = |allowed: &[&str], address: &str| {
            let allowed: Vec<String> = allowed.iter().map(|pattern| (*pattern).to_owned()).collect();
            Allowed::new(&allowed).check(&own, &client(address), ("w", 0))
        };
        check(&[], "a:1").unwrap();
        check(&["c"], "c:3").unwrap();
        let refused = check(&["c:4"], "c:3").unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied);
        assert!(refused.message().contains("/job:w/task:2 is at c:3"), "{refused}");
        let many = ClusterSpec::new([("w", vec!["a:1"; MOST_TASKS + 1])]);
        let refused = many.and_then(|many| Allowed::default().check(&own, &many, ("w", 0))).unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
    }
}
