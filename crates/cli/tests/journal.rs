//! A parameter server with a journal that is killed and started again has its variables still.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tensorfleet::prelude::*;
use testkit::free_hosts;

const LIMIT: Duration = Duration::from_secs(60);

/// A server that is killed, with no chance to write anything more, when dropped.
struct Ps(Child);

impl Drop for Ps {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(host: &str, journal: &str) -> Ps {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tensorfleet"));
    let flags = ["serve", "--ps_hosts", host, "--job_name=ps", "--task_index=0", "--journal", journal];
    let mut child = command.args(flags).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines().next();
    assert!(said.is_some_and(|line| line.is_ok_and(|line| line.starts_with("Server started"))));
    Ps(child)
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A step adds one to both; whatever comes back, they are equal.
struct Model {
    graph: Graph,
    by_reference: Variable,
    by_handle: Variable,
    init: Operation,
    step: Operation,
}

fn model() -> Model {
    let g = Graph::new();
    let by_reference = Variable::new("r", g.zeros([1000], DType::Float));
    Variable::set_kind(&g, tensorfleet::train::VariableKind::Resource);
    let by_handle = Variable::new("h", g.zeros([1000], DType::Float));
    let ones = g.ones([1000], DType::Float);
    let steps = [by_reference.assign_add(&ones), by_handle.assign_add(&ones)];
    let (init, step) = (global_variables_initializer(&g), g.group(&steps));
    Model { graph: g, by_reference, by_handle, init, step }
}

#[test]
fn a_ps_that_was_killed_has_its_variables_still() -> Result<()> {
    let host = free_hosts(1).remove(0);
    let folder = Folder(std::env::temp_dir().join(format!("tensorfleet-journal-kill-{}", std::process::id())));
    let _ = std::fs::remove_dir_all(&folder.0);
    let journal = folder.0.to_str().unwrap();
    let Model { graph, by_reference, by_handle, init, step } = model();
    let mut before = 0.0;
    for life in 0..3 {
        let ps = start(&host, journal);
        let session = RemoteSession::new(&format!("grpc://{host}"), &graph)?;
        if life == 0 {
            session.eval(&init)?;
        }
        let (r, h): (Vec<f32>, Vec<f32>) = session.eval((&by_reference, &by_handle))?;
        assert!(r == h && r.iter().all(|x| *x == r[0]), "of one moment: {} and {}", r[0], h[0]);
        assert!(r[0] >= before, "life {life}: {} after {before}", r[0]);
        // The first rounds of this life are written while steps are made.
        let rounds = || {
            std::fs::read_dir(folder.0.join("ps-0/cpu-0")).map_or(0, |entries| {
                let number = |name: String| name.strip_prefix("state-")?.strip_suffix(".index")?.parse::<u64>().ok();
                entries.flatten().filter_map(|entry| number(entry.file_name().into_string().ok()?)).max().unwrap_or(0)
            })
        };
        let (first, begin) = (rounds(), Instant::now());
        before = r[0];
        let mut made = 0.0;
        while rounds() < first + 2 {
            if rounds() <= first {
                // What was there when a round began is in it.
                before = r[0] + made;
            }
            session.eval(&step)?;
            made += 1.0;
            assert!(begin.elapsed() < LIMIT, "no round is written");
        }
        drop(ps);
    }
    Ok(())
}
