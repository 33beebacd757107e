//! One worker of a job without parameter servers, to be killed: `all_reduce_task INDEX WORKER-HOSTS LAST-STEP wait|shrink|end`.
//!
//! The gradient of each worker is its own number plus one. A worker prints the global step and the value after each of its
//! steps, and `done` in the end.

use std::process::ExitCode;
use std::time::Duration;

use tensorfleet::prelude::*;
use tensorfleet::train::OnLoss;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [index, workers, last_step, on_loss] = &arguments[..] else {
        eprintln!("usage: all_reduce_task INDEX WORKER-HOSTS LAST-STEP wait|shrink|end");
        return ExitCode::FAILURE;
    };
    let on_loss = match on_loss.as_str() {
        "shrink" => OnLoss::Shrink { at_least: 2, after: Duration::from_secs(2) },
        "end" => OnLoss::End,
        _ => OnLoss::Wait,
    };
    let workers = workers.split(',').map(str::to_owned).collect();
    match run(index.parse().unwrap_or(0), workers, last_step.parse().unwrap_or(1), on_loss) {
        Ok(()) => ExitCode::SUCCESS,
        Err(status) => {
            println!("failed {status}");
            ExitCode::FAILURE
        }
    }
}

fn run(index: u32, workers: Vec<String>, last_step: i64, on_loss: OnLoss) -> Result<()> {
    let count = workers.len();
    let cluster = ClusterSpec::new([("worker", workers)])?;
    let server = Server::new(&cluster, "worker", index)?;
    let g = Graph::new();
    let (step, w, train, hook) = g.with_device(format!("/job:worker/task:{index}"), |g| -> Result<_> {
        let step = get_or_create_global_step(g);
        let w = Variable::new("w", g.constant(0f32));
        let table = Variable::new("table", g.constant([[0f32], [0.0]]));
        let own = (index + 1) as f32;
        // Dense for one variable, and rows of the other.
        let loss = &w * own + (table.rows(&g.constant([0i32])) * own).reduce_sum(..);
        let optimizer = AllReduce::new(GradientDescent::new(1.0), count, index).on_loss(on_loss);
        let train = optimizer.minimize(&loss, Some(&step))?;
        Ok((step, (w, table), train, optimizer.make_session_run_hook()?))
    })?;
    let session = MonitoredTrainingSession::new(&g, RemoteSessions::new(server.target()))
        .hook(hook)
        .hook(StopAtStepHook::last_step(last_step))
        .recovery_wait(Duration::from_secs(1))
        .max_wait(Duration::from_secs(120))
        .open()?;
    session.run_until_stop(|session| {
        session.run(RunRequest::new().target(&train))?;
        let request = RunRequest::new().fetch(step.value()).fetch(w.0.value()).fetch(w.1.value());
        if let Ok(values) = session.raw_session()?.fetch(request) {
            let (step, w, rows) =
                (values[0].to_scalar::<i64>()?, values[1].to_scalar::<f32>()?, values[2].as_slice::<f32>()?);
            println!("step {step} {w} {}", rows[0]);
        }
        Ok(())
    })?;
    println!("done");
    Ok(())
}
