//! A worker of a job that it shares with a Python worker: `shared_worker TARGET PS_TASKS TASK KIND MODE STEPS`, where KIND is
//! `ref` or `resource` and MODE `async` or `sync`. Worker 0 is the chief. The graph is that of `interop/shared_job.py`.

use std::process::ExitCode;

use tensorfleet::prelude::*;
use tensorfleet::train::{Initializer, SyncReplicasHook, VariableKind};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, ps_tasks, task, kind, mode, steps] = &arguments[..] else {
        eprintln!("usage: shared_worker TARGET PS_TASKS TASK KIND MODE STEPS");
        return ExitCode::FAILURE;
    };
    let number = |text: &str| text.parse::<u32>().unwrap_or(0);
    let kind = if kind == "ref" { VariableKind::Ref } else { VariableKind::Resource };
    match train(target, number(ps_tasks), number(task), kind, mode == "sync", number(steps)) {
        Ok(steps) => {
            println!("{steps} steps");
            ExitCode::SUCCESS
        }
        Err(status) => {
            eprintln!("shared_worker: {status}");
            ExitCode::FAILURE
        }
    }
}

fn train(target: &str, ps_tasks: u32, task: u32, kind: VariableKind, sync: bool, steps: u32) -> Result<u32> {
    let g = Graph::new();
    Variable::set_kind(&g, kind);
    let is_chief = task == 0;
    let worker = format!("/job:worker/task:{task}");
    let setter = ReplicaDeviceSetter::new(ps_tasks).worker_device(&worker);
    let (train, hook) = g.with_device(setter, |_| -> Result<(Operation, Option<SyncReplicasHook>)> {
        let w = g.get_variable("w", [2], Initializer::Zeros);
        let table = g.get_variable("table", [4, 2], Initializer::Zeros);
        let step = get_or_create_global_step(&g);
        let x = g.constant(if is_chief { [1f32, 3.0] } else { [3.0, 5.0] });
        let rows = table.rows(&g.constant([0i32, 1, 1]));
        let loss = (&w * &x).reduce_sum(..) + rows.reduce_sum(..);
        if !sync {
            return Ok((GradientDescent::new(0.125).minimize(&loss, Some(&step))?, None));
        }
        let sync = SyncReplicas::new(Adam::new(0.01), 2);
        let train = sync.minimize(&loss, Some(&step))?;
        Ok((train, Some(sync.make_session_run_hook(is_chief, None)?)))
    })?;
    let sessions = RemoteSessions::new(target).device_filters(["/job:ps", worker.as_str()]);
    let session = MonitoredTrainingSession::new(&g, sessions).is_chief(is_chief);
    let mut session = match hook {
        Some(hook) => session.hook(hook).hook(StopAtStepHook::last_step(i64::from(steps))),
        None => session,
    }
    .open()?;
    let mut made = 0;
    while !session.should_stop() && (sync || made < steps) {
        match session.run(RunRequest::new().target(&train)) {
            Ok(_) => made += 1,
            // The chief has finished.
            Err(status) if status.code() == Code::OutOfRange => break,
            Err(status) => return Err(status),
        }
    }
    session.close()?;
    Ok(made)
}
