//! The journal: what a task's variables hold, written behind while training goes on, so that the task, started again, has
//! them still.
//!
//! Each round is a checkpoint `state-N` of the variables that have changed since the round before, taken at one moment of the
//! device, with a list of where the others are. The newest round that is whole counts; one that is damaged is named in the log
//! and the one before it taken. Queues, accumulators and tables are not kept.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use files::{BundleReader, BundleWriter};
use graph::op::{AWAIT, HOLD, RefVariable, ResourceManager, ResourceVariable, Resources, Variable, begin_thread};
use tensor::{Result, Tensor, ensure, err};

use crate::call::random_step;

/// Between two rounds passes at least so much time.
const INTERVAL: Duration = Duration::from_secs(1);
/// In the long run not more than so many bytes are written in a second.
const RATE: u64 = 64 << 20;

/// The names of what a round says about the variables that others hold.
const NAMES: &str = "journal/names";
const ROUNDS: &str = "journal/rounds";

/// The journal of a task, kept by a thread until it is dropped; then the last values are written.
pub(crate) struct Journal {
    stop: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Journal {
    /// Gives the devices what the journal in a folder holds, and goes on with it.
    ///
    /// # Errors
    /// The code of the operating system's error if the folder cannot be written.
    pub fn start(folder: &Path, devices: impl Iterator<Item = Arc<ResourceManager>>) -> Result<Journal> {
        let mut kept = Vec::new();
        for (index, resources) in devices.enumerate() {
            let folder = folder.join(format!("cpu-{index}"));
            std::fs::create_dir_all(&folder)
                .map_err(|error| tensor::Status::from(error).context(format_args!("--journal {}", folder.display())))?;
            kept.push(DeviceJournal::open(folder, resources));
        }
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(move || {
            begin_thread();
            keep(&mut kept, &stopped);
        });
        let thread = thread.map_err(|error| err!(ResourceExhausted, "no thread for the journal: {error}"))?;
        Ok(Journal { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Writes rounds until told to stop, and a last one then.
fn keep(devices: &mut [DeviceJournal], stopped: &Receiver<()>) {
    let mut pause = INTERVAL;
    loop {
        let over = !matches!(stopped.recv_timeout(pause), Err(std::sync::mpsc::RecvTimeoutError::Timeout));
        let (begin, mut bytes) = (Instant::now(), 0);
        for device in devices.iter_mut() {
            match device.write() {
                Ok(written) => bytes += written,
                Err(status) => {
                    tracing::warn!(folder = %device.folder.display(), %status, "a round of the journal is left out")
                }
            }
        }
        if over {
            return;
        }
        let wanted = Duration::from_millis(bytes.saturating_mul(1000) / RATE);
        pause = wanted.saturating_sub(begin.elapsed()).max(INTERVAL);
    }
}

/// The journal of a device.
struct DeviceJournal {
    folder: PathBuf,
    resources: Arc<ResourceManager>,
    /// The round that comes next.
    next: u64,
    /// Of each variable, by its name here: which one it was, its version, and the round that has it.
    written: HashMap<String, (Arc<Variable>, u64, u64)>,
    /// The rounds that the newest one refers to, itself among them.
    needed: BTreeSet<u64>,
}

impl DeviceJournal {
    /// The journal in a folder, whose newest whole round the device gets.
    fn open(folder: PathBuf, resources: Arc<ResourceManager>) -> DeviceJournal {
        let rounds = rounds_in(&folder);
        let next = rounds.last().map_or(1, |last| last + 1);
        let mut journal = DeviceJournal { folder, resources, next, written: HashMap::new(), needed: BTreeSet::new() };
        for round in rounds.into_iter().rev() {
            match journal.load(round) {
                Ok(variables) => {
                    tracing::info!(folder = %journal.folder.display(), round, variables, "took over what the journal holds");
                    break;
                }
                Err(status) => {
                    let prefix = journal.prefix(round);
                    tracing::error!(journal = %prefix.display(), %status, "a round of the journal is damaged; taking the one before it");
                }
            }
        }
        journal
    }

    fn prefix(&self, round: u64) -> PathBuf {
        self.folder.join(format!("state-{round}"))
    }

    /// Gives the device the variables of a round, all or none; returns how many.
    fn load(&mut self, round: u64) -> Result<usize> {
        let reader = BundleReader::open(self.prefix(round))?;
        let (names, rounds) = (reader.lookup(NAMES)?, reader.lookup(ROUNDS)?);
        let (names, rounds) = (names.strings()?, rounds.to_i64_vec()?);
        ensure!(names.len() == rounds.len(), DataLoss, "{} names, but {} rounds", names.len(), rounds.len());
        let mut readers: BTreeMap<u64, BundleReader> = BTreeMap::new();
        let mut values: Vec<(String, u64, Tensor)> = Vec::with_capacity(names.len());
        for (name, round) in names.iter().zip(rounds) {
            let round = u64::try_from(round).map_err(|_| err!(DataLoss, "there is no round {round}"))?;
            let name = String::from_utf8_lossy(name).into_owned();
            let reader = match readers.entry(round) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(BundleReader::open(self.prefix(round))?),
            };
            let value = reader.lookup(&name)?;
            values.push((name, round, value));
        }
        self.needed = readers.into_keys().chain([round]).collect();
        let count = values.len();
        for (name, round, value) in values {
            let variable = self.variable(&name, &value)?;
            variable.set(value);
            let version = variable.version();
            self.written.insert(name, (variable, version, round));
        }
        Ok(count)
    }

    /// The variable of a name in the journal, made if it is not there.
    fn variable(&self, name: &str, value: &Tensor) -> Result<Arc<Variable>> {
        let resources: &dyn Resources = &*self.resources;
        let parts: Vec<&str> = name.splitn(3, ':').collect();
        let &[kind, container, own] = &parts[..] else { return Err(err!(DataLoss, "'{name}' names no variable")) };
        let make = || Arc::new(Variable::new(own, value.dtype(), value.shape().into()));
        Ok(match kind {
            "ref" => resources.lookup_or_create(container, own, || Ok(RefVariable(make())))?.0.clone(),
            _ => resources.lookup_or_create(container, own, || Ok(ResourceVariable(make())))?.0.clone(),
        })
    }

    /// Writes what has changed, if anything has; returns how many bytes.
    fn write(&mut self) -> Result<u64> {
        let all = self.resources.variables();
        let name = |kind: &str, container: &str, own: &str| format!("{kind}:{container}:{own}");
        let all: BTreeMap<String, Arc<Variable>> =
            all.into_iter().map(|(kind, container, own, variable)| (name(kind, &container, &own), variable)).collect();
        let known = |name: &String, variable: &Arc<Variable>| {
            self.written
                .get(name)
                .filter(|(same, version, _)| Arc::ptr_eq(same, variable) && *version == variable.version())
        };
        let unchanged =
            all.len() == self.written.len() && all.iter().all(|(name, variable)| known(name, variable).is_some());
        if all.is_empty() || unchanged {
            return Ok(0);
        }
        let values = self.at_one_moment(|| {
            let read = |(name, variable): (&String, &Arc<Variable>)| {
                let version = variable.version();
                Some((name.clone(), (variable.clone(), version, variable.snapshot()?)))
            };
            all.iter().filter_map(read).collect::<BTreeMap<_, _>>()
        })?;
        let round = self.next;
        let mut writer = BundleWriter::new(self.prefix(round))?;
        let (mut written, mut bytes) = (HashMap::new(), 0);
        for (name, (variable, version, value)) in values {
            let old = self.written.get(&name).filter(|(same, old, _)| Arc::ptr_eq(same, &variable) && *old == version);
            let place = match old {
                Some((_, _, round)) => *round,
                None => {
                    bytes += value.byte_size() as u64;
                    writer.add(&name, &value)?;
                    round
                }
            };
            written.insert(name, (variable, version, place));
        }
        let mut names: Vec<(&String, i64)> = written.iter().map(|(name, (.., round))| (name, *round as i64)).collect();
        names.sort();
        writer.add(NAMES, &Tensor::string_vector(names.iter().map(|(name, _)| (*name).clone())))?;
        writer.add(ROUNDS, &Tensor::vector(&names.iter().map(|(_, round)| *round).collect::<Vec<i64>>()))?;
        writer.finish()?;
        self.next += 1;
        let needed: BTreeSet<u64> = written.values().map(|(.., round)| *round).chain([round]).collect();
        self.written = written;
        // The round before stays too, in case this one is damaged.
        let before = std::mem::replace(&mut self.needed, needed);
        for old in rounds_in(&self.folder) {
            if !before.contains(&old) && !self.needed.contains(&old) {
                let _ = files::disk::remove_file(&files::bundle::index_path(&self.prefix(old)));
                let _ = files::disk::remove_file(&files::bundle::data_path(&self.prefix(old), 0, 1));
            }
        }
        Ok(bytes)
    }

    /// What `look` finds while no step is halfway through its updates.
    fn at_one_moment<R>(&self, look: impl FnOnce() -> R) -> Result<R> {
        let (updates, step) = (self.resources.updates(), random_step());
        let (send, begun) = channel();
        updates.hold(step, move |begun| _ = send.send(begun));
        let outcome = match begun.recv_timeout(HOLD) {
            Err(_) => Err(err!(DeadlineExceeded, "updates are held by somebody else")),
            Ok(begun) => {
                let (send, ended) = channel();
                updates.await_ended(step, 0, &begun, move |left| _ = send.send(left));
                match ended.recv_timeout(AWAIT) {
                    Ok(0) => Ok(look()),
                    _ => Err(err!(DeadlineExceeded, "steps are halfway through their updates and do not end")),
                }
            }
        };
        updates.end(step);
        outcome
    }
}

/// The rounds that a folder has, oldest first.
fn rounds_in(folder: &Path) -> Vec<u64> {
    let number = |entry: std::fs::DirEntry| {
        entry.file_name().to_str()?.strip_prefix("state-")?.strip_suffix(".index")?.parse().ok()
    };
    let mut rounds: Vec<u64> = std::fs::read_dir(folder).into_iter().flatten().flatten().filter_map(number).collect();
    rounds.sort_unstable();
    rounds
}

#[cfg(test)]
mod tests {
    use tensor::{DType, PartialShape};

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("tensorfleet-journal-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir_all(&path).unwrap();
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn variable(resources: &ResourceManager, name: &str) -> Arc<Variable> {
        let resources: &dyn Resources = resources;
        let make = || Ok(RefVariable(Arc::new(Variable::new(name, DType::Float, PartialShape::scalar()))));
        resources.lookup_or_create("", name, make).unwrap().0.clone()
    }

    fn opened(folder: &Folder) -> (Arc<ResourceManager>, DeviceJournal) {
        let resources = Arc::new(ResourceManager::new("ps"));
        (resources.clone(), DeviceJournal::open(folder.0.clone(), resources))
    }

    #[test]
    fn rounds_hold_what_has_changed_and_the_next_process_has_all() {
        let folder = Folder::new("rounds");
        let (resources, mut journal) = opened(&folder);
        let (a, b) = (variable(&resources, "a"), variable(&resources, "b"));
        a.set(Tensor::from(1f32));
        b.set(Tensor::from(2f32));
        assert_eq!(journal.write().unwrap(), 8);
        assert_eq!(journal.write().unwrap(), 0);
        for value in 3..8 {
            b.set(Tensor::from(value as f32));
            assert_eq!(journal.write().unwrap(), 4);
        }
        // The first round has what has not changed since.
        assert_eq!(rounds_in(&folder.0), [1, 5, 6]);
        let (resources, mut journal) = opened(&folder);
        assert_eq!(variable(&resources, "a").read().unwrap(), Tensor::from(1f32));
        assert_eq!(variable(&resources, "b").read().unwrap(), Tensor::from(7f32));
        assert_eq!(journal.write().unwrap(), 0);
    }

    #[test]
    fn a_damaged_round_is_passed_over() {
        let folder = Folder::new("damaged");
        let (resources, mut journal) = opened(&folder);
        let a = variable(&resources, "a");
        for value in 1..4 {
            a.set(Tensor::from(value as f32));
            journal.write().unwrap();
        }
        let data = files::bundle::data_path(&folder.0.join("state-3"), 0, 1);
        let mut bytes = std::fs::read(&data).unwrap();
        bytes[0] ^= 1;
        std::fs::write(&data, bytes).unwrap();
        let (resources, mut journal) = opened(&folder);
        assert_eq!(variable(&resources, "a").read().unwrap(), Tensor::from(2f32));
        variable(&resources, "a").set(Tensor::from(9f32));
        journal.write().unwrap();
        assert_eq!(variable(&opened(&folder).0, "a").read().unwrap(), Tensor::from(9f32));
    }

    /// The power fails while rounds are written: what the next process has is one of them, and not older than the last that
    /// had ended.
    #[test]
    fn the_power_fails_while_rounds_are_written() {
        let folder = Folder::new("power");
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        for _ in 0..30 {
            testkit::put_files(&folder.0, &BTreeMap::new());
            let recording = files::disk::Recording::begin(&folder.0);
            let (resources, mut journal) = opened(&folder);
            let variables = ["a", "b", "c"].map(|name| variable(&resources, name));
            variables.iter().for_each(|variable| variable.set(Tensor::from(0f32)));
            // After so many acts, this round had ended.
            let mut ended = Vec::new();
            for round in 1..=5 {
                // Not all of them change in each round, but the sum tells which one it is.
                variables[round as usize % 3].set(Tensor::from(round as f32));
                journal.write().unwrap();
                ended.push((recording.acts().len(), round));
            }
            let acts = recording.acts();
            drop(recording);
            let value_after = |round: i64, place: i64| (1..=round).rev().find(|round| round % 3 == place).unwrap_or(0);
            for _ in 0..10 {
                let cut = random() as usize % (acts.len() + 1);
                let mut disk = testkit::Disk::default();
                acts[..cut].iter().for_each(|act| disk.act(act));
                testkit::put_files(&folder.0, &disk.after(&mut random));
                let last = ended.iter().rev().find(|(end, _)| *end <= cut).map_or(0, |(_, round)| *round);
                let found: Vec<f32> = ["a", "b", "c"]
                    .map(|name| {
                        variable(&opened(&folder).0, name).snapshot().map_or(0.0, |value| value.to_scalar().unwrap())
                    })
                    .to_vec();
                let is_round =
                    |round: i64| (0..3).all(|place| found[place as usize] == value_after(round, place) as f32);
                assert!((last..=5).any(is_round), "round {last} had ended, found {found:?} after {cut} acts");
            }
        }
    }
}
