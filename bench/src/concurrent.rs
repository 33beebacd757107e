//! Small steps on one session, from several threads at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tensorfleet::prelude::*;

/// Steps a second of all threads together: of a node that does nothing, or of a small product of a fed value.
pub fn concurrent(small: bool, threads: usize) -> Result<f64> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [Some(4), Some(4)]);
    let y = (x.matmul(&x) + 1.0).relu();
    let nothing = g.op("NoOp").build();
    let session = LocalSession::new(&g)?;
    let value = Tensor::new([4, 4], vec![0.5f32; 16])?;
    let request = match small {
        true => RunRequest::new().feed(&x, value).fetch(&y),
        false => RunRequest::new().target(&nothing),
    };
    for _ in 0..100 {
        session.run(request.clone())?;
    }
    let (session, request, stop) = (&session, &request, &AtomicBool::new(false));
    let begin = Instant::now();
    let steps = std::thread::scope(|scope| -> Result<u64> {
        let runners: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(move || -> Result<u64> {
                    let mut steps = 0;
                    while !stop.load(Ordering::Relaxed) {
                        session.run(request.clone())?;
                        steps += 1;
                    }
                    Ok(steps)
                })
            })
            .collect();
        std::thread::sleep(Duration::from_secs(1));
        stop.store(true, Ordering::Relaxed);
        let mut all = 0;
        for runner in runners {
            all += runner
                .join()
                .map_err(|_| tensorfleet::Status::new(tensorfleet::Code::Internal, "a thread panicked"))??;
        }
        Ok(all)
    })?;
    Ok(steps as f64 / begin.elapsed().as_secs_f64())
}
