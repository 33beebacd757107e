//! Features of serialized examples, gathered feature by feature: one column each, with the number of values of every example.

use bytes::Bytes;
use tensor::{DType, Element, PartialShape, Result, Shape, Tensor, ensure, err};

use super::example_text::ExampleText;
use super::feature_column::{Column, Features, Place, Values, decode};

pub(super) struct Plan {
    pub(super) sparse: Vec<(Bytes, DType)>,
    pub(super) dense: Vec<Dense>,
    pub(super) ragged: Vec<(Bytes, DType)>,
}

pub(super) struct Dense {
    key: Bytes,
    dtype: DType,
    shape: PartialShape,
    /// Whether the first dimension varies from example to example.
    varies: bool,
    /// Elements of one example, or of one step along the dimension that varies.
    stride: usize,
    default: Tensor,
}

impl Dense {
    pub(super) fn new(place: usize, key: Bytes, dtype: DType, shape: PartialShape, default: Tensor) -> Result<Dense> {
        let dims = shape.raw_dims().unwrap_or(&[]);
        let varies = dims.first().is_some_and(|dim| *dim < 0);
        let stride = Shape::new(if varies { &dims[1..] } else { dims })?.num_elements();
        if varies {
            ensure!(
                default.num_elements() == 1,
                InvalidArgument,
                "dense_shapes[{place}] is a variable length shape: {shape}, therefore def_value[{place}] must contain a \
                 single element (the padding element).  But its shape is: {}",
                default.shape()
            );
        } else {
            ensure!(
                default.num_elements() == 0 || shape.is_compatible_with(default.shape()),
                InvalidArgument,
                "def_value[{place}].shape() == {} is not compatible with dense_shapes_[{place}] == {shape}",
                default.shape()
            );
        }
        Ok(Dense { key, dtype, shape, varies, stride, default })
    }
}

/// The features of all examples, one column a feature, and how many values each example has.
pub(super) struct Columns {
    /// Whether there is a batch, or a single example without one.
    batched: bool,
    examples: usize,
    sparse: Vec<(Column, Vec<usize>)>,
    dense: Vec<Tensor>,
    ragged: Vec<(Column, Vec<usize>)>,
}

/// Examples worth a thread when they are looked through.
const EXAMPLES: usize = 64;
/// Numbers worth a thread when they are copied.
const NUMBERS: usize = 16 * 1024;

pub(super) fn parse(serialized: &Tensor, names: Option<&Tensor>, plan: &Plan) -> Result<Columns> {
    let rank = serialized.shape().rank();
    ensure!(
        rank <= 1,
        InvalidArgument,
        "Expected serialized to be a scalar or vector, got shape: {}",
        serialized.shape()
    );
    let names = names.filter(|names| names.num_elements() > 0);
    if let Some(names) = names {
        ensure!(
            names.shape() == serialized.shape(),
            InvalidArgument,
            "Expected names have the same shape as serialized: name.shape={}, serialized.shape={}",
            names.shape(),
            serialized.shape()
        );
    }
    let names = names.map(|names| names.strings()).transpose()?;
    let serialized = serialized.strings()?;
    let place = |number: usize| Place { name: names.and_then(|names| names.get(number)), number, single: rank == 0 };
    let mut found: Vec<Option<ExampleText>> = Vec::new();
    found.resize_with(serialized.len(), || None);
    math::threads::parallel_units(&mut found, 1, EXAMPLES, |first, run| {
        run.iter_mut().zip(&serialized[first..]).for_each(|(example, text)| *example = ExampleText::read(text));
    });
    let mut examples = Vec::with_capacity(serialized.len());
    for (number, (example, text)) in found.into_iter().zip(serialized).enumerate() {
        examples.push(match example {
            Some(example) => Features::Text(example),
            None => Features::Decoded(decode(text, &place(number))?),
        });
    }
    let listed = |key: &Bytes, dtype: DType| -> Result<(Column, Vec<usize>)> {
        let (mut column, mut counts) = (Column::new(dtype)?, Vec::with_capacity(examples.len()));
        for (number, features) in examples.iter().enumerate() {
            let before = column.len();
            if let Some(values) = features.find(key) {
                let actual = values.dtype();
                ensure!(
                    actual == dtype,
                    InvalidArgument,
                    "{}.  Data types don't match. Expected type: {dtype}, Actual type: {actual}",
                    place(number).key(key)
                );
                column.extend_with(values);
            }
            counts.push(column.len() - before);
        }
        Ok((column, counts))
    };
    let sparse = plan.sparse.iter().map(|(key, dtype)| listed(key, *dtype)).collect::<Result<_>>()?;
    let ragged = plan.ragged.iter().map(|(key, dtype)| listed(key, *dtype)).collect::<Result<_>>()?;
    let batch = (rank == 1).then_some(examples.len());
    let dense = plan.dense.iter().map(|dense| dense_tensor(dense, &examples, batch, place)).collect::<Result<_>>()?;
    Ok(Columns { batched: rank == 1, examples: examples.len(), sparse, dense, ragged })
}

/// A dense feature of all examples, below a dimension for the batch if there is one.
fn dense_tensor<'a>(
    dense: &Dense,
    examples: &[Features],
    batch: Option<usize>,
    place: impl Fn(usize) -> Place<'a>,
) -> Result<Tensor> {
    let key = String::from_utf8_lossy(&dense.key);
    let mut found = Vec::with_capacity(examples.len());
    for (number, features) in examples.iter().enumerate() {
        let values = features.find(&dense.key);
        if let Some(values) = &values {
            let (actual, count) = (values.dtype(), values.len());
            let here = place(number);
            let word = if actual == DType::String { "bytes".to_owned() } else { actual.to_string() };
            ensure!(
                actual == dense.dtype,
                InvalidArgument,
                "{}.  Data types don't match. Data type: {actual} but expected type: {}",
                place(number).key(&dense.key),
                dense.dtype
            );
            if dense.varies {
                ensure!(
                    dense.stride > 0 && count.is_multiple_of(dense.stride),
                    InvalidArgument,
                    "{}  Number of {word} values is not a multiple of stride length. Saw {count} values but output \
                     shape is: {}",
                    if here.single { format!("key {key}:") } else { format!("{}.", here.key(&dense.key)) },
                    dense.shape
                );
            } else {
                ensure!(
                    count == dense.stride,
                    InvalidArgument,
                    "{}.  {}Number of {word} values != expected.  Values size: {count} but output shape: {}",
                    here.key(&dense.key),
                    if here.single { "Can't parse serialized Example: " } else { "" },
                    dense.shape
                );
            }
        } else {
            let has_default = dense.varies || dense.stride == 0 || dense.default.num_elements() > 0;
            ensure!(
                has_default,
                InvalidArgument,
                "{}Feature: {key} (data type: {}) is required but could not be found.",
                place(number).lead(),
                dense.dtype
            );
        }
        found.push(values);
    }
    let shape = |dims: &[i64]| match batch {
        Some(batch) => Shape::new(&[&[batch as i64], dims].concat()),
        None => Shape::new(dims),
    };
    let dims = dense.shape.raw_dims().unwrap_or(&[]);
    if !dense.varies {
        return match dense.dtype {
            DType::Float if dense.stride > 0 => {
                rows(dense, &found, shape(dims)?, |values, row| values.write_floats(row))
            }
            DType::Int64 if dense.stride > 0 => {
                rows(dense, &found, shape(dims)?, |values, row| values.write_integers(row))
            }
            _ => {
                let mut column = Column::new(dense.dtype)?;
                for values in found {
                    match values {
                        Some(values) => column.extend_with(values),
                        None => column.extend_from(&dense.default)?,
                    }
                }
                column.into_tensor(shape(dims)?)
            }
        };
    }
    let mut column = Column::new(dense.dtype)?;
    let longest = found.iter().flatten().map(Values::len).max().unwrap_or(0);
    for values in found {
        let before = column.len();
        if let Some(values) = values {
            column.extend_with(values);
        }
        column.pad(&dense.default, before + longest)?;
    }
    let mut dims = dims.to_vec();
    if let Some(first) = dims.first_mut() {
        *first = longest.checked_div(dense.stride).unwrap_or(0) as i64;
    }
    column.into_tensor(shape(&dims)?)
}

/// The numbers of all examples, each example's written to its place by several threads. Their counts have been checked.
fn rows<T: Element>(
    dense: &Dense,
    found: &[Option<Values<'_>>],
    shape: Shape,
    write: impl Fn(&Values<'_>, &mut [T]) + Sync,
) -> Result<Tensor> {
    let default = dense.default.as_slice::<T>()?;
    Tensor::build(shape, |out: &mut [T]| {
        math::threads::parallel_units(out, dense.stride, (NUMBERS / dense.stride).max(1), |first, run| {
            for (row, values) in run.chunks_exact_mut(dense.stride).zip(&found[first..]) {
                match values {
                    Some(values) => write(values, row),
                    None => row.copy_from_slice(default),
                }
            }
        });
        Ok(())
    })
}

impl Columns {
    /// Indices of all sparse features, then values, then shapes; then the dense ones.
    pub(super) fn sparse_and_dense(&self) -> Result<Vec<Tensor>> {
        let (mut indices, mut values, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        for (column, counts) in &self.sparse {
            let mut places: Vec<i64> = Vec::with_capacity(column.len() * 2);
            for (number, count) in counts.iter().enumerate() {
                for place in 0..*count as i64 {
                    if self.batched {
                        places.push(number as i64);
                    }
                    places.push(place);
                }
            }
            let rank = 1 + self.batched as i64;
            indices.push(Tensor::from_slice(&Shape::new(&[column.len() as i64, rank])?, &places)?);
            values.push(column.to_tensor(Shape::vector(column.len()))?);
            let longest = counts.iter().max().copied().unwrap_or(0) as i64;
            shapes.push(match self.batched {
                true => Tensor::from([self.examples as i64, longest]),
                false => Tensor::from([longest]),
            });
        }
        Ok([indices, values, shapes, self.dense.clone()].concat())
    }

    /// Values of all ragged features, then where each example's begin.
    pub(super) fn ragged(&self, split_types: &[DType]) -> Result<Vec<Tensor>> {
        let mut outputs = Vec::new();
        for (column, _) in &self.ragged {
            outputs.push(column.to_tensor(Shape::vector(column.len()))?);
        }
        for ((_, counts), dtype) in self.ragged.iter().zip(split_types) {
            let mut splits = Vec::new();
            if self.batched {
                splits.push(0i64);
                for count in counts {
                    splits.push(splits.last().copied().unwrap_or(0) + *count as i64);
                }
            }
            outputs.push(match dtype {
                DType::Int64 => Tensor::vector(&splits),
                _ => {
                    let narrow: std::result::Result<Vec<i32>, _> = splits.iter().map(|s| i32::try_from(*s)).collect();
                    let too_many = |_| err!(InvalidArgument, "too many values for row splits of type int32");
                    Tensor::vector(&narrow.map_err(too_many)?)
                }
            });
        }
        Ok(outputs)
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use wire::feature::Kind;

    use super::*;

    fn example(features: &[(&str, Kind)]) -> Bytes {
        let feature =
            features.iter().map(|(key, kind)| (key.to_string(), wire::Feature { kind: Some(kind.clone()) })).collect();
        wire::Example { features: Some(wire::Features { feature }) }.encode_to_vec().into()
    }

    fn floats(values: &[f32]) -> Kind {
        Kind::FloatList(wire::FloatList { value: values.to_vec() })
    }

    fn strings(values: &[&'static str]) -> Kind {
        Kind::BytesList(wire::BytesList {
            value: values.iter().map(|text| Bytes::from_static(text.as_bytes())).collect(),
        })
    }

    fn two() -> Tensor {
        let first = example(&[("x", floats(&[1.0, 2.0])), ("s", strings(&["hi", "ho"]))]);
        Tensor::string_vector([first, example(&[("x", floats(&[3.0, 4.0])), ("s", strings(&["q"]))])])
    }

    fn dense(key: &'static str, dtype: DType, shape: &[i64], default: Tensor) -> Plan {
        let dense = Dense::new(0, Bytes::from_static(key.as_bytes()), dtype, PartialShape::from_dims(shape), default);
        Plan { sparse: vec![], dense: vec![dense.unwrap()], ragged: vec![] }
    }

    fn none(dtype: DType) -> Tensor {
        Tensor::zeros(dtype, &Shape::vector(0)).unwrap()
    }

    fn run(serialized: &Tensor, plan: &Plan) -> Result<Vec<Tensor>> {
        parse(serialized, None, plan)?.sparse_and_dense()
    }

    /// All as TensorFlow 2.21 gives them.
    #[test]
    fn dense_features() {
        let plan = dense("x", DType::Float, &[2], none(DType::Float));
        assert_eq!(run(&two(), &plan).unwrap(), [Tensor::from([[1f32, 2.0], [3.0, 4.0]])]);
        let single = Tensor::from(two().strings().unwrap()[0].clone());
        assert_eq!(run(&single, &plan).unwrap(), [Tensor::from([1f32, 2.0])]);
        let padded = run(&two(), &dense("s", DType::String, &[-1], Tensor::from("pad"))).unwrap();
        assert_eq!(padded[0].dims(), [2, 2]);
        assert_eq!(padded[0].strings().unwrap(), ["hi", "ho", "q", "pad"]);
        let absent = run(&two(), &dense("i", DType::Int64, &[1], Tensor::from([9i64]))).unwrap();
        assert_eq!(absent, [Tensor::from([[9i64], [9]])]);
    }

    /// Texts as in TensorFlow 2.21.
    #[test]
    fn what_does_not_fit() {
        let message = |plan: &Plan| run(&two(), plan).unwrap_err().message().to_owned();
        assert_eq!(
            message(&dense("i", DType::Int64, &[1], none(DType::Int64))),
            "Name: <unknown>, Feature: i (data type: int64) is required but could not be found."
        );
        assert_eq!(
            message(&dense("x", DType::Float, &[3], none(DType::Float))),
            "Name: <unknown>, Key: x, Index: 0.  Number of float values != expected.  Values size: 2 but output shape: [3]"
        );
        assert_eq!(
            message(&dense("x", DType::Int64, &[2], none(DType::Int64))),
            "Name: <unknown>, Key: x, Index: 0.  Data types don't match. Data type: float but expected type: int64"
        );
        let garbage = Tensor::string_vector([Bytes::from_static(b"\xff\xff\xff")]);
        let status = run(&garbage, &dense("x", DType::Float, &[2], none(DType::Float))).unwrap_err();
        assert!(status.message().starts_with("Name: <unknown>, Could not parse example input, value: '\\xff"));
    }

    #[test]
    fn sparse_and_ragged_features() {
        let key = || Bytes::from_static(b"s");
        let plan = Plan { sparse: vec![(key(), DType::String)], dense: vec![], ragged: vec![(key(), DType::String)] };
        let columns = parse(&two(), None, &plan).unwrap();
        let sparse = columns.sparse_and_dense().unwrap();
        assert_eq!(sparse[0], Tensor::from([[0i64, 0], [0, 1], [1, 0]]));
        assert_eq!(sparse[1], Tensor::string_vector(["hi", "ho", "q"]));
        assert_eq!(sparse[2], Tensor::from([2i64, 2]));
        let ragged = columns.ragged(&[DType::Int32]).unwrap();
        assert_eq!(ragged, [Tensor::string_vector(["hi", "ho", "q"]), Tensor::from([0i32, 2, 3])]);
    }
}
