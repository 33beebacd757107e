//! One task of a training job, to be killed and started again: `train_task JOB INDEX PS-HOSTS WORKER-HOSTS LOGDIR LAST-STEP`.
//!
//! Two variables on two parameter servers count steps together with the global step. A worker prints the global step after each
//! of its steps, and `done` in the end. With a single worker the three never differ, whatever was lost.

use std::process::ExitCode;
use std::time::Duration;

use tensorfleet::prelude::*;
use tensorfleet::train::Every;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [job, index, ps, workers, logdir, last_step] = &arguments[..] else {
        eprintln!("usage: train_task JOB INDEX PS-HOSTS WORKER-HOSTS LOGDIR LAST-STEP");
        return ExitCode::FAILURE;
    };
    let hosts = |list: &str| list.split(',').map(str::to_owned).collect::<Vec<_>>();
    match run(job, index.parse().unwrap_or(0), hosts(ps), hosts(workers), logdir, last_step.parse().unwrap_or(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(status) => {
            eprintln!("{job} {index}: {status}");
            ExitCode::FAILURE
        }
    }
}

fn run(job: &str, index: u32, ps: Vec<String>, workers: Vec<String>, logdir: &str, last_step: i64) -> Result<()> {
    let cluster = ClusterSpec::new([("ps", ps), ("worker", workers)])?;
    let server = Server::new(&cluster, job, index)?;
    if job == "ps" {
        println!("ready");
        server.join();
        return Ok(());
    }
    let g = Graph::new();
    let device = ReplicaDeviceSetter::for_cluster(&cluster).worker_device(&format!("/job:worker/task:{index}"));
    let (step, a, b, train) = g.with_device(device, |g| {
        let step = get_or_create_global_step(g);
        let a = Variable::new("a", g.constant(0i64));
        let b = Variable::new("b", g.constant(0i64));
        let one = g.constant(1i64);
        let adds = [a.assign_add(&one), b.assign_add(&one)];
        let train = g.with_control_dependencies(&adds, |_| step.assign_add(&one));
        (step, a, b, train)
    });
    let session = MonitoredTrainingSession::new(&g, RemoteSessions::new(server.target()))
        .is_chief(index == 0)
        .logdir(logdir)
        .save_checkpoint_every(Every::Steps(50))
        .hook(StopAtStepHook::last_step(last_step))
        .recovery_wait(Duration::from_secs(1))
        .max_wait(Duration::from_secs(120))
        .open()?;
    session.run_until_stop(|session| {
        session.run(RunRequest::new().target(&train))?;
        let request = RunRequest::new().fetch(step.value()).fetch(a.value()).fetch(b.value());
        match session.raw_session()?.fetch(request) {
            Ok(values) => {
                let values = values.iter().map(Tensor::to_scalar::<i64>).collect::<Result<Vec<_>>>()?;
                println!("step {} {} {}", values[0], values[1], values[2]);
                Ok(())
            }
            // The next step meets the loss too, and recovers from it.
            Err(status) if matches!(status.code(), Code::Aborted | Code::Unavailable) => Ok(()),
            Err(status) => Err(status),
        }
    })?;
    println!("done");
    Ok(())
}
