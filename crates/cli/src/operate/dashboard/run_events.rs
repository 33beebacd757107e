//! The event files of one folder, read on from where the last reading ended.

use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use files::{Compression, RecordReader};
use prost::Message;
use tensor::{DType, Result, Status};
use wire::event::What;
use wire::summary::value::Value as Kind;

use super::curves::{Counts, Curve, Point};

/// Of a run, so many tags of each kind are kept.
const MOST_TAGS: usize = 2000;
/// Of a tag, so many histograms; beyond it every second one goes.
const MOST_HISTOGRAMS: usize = 60;
/// A histogram has so many buckets at most.
const MOST_BUCKETS: usize = 5000;

/// What the event files of a folder say.
#[derive(Default)]
pub struct RunEvents {
    files: BTreeMap<PathBuf, Tail>,
    pub scalars: BTreeMap<String, Curve>,
    pub histograms: BTreeMap<String, Vec<Counts>>,
    /// The graph, serialized, and whether it is in a meta graph.
    pub graph: Option<(Bytes, bool)>,
    pub events: u64,
    pub last_wall: f64,
}

/// How far a file was read.
#[derive(Default)]
struct Tail {
    offset: u64,
    /// Why nothing of it is read any more.
    damaged: Option<String>,
}

impl RunEvents {
    /// Reads what is new in a file, and stops after about so many bytes; returns how many were read.
    pub fn read_on(&mut self, path: &Path, most: u64) -> u64 {
        let tail = self.files.entry(path.to_owned()).or_default();
        if tail.damaged.is_some() {
            return 0;
        }
        let begin = tail.offset;
        let (mut offset, mut damaged) = (begin, None);
        let outcome = self.read_from(path, &mut offset, most);
        if let Err(status) = outcome
            // What ends within a record may still be written.
            && !status.message().contains("the file ends within it")
        {
            damaged = Some(status.message().to_owned());
        }
        if let Some(tail) = self.files.get_mut(path) {
            (tail.offset, tail.damaged) = (offset, damaged);
        }
        offset - begin
    }

    fn read_from(&mut self, path: &Path, offset: &mut u64, most: u64) -> Result<()> {
        let at = |error: std::io::Error| Status::from(error).context(path.display());
        let mut file = files::place::Reader::open(path).map_err(at)?;
        if file.size().map_err(at)? <= *offset {
            return Ok(());
        }
        let begin = *offset;
        file.seek(SeekFrom::Start(begin)).map_err(at)?;
        let mut records = RecordReader::new(file, path.display(), Compression::None);
        while *offset - begin < most {
            let Some(record) = records.read()? else { break };
            *offset = begin + records.offset();
            match wire::Event::decode(record) {
                Ok(event) => self.note(event),
                Err(error) => tensor::bail!(DataLoss, "{} holds what is no event: {error}", path.display()),
            }
        }
        Ok(())
    }

    /// Files that cannot be read, each with the reason.
    pub fn damaged(&self) -> Vec<(String, String)> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let damaged = self.files.iter().filter_map(|(path, tail)| Some((name(path), tail.damaged.clone()?)));
        damaged.collect()
    }

    fn note(&mut self, event: wire::Event) {
        self.events += 1;
        self.last_wall = self.last_wall.max(event.wall_time);
        match event.what {
            Some(What::Summary(summary)) => {
                for value in summary.value {
                    self.note_value(event.step, event.wall_time, value);
                }
            }
            Some(What::GraphDef(graph)) => self.graph = Some((graph, false)),
            Some(What::MetaGraphDef(graph)) if self.graph.is_none() => self.graph = Some((graph, true)),
            // A run that begins again, from a checkpoint or from nothing.
            Some(What::SessionLog(log)) if log.status() == wire::session_log::SessionStatus::Start => {
                for curve in self.scalars.values_mut() {
                    curve.forget_from(event.step);
                }
                for histograms in self.histograms.values_mut() {
                    histograms.retain(|counts| counts.step < event.step);
                }
            }
            _ => {}
        }
    }

    fn note_value(&mut self, step: i64, wall: f64, value: wire::summary::Value) {
        let tag = value.tag;
        let plugin = value.metadata.and_then(|metadata| metadata.plugin_data).map(|plugin| plugin.plugin_name);
        match value.value {
            Some(Kind::SimpleValue(number)) => self.note_scalar(tag, Point { step, wall, value: f64::from(number) }),
            Some(Kind::Histo(histogram)) => {
                let least = histogram.min;
                let counts = Counts { step, wall, least, limits: histogram.bucket_limit, counts: histogram.bucket };
                self.note_histogram(tag, counts);
            }
            Some(Kind::Tensor(tensor)) => {
                let Ok(numbers) = numbers_of(tensor) else { return };
                let by_plugin = plugin.as_deref();
                // TensorFlow 2 names the kind in the first event of a tag only.
                if by_plugin == Some("histograms") || self.histograms.contains_key(&tag) {
                    let rows = numbers.chunks_exact(3);
                    let least = numbers.first().copied().unwrap_or(0.0);
                    let (limits, counts) = rows.map(|row| (row[1], row[2])).unzip();
                    self.note_histogram(tag, Counts { step, wall, least, limits, counts });
                } else if (by_plugin == Some("scalars") || self.scalars.contains_key(&tag))
                    && let [value] = numbers[..]
                {
                    self.note_scalar(tag, Point { step, wall, value });
                }
            }
            _ => {}
        }
    }

    fn note_scalar(&mut self, tag: String, point: Point) {
        if self.scalars.len() < MOST_TAGS || self.scalars.contains_key(&tag) {
            self.scalars.entry(tag).or_default().add(point);
        }
    }

    fn note_histogram(&mut self, tag: String, mut counts: Counts) {
        let buckets = counts.limits.len().min(counts.counts.len());
        counts.counts.truncate(buckets);
        counts.limits.truncate(buckets);
        let ordered = counts.limits.windows(2).all(|pair| pair[0] <= pair[1]);
        if buckets == 0 || buckets > MOST_BUCKETS || !ordered || !counts.least.is_finite() {
            return;
        }
        // The last bucket of a summary may end at the largest number there is.
        if let [.., before, last] = &mut counts.limits[..]
            && *last > 1e300
        {
            *last = *before;
        }
        if self.histograms.len() < MOST_TAGS || self.histograms.contains_key(&tag) {
            let all = self.histograms.entry(tag).or_default();
            all.push(counts);
            if all.len() > MOST_HISTOGRAMS {
                let mut index = 0;
                let newest = all.len();
                all.retain(|_| {
                    index += 1;
                    index % 2 == 1 || index == newest
                });
            }
        }
    }
}

/// The numbers of a small tensor.
fn numbers_of(message: wire::TensorProto) -> Result<Vec<f64>> {
    let shape = tensor::proto::partial_shape_from_proto(&message.tensor_shape.clone().unwrap_or_default())?;
    let elements = shape.num_elements().unwrap_or(i64::MAX);
    tensor::ensure!(
        elements <= 3 * MOST_BUCKETS as i64,
        ResourceExhausted,
        "a summary of {elements} numbers is not shown"
    );
    let tensor = tensor::proto::from_proto(&message)?;
    let numbers: Vec<f64> = match tensor.dtype() {
        DType::Double => tensor.as_slice::<f64>()?.to_vec(),
        DType::Float => tensor.as_slice::<f32>()?.iter().map(|value| f64::from(*value)).collect(),
        dtype => tensor::bail!(Unimplemented, "summaries of type {dtype} are not shown"),
    };
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use files::EventWriter;
    use std::io::Write;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tensorfleet-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_file_is_read_on_where_it_ended_and_a_half_record_is_waited_for() {
        let folder = folder("read-on");
        let mut writer = EventWriter::create(&folder, "").unwrap();
        writer.add_scalar(1, "loss", 0.5).unwrap();
        writer.flush().unwrap();
        let path = writer.path().to_owned();
        let mut run = RunEvents::default();
        assert!(run.read_on(&path, u64::MAX) > 0);
        assert_eq!(run.read_on(&path, u64::MAX), 0);
        assert_eq!(run.scalars["loss"].last().map(|point| (point.step, point.value)), Some((1, 0.5)));
        writer.add_scalar(2, "loss", 0.25).unwrap();
        writer.flush().unwrap();
        let whole = std::fs::read(&path).unwrap();
        // Half of the next record: not damaged, but not yet there.
        std::fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        assert_eq!(run.read_on(&path, u64::MAX), 0);
        assert!(run.damaged().is_empty());
        std::fs::write(&path, &whole).unwrap();
        run.read_on(&path, u64::MAX);
        assert_eq!(run.scalars["loss"].last().map(|point| point.step), Some(2));
        let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&[7; 40]).unwrap();
        run.read_on(&path, u64::MAX);
        assert_eq!(run.damaged().len(), 1);
        assert!(run.damaged()[0].1.contains("corrupted record"), "{:?}", run.damaged());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn histograms_that_cannot_be_drawn_are_left_out() {
        let mut run = RunEvents::default();
        let counts = |limits: &[f64], counts: &[f64]| Counts {
            step: 1,
            wall: 0.0,
            least: -1.0,
            limits: limits.to_vec(),
            counts: counts.to_vec(),
        };
        run.note_histogram("good".to_owned(), counts(&[0.0, 1.0, f64::MAX], &[1.0, 2.0, 0.0]));
        run.note_histogram("bad".to_owned(), counts(&[1.0, 0.0], &[1.0, 2.0]));
        run.note_histogram("none".to_owned(), counts(&[], &[]));
        assert_eq!(run.histograms.keys().collect::<Vec<_>>(), ["good"]);
        assert_eq!(run.histograms["good"][0].most(), 1.0);
        for _ in 0..1000 {
            run.note_histogram("good".to_owned(), counts(&[0.0], &[1.0]));
        }
        assert!(run.histograms["good"].len() <= MOST_HISTOGRAMS);
    }
}
