//! Examples: features by name, written to records and parsed from them.

use std::collections::BTreeMap;
use std::panic::Location;

use bytes::Bytes;
use graph::{Graph, Output};
use prost::Message;
use tensor::{DType, PartialShape, Shape, Tensor, err};
use wire::feature::Kind;

use super::constant_exactly;

/// An example to be written: features by name.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Example;
/// let record = Example::new().bytes("label", 3f64.to_le_bytes()).floats("weights", [0.5, 1.0]).ints("size", [28]).encode();
/// assert!(!record.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Example {
    features: BTreeMap<String, wire::Feature>,
}

impl Example {
    /// Returns an example without features.
    pub fn new() -> Example {
        Example::default()
    }

    /// A feature that is one string of bytes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Example, Feature, parse_example};
    /// let record = Example::new().bytes("name", "w").encode();
    /// let g = Graph::new();
    /// let records = g.constant(Tensor::string_vector([record]));
    /// let parsed = parse_example(&records, &[("name", Feature::fixed((), DType::String))]);
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<String>, _>(&parsed.get("name"))?, ["w"]);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn bytes(self, name: &str, value: impl AsRef<[u8]>) -> Example {
        self.bytes_list(name, [value])
    }

    /// A feature that is a list of strings of bytes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Example, Feature, parse_single_example};
    /// let record = Example::new().bytes_list("words", ["one", "two"]).encode();
    /// let g = Graph::new();
    /// let words = Feature::fixed(&[2], DType::String);
    /// let record = g.constant(Tensor::from_strings(Shape::scalar(), vec![record.into()])?);
    /// let parsed = parse_single_example(&record, &[("words", words)]);
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<String>, _>(&parsed.get("words"))?, ["one", "two"]);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn bytes_list(self, name: &str, values: impl IntoIterator<Item: AsRef<[u8]>>) -> Example {
        let value = values.into_iter().map(|value| Bytes::copy_from_slice(value.as_ref())).collect();
        self.with(name, Kind::BytesList(wire::BytesList { value }))
    }

    /// A feature that is a list of floats.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Example, Feature, parse_example};
    /// let record = Example::new().floats("point", [1.0, 2.0]).encode();
    /// let g = Graph::new();
    /// let records = g.constant(Tensor::string_vector([record]));
    /// let parsed = parse_example(&records, &[("point", Feature::fixed([2], DType::Float))]);
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<[f32; 2]>, _>(&parsed.get("point"))?, [[1.0, 2.0]]);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn floats(self, name: &str, values: impl Into<Vec<f32>>) -> Example {
        self.with(name, Kind::FloatList(wire::FloatList { value: values.into() }))
    }

    /// A feature that is a list of integers.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Example, Feature, parse_example};
    /// let record = Example::new().ints("size", [28]).encode();
    /// let g = Graph::new();
    /// let records = g.constant(Tensor::string_vector([record]));
    /// let parsed = parse_example(&records, &[("size", Feature::fixed((), DType::Int64))]);
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<i64>, _>(&parsed.get("size"))?, [28]);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn ints(self, name: &str, values: impl Into<Vec<i64>>) -> Example {
        self.with(name, Kind::Int64List(wire::Int64List { value: values.into() }))
    }

    fn with(mut self, name: &str, kind: Kind) -> Example {
        self.features.insert(name.to_owned(), wire::Feature { kind: Some(kind) });
        self
    }

    /// The record.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Compression, Example, RecordWriter};
    /// let path = std::env::temp_dir().join(format!("example-doctest-{}", std::process::id()));
    /// let mut file = RecordWriter::create(&path, Compression::None)?;
    /// file.write(&Example::new().ints("label", [7]).encode())?;
    /// file.finish()?;
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Status>(())
    /// ```
    pub fn encode(self) -> Vec<u8> {
        wire::Example { features: Some(wire::Features { feature: self.features }) }.encode_to_vec()
    }
}

/// How a feature is to be parsed.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Example, Feature, parse_single_example};
/// let record = Example::new().floats("point", [1.0, 2.0]).encode();
/// let g = Graph::new();
/// let features = [
///     ("point", Feature::fixed(&[2], DType::Float)),
///     ("label", Feature::fixed((), DType::Int64).default_value(-1i64)),
/// ];
/// let record = g.constant(Tensor::from_strings(Shape::scalar(), vec![record.into()])?);
/// let parsed = parse_single_example(&record, &features);
/// let (point, label) = (parsed.get("point"), parsed.get("label"));
/// let values: (Vec<f32>, i64) = LocalSession::new(&g)?.eval((&point, &label))?;
/// assert_eq!(values, (vec![1.0, 2.0], -1));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct Feature {
    dtype: DType,
    shape: Option<PartialShape>,
    default: Option<Tensor>,
}

impl Feature {
    /// Of one shape in every example (`FixedLenFeature`). The type is float, int64 or string.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Feature, parse_example};
    /// let g = Graph::new();
    /// let records = g.placeholder(DType::String, [None]);
    /// let parsed = parse_example(&records, &[("image", Feature::fixed(&[28, 28], DType::Float))]);
    /// assert_eq!(parsed.get("image").shape(), PartialShape::from([None, Some(28), Some(28)]));
    /// ```
    pub fn fixed(shape: impl Into<PartialShape>, dtype: DType) -> Feature {
        Feature { dtype, shape: Some(shape.into()), default: None }
    }

    /// Of any length (`VarLenFeature`), parsed to a [`SparseFeature`].
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Feature, parse_example};
    /// let g = Graph::new();
    /// let parsed = parse_example(&g.placeholder(DType::String, [None]), &[("tags", Feature::var_len(DType::Int64))]);
    /// assert_eq!(parsed.sparse("tags").unwrap().values.dtype(), Some(DType::Int64));
    /// ```
    pub fn var_len(dtype: DType) -> Feature {
        Feature { dtype, shape: None, default: None }
    }

    /// What an example without the feature has.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Example, Feature, parse_example};
    /// let g = Graph::new();
    /// let nothing = g.constant(Tensor::string_vector([Example::new().encode()]));
    /// let weight = Feature::fixed((), DType::Float).default_value(1f32);
    /// let parsed = parse_example(&nothing, &[("weight", weight)]);
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&parsed.get("weight"))?, [1.0]);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn default_value(mut self, value: impl Into<Tensor>) -> Feature {
        self.default = Some(value.into());
        self
    }
}

/// A parsed feature of varying length.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Example, Feature, parse_example};
/// let records = [Example::new().ints("tags", [5, 6]).encode(), Example::new().encode()];
/// let g = Graph::new();
/// let parsed = parse_example(&g.constant(Tensor::string_vector(records)), &[("tags", Feature::var_len(DType::Int64))]);
/// let tags = parsed.sparse("tags").unwrap();
/// let session = LocalSession::new(&g)?;
/// assert_eq!(session.eval::<Vec<i64>, _>(&tags.values)?, [5, 6]);
/// assert_eq!(session.eval::<Vec<[i64; 2]>, _>(&tags.indices)?, [[0, 0], [0, 1]]);
/// assert_eq!(session.eval::<Vec<i64>, _>(&tags.dense_shape)?, [2, 2]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct SparseFeature {
    /// The row and column of each value, `[count, 2]`.
    pub indices: Output,
    /// The values, `[count]`.
    pub values: Output,
    /// The shape of the whole, two int64.
    pub dense_shape: Output,
}

/// Parsed features by name.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Feature, parse_example};
/// let g = Graph::new();
/// let records = g.placeholder(DType::String, [None]);
/// let features = [("label", Feature::fixed((), DType::Int64)), ("tags", Feature::var_len(DType::Int64))];
/// let parsed = parse_example(&records, &features);
/// assert_eq!(parsed.get("label").shape(), PartialShape::from([None]));
/// assert!(parsed.sparse("tags").is_some() && parsed.sparse("label").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct ParsedFeatures {
    graph: Graph,
    dense: BTreeMap<String, Output>,
    sparse: BTreeMap<String, SparseFeature>,
}

impl ParsedFeatures {
    /// A feature of fixed shape. Asking for another one is a mistake of the graph.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Feature, parse_example};
    /// let g = Graph::new();
    /// let parsed = parse_example(&g.placeholder(DType::String, [None]), &[("label", Feature::fixed((), DType::Int64))]);
    /// assert_eq!(parsed.get("label").dtype(), Some(DType::Int64));
    /// parsed.get("lable");
    /// assert!(g.check().is_err());
    /// ```
    #[track_caller]
    pub fn get(&self, name: &str) -> Output {
        self.dense.get(name).cloned().unwrap_or_else(|| {
            let known: Vec<&str> = self.dense.keys().map(String::as_str).collect();
            self.graph.note_mistake(err!(NotFound, "there is no dense feature '{name}', only {known:?}"));
            // Without its input the node cannot be made, and so stands for none.
            self.graph.op("Identity").output()
        })
    }

    /// A feature of varying length.
    pub fn sparse(&self, name: &str) -> Option<&SparseFeature> {
        self.sparse.get(name)
    }
}

/// Parses one serialized example.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Example, Feature, parse_single_example};
/// let record = Example::new().ints("size", [28]).encode();
/// let g = Graph::new();
/// let record = g.constant(Tensor::from_strings(Shape::scalar(), vec![record.into()])?);
/// let parsed = parse_single_example(&record, &[("size", Feature::fixed((), DType::Int64))]);
/// assert_eq!(LocalSession::new(&g)?.eval::<i64, _>(&parsed.get("size"))?, 28);
/// # Ok::<(), Status>(())
/// ```
#[track_caller]
pub fn parse_single_example(serialized: &Output, features: &[(&str, Feature)]) -> ParsedFeatures {
    let at = Location::caller();
    serialized.graph().with_name_scope("ParseSingleExample", |graph| {
        graph.with_name_scope("ParseExample", |graph| parse(graph, serialized, features, at))
    })
}

/// Parses a batch of serialized examples; every feature gets a first dimension for it.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Example, Feature, parse_example};
/// let records = [28, 32].map(|size| Example::new().ints("size", [size]).encode());
/// let g = Graph::new();
/// let records = g.constant(Tensor::string_vector(records));
/// let parsed = parse_example(&records, &[("size", Feature::fixed((), DType::Int64))]);
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<i64>, _>(&parsed.get("size"))?, [28, 32]);
/// # Ok::<(), Status>(())
/// ```
#[track_caller]
pub fn parse_example(serialized: &Output, features: &[(&str, Feature)]) -> ParsedFeatures {
    let at = Location::caller();
    serialized.graph().with_name_scope("ParseExample", |graph| parse(graph, serialized, features, at))
}

fn parse(
    graph: &Graph,
    serialized: &Output,
    features: &[(&str, Feature)],
    at: &'static Location<'static>,
) -> ParsedFeatures {
    let sorted: BTreeMap<&str, &Feature> = features.iter().map(|(name, feature)| (*name, feature)).collect();
    let dense: Vec<(&str, &Feature, &PartialShape)> =
        sorted.iter().filter_map(|(name, feature)| Some((*name, *feature, feature.shape.as_ref()?))).collect();
    let sparse: Vec<(&str, &Feature)> =
        sorted.iter().filter(|(_, feature)| feature.shape.is_none()).map(|(name, feature)| (*name, *feature)).collect();
    let mut defaults = Vec::with_capacity(dense.len());
    for (name, feature, shape) in &dense {
        defaults.push(graph.constant(default_of(graph, name, feature, shape)));
    }
    let node = graph.unique_name("ParseExampleV2");
    let keys = |what: &str, names: Vec<String>| {
        constant_exactly(graph, format!("{node}/{what}"), Tensor::string_vector(names))
    };
    let names = keys("names", Vec::new());
    let sparse_keys = keys("sparse_keys", sparse.iter().map(|(name, _)| (*name).to_owned()).collect());
    let dense_keys = keys("dense_keys", dense.iter().map(|(name, ..)| (*name).to_owned()).collect());
    let ragged_keys = keys("ragged_keys", Vec::new());
    let op = graph.op("ParseExampleV2").name_exactly(node.clone()).input(serialized).input(names);
    let op = op.input(sparse_keys).input(dense_keys).input(ragged_keys).input_list(&defaults);
    let shapes: Vec<PartialShape> = dense.iter().map(|(_, _, shape)| (*shape).clone()).collect();
    let op = op.attr("num_sparse", sparse.len() as i64).attr("dense_shapes", shapes);
    let op = op.attr("sparse_types", sparse.iter().map(|(_, feature)| feature.dtype).collect::<Vec<_>>());
    let op = op.attr("ragged_value_types", Vec::<DType>::new()).attr("ragged_split_types", Vec::<DType>::new());
    let parsed = op.at(at).build();
    let count = sparse.len();
    let sparse_feature = |place: usize| SparseFeature {
        indices: parsed.output(place),
        values: parsed.output(count + place),
        dense_shape: parsed.output(2 * count + place),
    };
    ParsedFeatures {
        graph: graph.clone(),
        dense: dense
            .iter()
            .enumerate()
            .map(|(place, (name, ..))| ((*name).to_owned(), parsed.output(3 * count + place)))
            .collect(),
        sparse: sparse
            .iter()
            .enumerate()
            .map(|(place, (name, _))| ((*name).to_owned(), sparse_feature(place)))
            .collect(),
    }
}

/// The default of a dense feature, in its shape; an empty one means that examples must have the feature.
fn default_of(graph: &Graph, name: &str, feature: &Feature, shape: &PartialShape) -> Tensor {
    let none = || Tensor::zeros(feature.dtype, &Shape::vector(0)).unwrap_or_else(|_| Tensor::vector::<f32>(&[]));
    let Some(default) = &feature.default else { return none() };
    let unknown = || err!(InvalidArgument, "shape {shape} is not known in full");
    let shaped = shape.to_shape().ok_or_else(unknown).and_then(|shape| default.reshape(shape));
    match shaped {
        Ok(value) if value.dtype() == feature.dtype => value,
        Ok(value) => {
            let (given, wanted) = (value.dtype(), feature.dtype);
            graph.note_mistake(err!(
                InvalidArgument,
                "the default of feature '{name}' is of type {given}, not {wanted}"
            ));
            none()
        }
        Err(status) => {
            graph.note_mistake(status.context(format_args!("the default of feature '{name}'")));
            none()
        }
    }
}

/// Bytes as numbers of a type, little-endian: a string of 16 bytes gives two doubles.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::decode_raw;
/// let g = Graph::new();
/// let numbers = decode_raw(&g.constant("\x01\0\x02\0"), DType::Int16);
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<i16>, _>(&numbers)?, [1, 2]);
/// # Ok::<(), Status>(())
/// ```
#[track_caller]
pub fn decode_raw(strings: &Output, dtype: DType) -> Output {
    strings.graph().op("DecodeRaw").input(strings).attr("out_type", dtype).at(Location::caller()).output()
}
