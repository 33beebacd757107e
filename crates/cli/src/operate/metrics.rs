//! `serve --metrics_port`: what a task counts, as Prometheus reads it, and whether it is alive and ready.

use std::fmt::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tensor::{Result, err};
use wire::operator::{StatusRequest, StatusResponse, Steps};

use super::words;

/// Tells how the task is.
pub type Reporter = Arc<dyn Fn(&StatusRequest) -> StatusResponse + Send + Sync>;

/// So many queues, accumulators and workers have series of their own.
const MOST: usize = 200;

/// Serves `/metrics`, `/healthz` and `/readyz` on a port, 0 for a free one, until the process ends; returns the address. Other
/// machines reach it if `exposed`.
///
/// # Errors
/// `Unavailable` if the port is taken.
pub fn start(port: u16, exposed: bool, report: Reporter) -> Result<SocketAddr> {
    let refused = |error: std::io::Error| err!(Unavailable, "cannot serve metrics on port {port}: {error}");
    let address = if exposed { Ipv4Addr::UNSPECIFIED } else { Ipv4Addr::LOCALHOST };
    let listener = std::net::TcpListener::bind((address, port)).map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    listener.set_nonblocking(true).map_err(refused)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    let ready = report.clone();
    let pages = Router::new()
        .route(
            "/metrics",
            get(move || async move {
                let text = page(&report(&StatusRequest { resources: true, waits: false }));
                ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text)
            }),
        )
        .route("/healthz", get(|| async { "ok\n" }))
        .route(
            "/readyz",
            get(move || async move {
                match ready(&StatusRequest::default()).draining {
                    false => (StatusCode::OK, "ready\n").into_response(),
                    true => (StatusCode::SERVICE_UNAVAILABLE, "being drained\n").into_response(),
                }
            }),
        );
    let serve = move || {
        runtime.block_on(async move {
            let outcome = match tokio::net::TcpListener::from_std(listener) {
                Ok(listener) => axum::serve(listener, pages).await,
                Err(error) => Err(error),
            };
            if let Err(error) = outcome {
                tracing::error!(%error, "metrics are served no longer");
            }
        });
    };
    std::thread::Builder::new().name("metrics".to_owned()).spawn(serve).map_err(refused)?;
    Ok(address)
}

/// The text of `/metrics`.
pub fn page(status: &StatusResponse) -> String {
    let mut page = Page::default();
    process(&mut page, status);
    sessions(&mut page, status);
    steps(&mut page, "step", "steps of clients of this task", status.steps.as_ref());
    steps(&mut page, "part", "this task's parts of steps, whoever is their master", status.parts.as_ref());
    traffic(&mut page, status);
    variables(&mut page, status);
    queues(&mut page, status);
    gradients(&mut page, status);
    checkpoints(&mut page, status);
    page.0
}

/// Labels of a series, and its value.
type Series = (Vec<(&'static str, String)>, f64);

#[derive(Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str, series: impl IntoIterator<Item = Series>) {
        let _ = writeln!(self.0, "# HELP tensorfleet_{name} {help}\n# TYPE tensorfleet_{name} {kind}");
        for (labels, value) in series {
            self.sample(name, &labels, value);
        }
    }

    fn sample(&mut self, name: &str, labels: &[(&'static str, String)], value: f64) {
        let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "tensorfleet_{name}{labels} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, "gauge", help, [(Vec::new(), value)]);
    }

    fn counter(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, "counter", help, [(Vec::new(), value)]);
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn process(page: &mut Page, status: &StatusResponse) {
    let memory = status.memory.unwrap_or_default();
    let labels = vec![("version", status.version.clone()), ("task", words::task(&status.task))];
    page.family("build_info", "gauge", "The version of the server and its task.", [(labels, 1.0)]);
    page.gauge("uptime_seconds", "How long the server has run.", status.uptime_millis as f64 / 1e3);
    page.gauge("draining", "Whether the task begins no more steps.", f64::from(status.draining));
    page.gauge("memory_resident_bytes", "Memory of the process.", memory.resident as f64);
    page.gauge("memory_available_bytes", "Memory that the process may still take.", memory.available as f64);
    page.gauge("memory_limit_bytes", "Memory that the process may take at most.", memory.limit as f64);
    page.gauge("memory_held_bytes", "Memory that is counted against the limit.", memory.held as f64);
    page.gauge("threads", "Threads of the process.", status.threads as f64);
    page.gauge("open_files", "Files and connections that the process has open.", status.open_files as f64);
    page.counter("cpu_seconds_total", "Time that the process has computed.", status.cpu_millis as f64 / 1e3);
}

fn sessions(page: &mut Page, status: &StatusResponse) {
    let sessions = &status.sessions;
    let most = |of: fn(&wire::operator::Session) -> u64| sessions.iter().map(of).max().unwrap_or(0) as f64;
    page.gauge("sessions", "Sessions of clients of this task.", sessions.len() as f64);
    page.gauge(
        "worker_sessions",
        "Sessions of all masters that this task takes part in.",
        status.worker_sessions as f64,
    );
    let abandoned = sessions.iter().filter(|session| session.clients.is_empty()).count();
    page.gauge("sessions_abandoned", "Sessions whose clients have gone.", abandoned as f64);
    page.gauge("session_age_seconds_max", "Age of the oldest session.", most(|session| session.age_millis) / 1e3);
    page.gauge(
        "session_idle_seconds_max",
        "Time without a step of the most idle session.",
        most(|session| session.idle_millis) / 1e3,
    );
    page.gauge("session_graph_nodes_max", "Nodes of the largest graph.", most(|session| session.nodes));
    page.gauge(
        "step_longest_seconds",
        "Age of the oldest step under way.",
        most(|session| session.longest_millis) / 1e3,
    );
}

fn steps(page: &mut Page, name: &str, what: &str, steps: Option<&Steps>) {
    let steps = steps.cloned().unwrap_or_default();
    page.counter(&format!("{name}s_begun_total"), &format!("How many have begun: {what}."), steps.begun as f64);
    page.gauge(&format!("{name}s_under_way"), &format!("How many are under way: {what}."), steps.under_way as f64);
    let by_code = steps.ended.iter().map(|(code, count)| (vec![("code", words::code(*code))], *count as f64));
    page.family(&format!("{name}s_ended_total"), "counter", &format!("How many have ended, by code: {what}."), by_code);
    let failed: u64 = steps.ended.iter().filter(|(code, _)| **code != 0).map(|(_, count)| count).sum();
    page.counter(&format!("{name}_errors_total"), &format!("How many have failed: {what}."), failed as f64);
    let family = format!("{name}_duration_seconds");
    page.family(&family, "histogram", &format!("How long they took: {what}."), []);
    let mut sum = 0;
    for (place, count) in steps.counts.iter().enumerate() {
        sum += count;
        let bound = steps.bounds_micros.get(place).map_or("+Inf".to_owned(), |bound| (*bound as f64 / 1e6).to_string());
        page.sample(&format!("{family}_bucket"), &[("le", bound)], sum as f64);
    }
    page.sample(&format!("{family}_sum"), &[], steps.total_micros as f64 / 1e6);
    page.sample(&format!("{family}_count"), &[], sum as f64);
}

fn traffic(page: &mut Page, status: &StatusResponse) {
    let by_task = |label: &'static str, of: fn(&wire::operator::Traffic) -> u64| -> Vec<Series> {
        status.traffic.iter().map(|peer| (vec![(label, words::task(&peer.task))], of(peer) as f64)).collect()
    };
    page.gauge("peers", "Other tasks of the cluster.", status.traffic.len() as f64);
    page.family(
        "peer_linked",
        "gauge",
        "Whether tensors go over a framed connection.",
        by_task("task", |peer| u64::from(peer.linked)),
    );
    page.family(
        "sent_bytes_total",
        "counter",
        "Bytes of tensors pushed to a task.",
        by_task("to", |peer| peer.sent_bytes),
    );
    page.family("sent_tensors_total", "counter", "Tensors pushed to a task.", by_task("to", |peer| peer.sent_tensors));
    page.family(
        "received_bytes_total",
        "counter",
        "Bytes of tensors asked for from a task.",
        by_task("from", |peer| peer.received_bytes),
    );
    page.family(
        "received_tensors_total",
        "counter",
        "Tensors asked for from a task.",
        by_task("from", |peer| peer.received_tensors),
    );
}

fn variables(page: &mut Page, status: &StatusResponse) {
    let all = &status.variables;
    let sum = |of: fn(&wire::operator::Variable) -> u64| all.iter().map(of).sum::<u64>() as f64;
    page.gauge("variables", "Variables of this task.", all.len() as f64);
    let uninitialized = all.iter().filter(|variable| !variable.initialized).count();
    page.gauge("variables_uninitialized", "Variables without a value.", uninitialized as f64);
    page.gauge("variable_bytes", "Bytes of all variables.", sum(|variable| variable.bytes));
    let largest = all.iter().map(|variable| variable.bytes).max().unwrap_or(0);
    page.gauge("variable_bytes_max", "Bytes of the largest variable.", largest as f64);
    page.counter("variable_uses_total", "How often variables were read or written.", sum(|variable| variable.uses));
    page.gauge("other_resources", "Readers, tables, iterators and the like.", status.other_resources as f64);
}

fn queues(page: &mut Page, status: &StatusResponse) {
    let by_queue = |of: fn(&wire::operator::Queue) -> u64| -> Vec<Series> {
        status.queues.iter().take(MOST).map(|queue| (vec![("queue", queue.name.clone())], of(queue) as f64)).collect()
    };
    page.gauge("queues", "Queues of this task.", status.queues.len() as f64);
    page.family("queue_length", "gauge", "Elements of a queue.", by_queue(|queue| queue.length));
    page.family("queue_capacity", "gauge", "Elements that a queue may have.", by_queue(|queue| queue.capacity));
    page.family(
        "queue_enqueues_waiting",
        "gauge",
        "Enqueues that wait for room.",
        by_queue(|queue| queue.enqueues_waiting),
    );
    page.family(
        "queue_dequeues_waiting",
        "gauge",
        "Dequeues that wait for elements.",
        by_queue(|queue| queue.dequeues_waiting),
    );
    page.family("queue_closed", "gauge", "Whether a queue is closed.", by_queue(|queue| u64::from(queue.closed)));
}

fn gradients(page: &mut Page, status: &StatusResponse) {
    let all = &status.accumulators;
    let by_name = |of: fn(&wire::operator::Accumulator) -> u64| -> Vec<Series> {
        all.iter().take(MOST).map(|one| (vec![("accumulator", one.name.clone())], of(one) as f64)).collect()
    };
    page.gauge("accumulators", "Accumulators of gradients of this task.", all.len() as f64);
    page.family(
        "accumulator_gradients",
        "gauge",
        "Gradients that the next result has so far.",
        by_name(|one| one.accumulated),
    );
    page.family("accumulator_required", "gauge", "Gradients that whoever waits wants.", by_name(|one| one.required));
    page.family("gradients_accepted_total", "counter", "Gradients that were added.", by_name(|one| one.accepted));
    page.family("gradients_dropped_total", "counter", "Gradients that came too late.", by_name(|one| one.dropped));
    let mut workers: std::collections::BTreeMap<String, (u64, u64)> = Default::default();
    for worker in all.iter().flat_map(|one| &one.workers) {
        let counts = workers.entry(words::task(&worker.worker)).or_default();
        *counts = (counts.0 + worker.accepted, counts.1 + worker.dropped);
    }
    let by_worker = |of: fn(&(u64, u64)) -> u64| -> Vec<Series> {
        workers.iter().take(MOST).map(|(name, counts)| (vec![("worker", name.clone())], of(counts) as f64)).collect()
    };
    page.family(
        "worker_gradients_accepted_total",
        "counter",
        "Gradients of a worker that were added.",
        by_worker(|counts| counts.0),
    );
    page.family(
        "worker_gradients_dropped_total",
        "counter",
        "Gradients of a worker that came too late.",
        by_worker(|counts| counts.1),
    );
}

fn checkpoints(page: &mut Page, status: &StatusResponse) {
    let saved = status.saved.clone().unwrap_or_default();
    page.counter(
        "checkpoints_written_total",
        "Checkpoints, or parts of one, that this process wrote.",
        saved.count as f64,
    );
    page.counter("checkpoint_bytes_total", "Bytes of their tensors.", saved.bytes as f64);
    page.counter("checkpoint_write_seconds_total", "How long writing them took.", saved.micros as f64 / 1e6);
    page.gauge(
        "checkpoint_last_timestamp_seconds",
        "When the last one was complete; 0 if there is none.",
        saved.last_unix_nanos as f64 / 1e9,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_more_than_forty_families_each_with_help() {
        let queue = wire::operator::Queue { name: "a\"b".to_owned(), length: 3, ..Default::default() };
        let steps =
            Steps { counts: vec![1, 2], bounds_micros: vec![50], total_micros: 1_500_000, ..Default::default() };
        let page = page(&StatusResponse { queues: vec![queue], steps: Some(steps), ..Default::default() });
        let helps = page.lines().filter(|line| line.starts_with("# HELP")).count();
        assert!(helps > 40 && helps == page.lines().filter(|line| line.starts_with("# TYPE")).count(), "{helps}");
        assert!(page.contains("tensorfleet_queue_length{queue=\"a\\\"b\"} 3\n"), "{page}");
        let buckets =
            "step_duration_seconds_bucket{le=\"0.00005\"} 1\ntensorfleet_step_duration_seconds_bucket{le=\"+Inf\"} 3\n";
        assert!(page.contains(buckets), "{page}");
        assert!(
            page.contains("tensorfleet_step_duration_seconds_sum 1.5\ntensorfleet_step_duration_seconds_count 3\n")
        );
    }
}
