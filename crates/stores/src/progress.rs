//! How far a transfer has come, for the log of a task: told only while it takes long, so that small files pass in silence.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tracing::info;

/// Whoever waits hears something this often.
const EVERY: Duration = if cfg!(test) { Duration::from_millis(100) } else { Duration::from_secs(10) };

/// The transfer of one file. Only the time in which somebody waits for it counts: a file of records that is read now and then,
/// as training goes on, is not a long transfer.
pub(crate) struct Progress {
    /// As in `reading s3://bucket/model.data-00000-of-00001`.
    what: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    bytes: u64,
    /// How many there are in all, where that is known.
    total: Option<u64>,
    /// How many threads wait, and since when there is one.
    waiting: usize,
    since: Option<Instant>,
    /// For how long somebody waited before.
    waited: Duration,
    /// What `bytes` and the time were when they were last told.
    told: (u64, Duration),
}

impl State {
    fn waited(&self, now: Instant) -> Duration {
        self.waited + self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }
}

impl Progress {
    pub fn new(verb: &str, url: &str, total: Option<u64>) -> Progress {
        Progress { what: format!("{verb} {url}"), state: Mutex::new(State { total, ..Default::default() }) }
    }

    /// So many bytes there will be in all.
    pub fn expect(&self, total: u64) {
        self.state.lock().total = Some(total);
    }

    /// So many more have travelled.
    pub fn add(&self, bytes: usize) {
        self.state.lock().bytes += bytes as u64;
    }

    /// Somebody waits until the result is dropped.
    pub fn wait(&self) -> Waiting<'_> {
        let mut state = self.state.lock();
        state.waiting += 1;
        state.since.get_or_insert_with(Instant::now);
        Waiting(self)
    }

    fn stop(&self) {
        let mut state = self.state.lock();
        state.waiting = state.waiting.saturating_sub(1);
        if state.waiting == 0 {
            state.waited = state.waited(Instant::now());
            state.since = None;
        }
    }

    /// Nothing more comes: told if it took so long that something was told before.
    pub fn end(&self) {
        let state = self.state.lock();
        if !state.told.1.is_zero() {
            let waited = state.waited(Instant::now());
            info!(
                "{}: over, {} in {:.0} s, {}",
                self.what,
                size(state.bytes),
                waited.as_secs_f64(),
                rate(state.bytes, waited)
            );
        }
    }
}

/// Somebody who waits for a transfer.
pub(crate) struct Waiting<'a>(&'a Progress);

impl Waiting<'_> {
    /// When to look again, and to call [`tell`](Waiting::tell).
    pub fn until_due(&self) -> Duration {
        let state = self.0.state.lock();
        (state.told.1 + EVERY).saturating_sub(state.waited(Instant::now()))
    }

    /// Tells how far it has come, if it is time to.
    pub fn tell(&self) {
        let line = {
            let mut state = self.0.state.lock();
            let waited = state.waited(Instant::now());
            let (bytes, last) = state.told;
            let since = waited.saturating_sub(last);
            if since < EVERY {
                return;
            }
            let recent = state.bytes - bytes;
            state.told = (state.bytes, waited);
            let all = state.total.map_or_else(String::new, |total| format!(" of {}", size(total)));
            format!("{}: {}{all}, {} lately", self.0.what, size(state.bytes), rate(recent, since))
        };
        info!("{line}");
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn rate(bytes: u64, time: Duration) -> String {
    format!("{:.1} MB/s", bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;

    use object_store::memory::InMemory;
    use object_store::throttle::{ThrottleConfig, ThrottledStore};

    use super::*;
    use crate::address::Address;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What is logged meanwhile.
    fn logged(work: impl FnOnce()) -> Vec<String> {
        let writer = Log::default();
        let shared = writer.0.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || Log(shared.clone())).finish();
        tracing::subscriber::with_default(subscriber, work);
        let text = String::from_utf8_lossy(&writer.0.lock()).into_owned();
        text.lines().map(str::to_owned).collect()
    }

    /// A file of a store in which every call takes so long.
    fn address(call: Duration, store: &InMemory) -> Address {
        let config = ThrottleConfig { wait_put_per_call: call, wait_get_per_call: call, ..Default::default() };
        let store = ThrottledStore::new(store.fork(), config);
        Address { url: "s3://bucket/model".to_owned(), store: Arc::new(store), path: "model".into(), read_only: false }
    }

    #[test]
    fn a_transfer_that_takes_long_tells_how_far_it_is() {
        let large = vec![7u8; 40 << 20];
        let write = |call, expected| {
            logged(|| {
                let mut upload = crate::upload::begin_file(address(call, &InMemory::new())).unwrap();
                if expected {
                    upload.expect(large.len() as u64);
                }
                upload.write(&large).unwrap();
                upload.commit().unwrap();
            })
        };
        let told = write(EVERY * 3, true);
        let first = "writing s3://bucket/model: 0.0 MB of 41.9 MB, 0.0 MB/s lately";
        assert!(told.len() >= 3 && told[0].contains(first), "{told:?}");
        assert!(told.iter().any(|line| line.contains("of 41.9 MB") && !line.contains(": 0.0 MB of")), "{told:?}");
        assert!(told.last().is_some_and(|line| line.contains("model: over, 41.9 MB in ")), "{told:?}");
        let told = write(EVERY * 3, false);
        assert!(told[0].contains("writing s3://bucket/model: 0.0 MB, 0.0 MB/s lately"), "{told:?}");
        assert_eq!(write(Duration::ZERO, true), [""; 0]);
    }

    #[test]
    fn so_does_reading_but_not_what_comes_at_once() {
        let store = InMemory::new();
        let read = |call, pause| {
            logged(|| {
                let file = crate::object::open(address(call, &store)).unwrap();
                for part in 0..4 {
                    assert_eq!(file.read(part << 20, 1 << 20).unwrap().len(), 1 << 20);
                    std::thread::sleep(pause);
                }
            })
        };
        let name = "model".into();
        let put = object_store::ObjectStoreExt::put(&store, &name, vec![7u8; 4 << 20].into());
        futures_util::FutureExt::now_or_never(put).unwrap().unwrap();
        let told = read(EVERY * 2, Duration::ZERO);
        assert!(told.len() >= 3 && told[0].contains("reading s3://bucket/model: 0.0 MB of 4.2 MB, 0.0"), "{told:?}");
        assert!(told.last().is_some_and(|line| line.contains("over, 4.2 MB in ")), "{told:?}");
        // Read by and by: nobody waits for the store.
        assert_eq!(read(Duration::ZERO, EVERY), [""; 0]);
    }
}
