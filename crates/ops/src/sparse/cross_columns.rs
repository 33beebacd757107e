//! Columns of features that are crossed: for each row of a batch, features that are strings or integers, and all combinations
//! of one feature of each column.

use std::hash::Hasher;

use bytes::Bytes;
use tensor::{DType, Result, Tensor, bail, ensure};

/// The features of one column, and where each row's begin.
pub(crate) struct CrossColumn {
    features: Features,
    /// One more than there are rows.
    ends: Vec<usize>,
    is_dense: bool,
}

enum Features {
    Texts(Vec<Bytes>),
    Numbers(Vec<i64>),
}

/// How features become numbers.
#[derive(Clone, Copy)]
pub(crate) enum Hash {
    /// Texts by their fingerprints; numbers are what they are.
    Plain,
    /// So are the numbers of dense columns; of those of sparse ones, the lower four bytes are taken for a text.
    Weak,
    /// With a key.
    Strong(u64, u64),
}

impl CrossColumn {
    /// # Errors
    /// `InvalidArgument` if there are not as many features as the last row ends with.
    pub(crate) fn new(values: &Tensor, ends: Vec<usize>) -> Result<CrossColumn> {
        let features = match values.dtype() {
            DType::String => Features::Texts(values.strings()?.to_vec()),
            DType::Int64 => Features::Numbers(values.to_i64_vec()?),
            other => bail!(InvalidArgument, "no crosses of {other}"),
        };
        ensure!(
            ends.last() == Some(&values.num_elements()),
            InvalidArgument,
            "rows that end at {ends:?} do not hold {} features",
            values.num_elements()
        );
        Ok(CrossColumn { features, ends, is_dense: false })
    }

    /// Each row of a matrix.
    ///
    /// # Errors
    /// `InvalidArgument` if it is none.
    pub(crate) fn dense(values: &Tensor) -> Result<CrossColumn> {
        ensure!(
            values.shape().rank() == 2,
            InvalidArgument,
            "Dense inputs should be a matrix but received shape {}",
            values.shape()
        );
        let (rows, width) = (values.shape().dim(0), values.shape().dim(1));
        let column = CrossColumn::new(values, (0..=rows).map(|row| row * width).collect())?;
        Ok(CrossColumn { is_dense: true, ..column })
    }

    /// The rows of a sparse matrix whose entries are in order.
    ///
    /// # Errors
    /// `InvalidArgument` if it is none.
    pub(crate) fn sparse(indices: &Tensor, values: &Tensor, shape: &Tensor) -> Result<CrossColumn> {
        ensure!(
            indices.shape().rank() == 2,
            InvalidArgument,
            "Input indices should be a matrix but received shape {}",
            indices.shape()
        );
        ensure!(
            indices.shape().dim(1) == 2,
            InvalidArgument,
            "Expected D2 of index to be 2, got {}",
            indices.shape().dim(1)
        );
        ensure!(
            values.shape().rank() == 1,
            InvalidArgument,
            "Input values should be a vector but received shape {}",
            values.shape()
        );
        ensure!(
            values.num_elements() == indices.shape().dim(0),
            InvalidArgument,
            "Expected size of values to be {}, got shape {}",
            indices.shape().dim(0),
            values.shape()
        );
        ensure!(
            shape.shape().rank() == 1 && shape.num_elements() == 2,
            InvalidArgument,
            "Input shapes should be a vector of two but received shape {}",
            shape.shape()
        );
        let rows = shape.to_i64_vec()?[0];
        ensure!((0..=1 << 31).contains(&rows), InvalidArgument, "a batch of {rows} rows");
        tensor::memory::ensure_free(rows as u64 * 16, format_args!("{rows} rows of features"))?;
        let mut ends = vec![0usize; rows as usize + 1];
        let mut last = 0;
        for entry in indices.to_i64_vec()?.chunks_exact(2) {
            ensure!(
                (0..rows).contains(&entry[0]) && entry[0] >= last,
                InvalidArgument,
                "Sparse tensor indices must be in order and within {rows} rows: row {} follows row {last}",
                entry[0]
            );
            last = entry[0];
            ends[last as usize + 1] += 1;
        }
        for row in 0..rows as usize {
            ends[row + 1] += ends[row];
        }
        CrossColumn::new(values, ends)
    }

    pub(crate) fn rows(&self) -> usize {
        self.ends.len() - 1
    }

    fn count(&self, row: usize) -> usize {
        self.ends[row + 1] - self.ends[row]
    }

    fn text(&self, place: usize, out: &mut Vec<u8>) {
        match &self.features {
            Features::Texts(texts) => out.extend_from_slice(&texts[place]),
            Features::Numbers(numbers) => out.extend_from_slice(numbers[place].to_string().as_bytes()),
        }
    }

    fn number(&self, place: usize, hash: Hash) -> u64 {
        let keyed = |bytes: &[u8], (first, second): (u64, u64)| {
            let mut hasher = siphasher::sip::SipHasher24::new_with_keys(first, second);
            hasher.write(bytes);
            hasher.finish()
        };
        match (&self.features, hash) {
            (Features::Texts(texts), Hash::Plain | Hash::Weak) => farmhash::fingerprint64(&texts[place]),
            (Features::Texts(texts), Hash::Strong(first, second)) => keyed(&texts[place], (first, second)),
            (Features::Numbers(numbers), Hash::Weak) if !self.is_dense => {
                farmhash::fingerprint64(&(numbers[place] as u32).to_le_bytes())
            }
            (Features::Numbers(numbers), Hash::Plain | Hash::Weak) => numbers[place] as u64,
            (Features::Numbers(numbers), Hash::Strong(first, second)) => {
                keyed(&(numbers[place] as u32).to_le_bytes(), (first, second))
            }
        }
    }
}

/// What becomes of a combination.
#[derive(Clone)]
pub(crate) enum Crosser {
    /// The features' texts with a separator between.
    Join(Bytes),
    /// A number below so many (0: any), of the features' numbers, after the first one if it is given.
    Hash { buckets: u64, first: Option<u64>, hash: Hash },
}

/// The crosses of a batch, and how many each row has.
pub(crate) struct Crosses {
    pub(crate) values: Tensor,
    pub(crate) counts: Vec<i64>,
}

/// All combinations of one feature of each column, row by row; the last column's change fastest.
///
/// # Errors
/// `InvalidArgument` if the columns have different numbers of rows; `ResourceExhausted` for too many combinations.
pub(crate) fn crosses(columns: &[CrossColumn], crosser: &Crosser) -> Result<Crosses> {
    let rows = columns.first().map_or(0, CrossColumn::rows);
    for column in columns {
        ensure!(
            column.rows() == rows,
            InvalidArgument,
            "Expected batch size {rows}, got {}: all columns have as many rows",
            column.rows()
        );
    }
    let count = |row: usize| columns.iter().try_fold(1usize, |all, column| all.checked_mul(column.count(row)));
    let mut counts = Vec::with_capacity(rows);
    let mut total = 0usize;
    for row in 0..rows {
        let own = count(row).filter(|own| *own < 1 << 32);
        let Some(sum) = own.and_then(|own| total.checked_add(own)).filter(|sum| *sum < 1 << 32) else {
            bail!(ResourceExhausted, "too many combinations of features in row {row} and those before it")
        };
        counts.push(own.unwrap_or(0) as i64);
        total = sum;
    }
    tensor::memory::ensure_free(total as u64 * 32, format_args!("{total} crosses"))?;
    let (mut texts, mut numbers) = (Vec::new(), Vec::new());
    for (row, own) in counts.iter().enumerate() {
        let mut places: Vec<usize> = columns.iter().map(|column| column.ends[row]).collect();
        for _ in 0..*own {
            match crosser {
                Crosser::Join(separator) => texts.push(join(columns, &places, separator)),
                Crosser::Hash { buckets, first, hash } => {
                    let numbers_of = columns.iter().zip(&places).map(|(column, place)| column.number(*place, *hash));
                    let all = first.iter().copied().chain(numbers_of).reduce(cat).unwrap_or(0);
                    numbers.push((all % if *buckets > 0 { *buckets } else { i64::MAX as u64 }) as i64);
                }
            }
            for (place, column) in places.iter_mut().zip(columns).rev() {
                *place += 1;
                if *place < column.ends[row + 1] {
                    break;
                }
                *place = column.ends[row];
            }
        }
    }
    let values = match crosser {
        Crosser::Join(_) => Tensor::string_vector(texts),
        Crosser::Hash { .. } => Tensor::vector(&numbers),
    };
    Ok(Crosses { values, counts })
}

fn join(columns: &[CrossColumn], places: &[usize], separator: &[u8]) -> Bytes {
    let mut text = Vec::new();
    for (number, (column, place)) in columns.iter().zip(places).enumerate() {
        if number > 0 {
            text.extend_from_slice(separator);
        }
        column.text(*place, &mut text);
    }
    text.into()
}

/// One number of two, as TensorFlow makes it.
fn cat(first: u64, second: u64) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    let mix = |value: u64| value ^ (value >> 47);
    let value = (first ^ FACTOR) ^ mix(second.wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
    mix(mix(value.wrapping_mul(FACTOR)).wrapping_mul(FACTOR))
}
