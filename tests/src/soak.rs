//! A cluster that is used for long: sessions are opened and closed or left, signatures are ever new, workers come and go. Told in
//! the end: how memory, descriptors and threads of the server processes grew in an hour, apart from the first quarter of the time.
//!
//! usage: soak SERVER MINUTES

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cluster::{RemoteOptions, RemoteSession, Transport};
use tensorfleet::prelude::*;

/// A worker lives for so long.
const LIFE: Duration = Duration::from_secs(15);
/// So often everything is measured.
const SAMPLE: Duration = Duration::from_secs(2);
/// Growth in an hour that is noise.
const MEMORY: f64 = 64.0;
const OTHERS: f64 = 30.0;

/// A server process.
struct Task(Child);

impl Drop for Task {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A ps, a worker that stays, and one that comes and goes.
struct Cluster {
    server: String,
    hosts: [String; 3],
}

impl Cluster {
    fn start(&self, job: &str, task: usize) -> std::io::Result<Task> {
        let [ps, stays, goes] = &self.hosts;
        let mut command = Command::new(&self.server);
        command.args(["serve", "--ps_hosts", ps, "--worker_hosts", &format!("{stays},{goes}"), "--job_name", job]);
        command.args(["--task_index", &task.to_string(), "--session_lease_secs", "2", "--startup_timeout_secs", "5"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).env("TENSORFLEET_LOG", "off");
        command.spawn().map(Task)
    }
}

/// What a process has: mebibytes, descriptors, threads.
fn measure(process: u32) -> Option<[f64; 3]> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |name: &str| -> Option<f64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?.count() as f64;
    Some([field("VmRSS:")? / 1024.0, files, field("Threads:")?])
}

/// The slope of a line through points, by least squares, in an hour.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len().max(1) as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let above: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let below: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    if below > 0.0 { above / below * 3600.0 } else { 0.0 }
}

/// Opens a session, trains a little with signatures that nobody had before, and closes it or just goes.
fn visit(hosts: &[String; 3], number: u64) -> Result<()> {
    let g = Graph::new();
    let device = if number.is_multiple_of(3) { "/job:worker/task:1" } else { "/job:worker/task:0" };
    let name = format!("w{}", number % 10);
    let w = g.with_device("/job:ps/task:0", |g| Variable::new(&name, g.zeros([1000], DType::Float)));
    let x = g.placeholder(DType::Float, [None]);
    let (train, parts) = g.with_device(device, |_| -> Result<_> {
        let loss = (w.value() * &x - 1.0).square().reduce_sum(..);
        let train = GradientDescent::new(0.001).minimize(&loss, None)?;
        let parts: Vec<Output> = (0..12).map(|part| &x * part as f32).collect();
        Ok((train, parts))
    })?;
    let init = global_variables_initializer(&g);
    let transport = [Transport::Auto, Transport::Tcp, Transport::Grpc][number as usize % 3];
    let options = RemoteOptions { transport, operation_timeout: Some(Duration::from_secs(10)), ..Default::default() };
    let session = RemoteSession::with_options(&format!("grpc://{}", hosts[1]), &g, options)?;
    session.run(RunRequest::new().target(&init))?;
    let value = Tensor::vector(&[1f32; 1000]);
    for step in 0..20usize {
        session.run(RunRequest::new().feed(&x, value.clone()).target(&train))?;
        // Two of twelve, in an order that is new.
        let (one, other) = (&parts[(step + number as usize) % 12], &parts[(step * 5 + 1) % 12]);
        session.run(RunRequest::new().feed(&x, value.clone()).fetch(one).fetch(other))?;
    }
    match number % 4 {
        0 => session.leave(),
        1 => drop(session),
        _ => session.close()?,
    }
    Ok(())
}

fn free_host() -> std::io::Result<String> {
    Ok(format!("127.0.0.1:{}", TcpListener::bind("127.0.0.1:0")?.local_addr()?.port()))
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, server, minutes] = &arguments[..] else { return Err("usage: soak SERVER MINUTES".into()) };
    let limit = Duration::from_secs_f64(minutes.parse::<f64>()? * 60.0);
    let cluster = Cluster { server: server.clone(), hosts: [free_host()?, free_host()?, free_host()?] };
    let stays = [("ps", cluster.start("ps", 0)?), ("worker 0", cluster.start("worker", 0)?)];
    let mut goes = cluster.start("worker", 1)?;
    let (begin, over) = (Instant::now(), AtomicBool::new(false));
    let (visits, failed) = (AtomicU64::new(0), AtomicU64::new(0));
    let mut points: Vec<(f64, [[f64; 3]; 2])> = Vec::new();
    let mut restarts = 0;
    std::thread::scope(|scope| -> std::io::Result<()> {
        for client in 0..2 {
            let (hosts, over, visits, failed) = (&cluster.hosts, &over, &visits, &failed);
            scope.spawn(move || {
                for number in (client..).step_by(2) {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    // Some meet a worker that is gone.
                    match visit(hosts, number) {
                        Ok(()) => visits.fetch_add(1, Ordering::Relaxed),
                        Err(_) => failed.fetch_add(1, Ordering::Relaxed),
                    };
                }
            });
        }
        let mut born = Instant::now();
        while begin.elapsed() < limit {
            std::thread::sleep(SAMPLE);
            let measured = stays.each_ref().map(|(_, task)| measure(task.0.id()));
            let [Some(ps), Some(worker)] = measured else {
                over.store(true, Ordering::Relaxed);
                return Err(std::io::Error::other("a server has ended"));
            };
            points.push((begin.elapsed().as_secs_f64(), [ps, worker]));
            if born.elapsed() > LIFE {
                drop(std::mem::replace(&mut goes, cluster.start("worker", 1)?));
                (born, restarts) = (Instant::now(), restarts + 1);
            }
        }
        over.store(true, Ordering::Relaxed);
        Ok(())
    })?;
    let warm = limit.as_secs_f64() / 4.0;
    points.retain(|(time, _)| *time > warm);
    println!(
        "{} visits, {} that met a worker which was gone, {restarts} restarts of worker 1, {} looks in {:.0} s",
        visits.load(Ordering::Relaxed),
        failed.load(Ordering::Relaxed),
        points.len(),
        begin.elapsed().as_secs_f64()
    );
    let mut grows = Vec::new();
    for (place, (name, _)) in stays.iter().enumerate() {
        for (which, (what, noise)) in
            [("MiB", MEMORY), ("descriptors", OTHERS), ("threads", OTHERS)].into_iter().enumerate()
        {
            let line: Vec<(f64, f64)> = points.iter().map(|(time, all)| (*time, all[place][which])).collect();
            let (first, last) = (line.first().map_or(0.0, |point| point.1), line.last().map_or(0.0, |point| point.1));
            let slope = slope(&line);
            println!("{name}: {what} {first:.0} -> {last:.0}, {slope:+.1} in an hour");
            if slope > noise {
                grows.push(format!("{what} of {name}"));
            }
        }
    }
    if grows.is_empty() { Ok(()) } else { Err(format!("these grow: {}", grows.join(", ")).into()) }
}
