//! Scenarios as they are stored: a graph, and steps with what they must give.

use std::path::Path;

use bytes::Bytes;
use files::{Compression, RecordReader};
use prost::Message;
use tensor::{Code, PartialShape, Result, Tensor, bail, ensure, err, proto};

use crate::Tolerance;

/// A graph and the steps to run on it, in order.
pub struct Scenario {
    pub name: String,
    pub graph: wire::GraphDef,
    pub steps: Vec<Step>,
    /// Files that are to exist in the scenario's folder, which `$DIR` stands for.
    pub files: Vec<(String, Bytes)>,
    /// What TensorFlow infers for the outputs of the node `op` if every fed placeholder is a constant.
    pub shapes: Vec<PartialShape>,
}

/// One step.
pub struct Step {
    pub feeds: Vec<(String, Tensor)>,
    pub fetches: Vec<String>,
    pub targets: Vec<String>,
    /// Not empty if the step's fetches are gradients.
    pub xs: Vec<String>,
    pub ys: Vec<(String, Tensor)>,
    pub expected: Outcome,
    pub tolerance: Option<Tolerance>,
    pub mode: String,
    pub timeout_ms: Option<u64>,
}

/// What a step must end with.
pub enum Outcome {
    /// The fetched values; `None` where a gradient must be absent.
    Values(Vec<Option<Tensor>>),
    Error {
        code: Code,
        phrase: String,
    },
}

/// The scenarios of a file.
///
/// # Errors
/// `DataLoss` if there are not as many as the file says, or one does not decode.
pub fn read_scenarios(path: &Path) -> Result<Vec<Scenario>> {
    let scenarios: Vec<Scenario> = read_records(path)?.iter().map(scenario).collect::<Result<_>>()?;
    Ok(scenarios)
}

/// The records of a file after the first one, which says how many they are.
pub(crate) fn read_records(path: &Path) -> Result<Vec<Bytes>> {
    let mut reader = RecordReader::open(path, Compression::Gzip)?;
    let Some(first) = reader.read()? else { bail!(DataLoss, "{} is empty", path.display()) };
    let count = Features::decode(&first)?.int("count").unwrap_or(0);
    let mut records = Vec::new();
    while let Some(record) = reader.read()? {
        records.push(record);
    }
    ensure!(
        records.len() as i64 == count && count > 0,
        DataLoss,
        "{} says that it has {count} records, but has {}",
        path.display(),
        records.len()
    );
    Ok(records)
}

fn scenario(record: &Bytes) -> Result<Scenario> {
    let features = Features::decode(record)?;
    let name = features.text("name");
    let graph = wire::GraphDef::decode(features.one("graph"))
        .map_err(|error| err!(DataLoss, "the graph of {name} does not decode: {error}"))?;
    let steps = features.all("steps").iter().map(step).collect::<Result<_>>()?;
    let shapes = features.all("shapes").iter().map(|bytes| {
        let shape = wire::TensorShapeProto::decode(bytes.clone()).map_err(|error| err!(DataLoss, "shape: {error}"))?;
        proto::partial_shape_from_proto(&shape)
    });
    let files = features.texts("files").into_iter().zip(features.all("contents").iter().cloned()).collect();
    Ok(Scenario { name, graph, steps, files, shapes: shapes.collect::<Result<_>>()? })
}

fn step(bytes: &Bytes) -> Result<Step> {
    let features = Features::decode(bytes)?;
    let tensors =
        |name: &str| features.all(name).iter().map(|bytes| proto::decode(bytes.clone())).collect::<Result<Vec<_>>>();
    let expected = match features.int("code") {
        Some(code) => Outcome::Error { code: Code::from_number(code as i32), phrase: features.text("phrase") },
        None => {
            let value = |bytes: &Bytes| {
                if bytes.is_empty() { Ok(None) } else { proto::decode(bytes.clone()).map(Some) }
            };
            Outcome::Values(features.all("expected").iter().map(value).collect::<Result<_>>()?)
        }
    };
    let tolerance = match (features.float("rtol"), features.float("atol")) {
        (Some(rtol), Some(atol)) => Some(Tolerance { rtol, atol }),
        _ => None,
    };
    Ok(Step {
        feeds: features.texts("feeds").into_iter().zip(tensors("feed_values")?).collect(),
        fetches: features.texts("fetches"),
        targets: features.texts("targets"),
        xs: features.texts("xs"),
        ys: features.texts("ys").into_iter().zip(tensors("weights")?).collect(),
        expected,
        tolerance,
        mode: features.text("mode"),
        timeout_ms: features.int("timeout_ms").map(|value| value as u64),
    })
}

/// The features of a `tf.train.Example`.
struct Features(wire::Features);

impl Features {
    fn decode(record: &Bytes) -> Result<Features> {
        let example = wire::Example::decode(record.clone()).map_err(|error| err!(DataLoss, "an example: {error}"))?;
        Ok(Features(example.features.unwrap_or_default()))
    }

    fn all(&self, name: &str) -> &[Bytes] {
        match self.0.feature.get(name).and_then(|feature| feature.kind.as_ref()) {
            Some(wire::feature::Kind::BytesList(list)) => &list.value,
            _ => &[],
        }
    }

    fn one(&self, name: &str) -> Bytes {
        self.all(name).first().cloned().unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        self.all(name).iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    }

    fn text(&self, name: &str) -> String {
        self.texts(name).into_iter().next().unwrap_or_default()
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.0.feature.get(name)?.kind.as_ref()? {
            wire::feature::Kind::Int64List(list) => list.value.first().copied(),
            _ => None,
        }
    }

    fn float(&self, name: &str) -> Option<f64> {
        match self.0.feature.get(name)?.kind.as_ref()? {
            wire::feature::Kind::FloatList(list) => list.value.first().map(|value| f64::from(*value)),
            _ => None,
        }
    }
}
