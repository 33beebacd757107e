//! `ckpt show` and `ckpt cat`: the tensors of a checkpoint, and their elements.

use std::path::PathBuf;

use clap::Args;
use files::bundle::TensorSlice;
use serde_json::json;
use tensor::{DType, Result, Shape, Tensor, ensure};

use super::{open, text};
use crate::output;

/// A tensor of more elements is shown in part.
const SHOWN: usize = 1000;
/// So many of each end of a dimension.
const EDGE: i64 = 3;

#[derive(Args)]
pub struct Show {
    /// The checkpoint, or its folder.
    checkpoint: PathBuf,
    /// Only tensors whose names contain this.
    #[arg(long)]
    filter: Option<String>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

impl Show {
    pub fn run(self) -> Result<()> {
        let reader = open(&self.checkpoint)?;
        let mut entries = reader.entries()?;
        if let Some(filter) = &self.filter {
            entries.retain(|entry| entry.name.contains(filter));
        }
        if self.json {
            let all: Vec<_> = entries
                .iter()
                .map(|entry| {
                    let slices: Vec<String> = entry.slices.iter().map(ToString::to_string).collect();
                    json!({"name": entry.name, "dtype": entry.dtype.to_string(), "shape": entry.shape.dims(),
                           "bytes": text::bytes_of(entry), "slices": slices})
                })
                .collect();
            output::line(serde_json::to_string_pretty(&all).unwrap_or_default());
            return Ok(());
        }
        let mut rows = vec![["tensor", "type", "shape", "size", ""].map(str::to_owned).to_vec()];
        for entry in &entries {
            let slices = match entry.slices.len() {
                0 => String::new(),
                slices => format!("in {slices} slices"),
            };
            let size = text::size(text::bytes_of(entry));
            rows.push(vec![entry.name.clone(), entry.dtype.to_string(), entry.shape.to_string(), size, slices]);
        }
        output::text(text::table(&rows));
        let elements: usize = entries.iter().map(|entry| entry.shape.num_elements()).sum();
        let bytes = entries.iter().map(text::bytes_of).sum();
        output::line(format_args!("{} tensors, {elements} elements, {}", entries.len(), text::size(bytes)));
        Ok(())
    }
}

#[derive(Args)]
pub struct Cat {
    /// The checkpoint, or its folder.
    checkpoint: PathBuf,
    /// The tensor.
    name: String,
    /// A part of it: `start,length` or `-` for each dimension, separated by colons, as `0,2:-`.
    #[arg(long, value_parser = |text: &str| TensorSlice::parse(text).map_err(|status| status.message().to_owned()))]
    slice: Option<TensorSlice>,
    /// Print all elements, however many.
    #[arg(long)]
    all: bool,
}

impl Cat {
    pub fn run(self) -> Result<()> {
        let reader = open(&self.checkpoint)?;
        let entry = reader.entry(&self.name)?;
        let mut summary = Summary::default();
        let (shape, elements) = match &self.slice {
            // However large it is, only what is shown stays in memory.
            None if entry.dtype.is_plain() => {
                let places = self.places(&entry.shape);
                let (size, mut at, mut kept) = (entry.dtype.size(), 0, Vec::with_capacity(places.len() * 8));
                let mut next = places.iter().copied().peekable();
                reader.read_in_pieces(&self.name, |piece| {
                    let count = piece.len() / size;
                    while let Some(place) = next.next_if(|place| *place < at + count) {
                        kept.extend_from_slice(&piece[(place - at) * size..(place - at + 1) * size]);
                    }
                    at += count;
                    summary.add(entry.dtype, piece);
                    Ok(())
                })?;
                let kept = Tensor::from_bytes(entry.dtype, Shape::new(&[places.len() as i64])?, kept.into())?;
                (entry.shape, text::elements(&kept, &(0..places.len()).collect::<Vec<_>>())?)
            }
            slice => {
                let tensor = match slice {
                    None => reader.lookup(&self.name)?,
                    Some(slice) => {
                        ensure!(
                            slice.rank() == entry.shape.rank(),
                            InvalidArgument,
                            "--slice {slice} has {} dimensions where {} of shape {} has {}",
                            slice.rank(),
                            self.name,
                            entry.shape,
                            entry.shape.rank()
                        );
                        reader.lookup_slice(&self.name, slice)?
                    }
                };
                if let Some(buffer) = tensor.buffer() {
                    summary.add(entry.dtype, buffer.as_bytes());
                }
                (tensor.shape().clone(), text::elements(&tensor, &self.places(tensor.shape()))?)
            }
        };
        output::line(format_args!("{} {} {shape}", self.name, entry.dtype));
        let mut written = String::new();
        write(shape.dims(), self.shortens(&shape), 0, &mut elements.into_iter(), &mut written);
        output::line(written);
        if let Some(summary) = summary.text() {
            output::line(summary);
        }
        Ok(())
    }

    fn shortens(&self, shape: &Shape) -> bool {
        !self.all && shape.num_elements() > SHOWN
    }

    /// The elements that are shown, ascending.
    fn places(&self, shape: &Shape) -> Vec<usize> {
        let shorten = self.shortens(shape);
        shape.dims().iter().fold(vec![0], |places, dim| {
            let shown: Vec<usize> = shown(*dim, shorten).map(|at| at as usize).collect();
            places.iter().flat_map(|place| shown.iter().map(move |at| place * *dim as usize + at)).collect()
        })
    }
}

/// The indices of a dimension that are shown.
fn shown(dim: i64, shorten: bool) -> impl Iterator<Item = i64> {
    (0..dim).filter(move |at| !shorten || *at < EDGE || *at >= dim - EDGE)
}

/// Brackets around the next elements, from dimension `axis` on.
fn write(dims: &[i64], shorten: bool, axis: usize, elements: &mut impl Iterator<Item = String>, text: &mut String) {
    let Some(dim) = dims.get(axis).copied() else {
        *text += &elements.next().unwrap_or_default();
        return;
    };
    let gap = if axis + 1 == dims.len() { " ".to_owned() } else { format!("\n{}", " ".repeat(axis + 1)) };
    text.push('[');
    for at in shown(dim, shorten) {
        if at > 0 {
            *text += &gap;
        }
        if shorten && dim > 2 * EDGE && at == dim - EDGE {
            *text += &format!("...{gap}");
        }
        write(dims, shorten, axis + 1, elements, text);
    }
    text.push(']');
}

/// The smallest, largest and mean value of numbers, and how many are none.
#[derive(Default)]
struct Summary {
    finite: u64,
    others: u64,
    low: f64,
    high: f64,
    sum: f64,
}

impl Summary {
    fn add(&mut self, dtype: DType, bytes: &[u8]) {
        for value in text::numbers(dtype, bytes).unwrap_or_default() {
            if !value.is_finite() {
                self.others += 1;
                continue;
            }
            let first = self.finite == 0;
            self.low = if first { value } else { self.low.min(value) };
            self.high = if first { value } else { self.high.max(value) };
            self.sum += value;
            self.finite += 1;
        }
    }

    fn text(&self) -> Option<String> {
        let others = if self.others > 0 { format!("  not finite {}", self.others) } else { String::new() };
        match self.finite {
            0 if self.others == 0 => None,
            0 => Some(others.trim_start().to_owned()),
            finite => Some(format!("min {}  max {}  mean {}{others}", self.low, self.high, self.sum / finite as f64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(dims: &[i64], shorten: bool, elements: &[&str]) -> String {
        let mut text = String::new();
        write(dims, shorten, 0, &mut elements.iter().map(ToString::to_string), &mut text);
        text
    }

    #[test]
    fn elements_are_in_brackets() {
        assert_eq!(written(&[], false, &["1.5"]), "1.5");
        assert_eq!(written(&[2, 2], false, &["1", "2", "3", "4"]), "[[1 2]\n [3 4]]");
        assert_eq!(written(&[9], true, &["0", "1", "2", "6", "7", "8"]), "[0 1 2 ... 6 7 8]");
        assert_eq!(written(&[0, 3], false, &[]), "[]");
    }

    #[test]
    fn the_edges_of_every_dimension_are_shown() {
        let cat = |all| Cat { checkpoint: PathBuf::new(), name: String::new(), slice: None, all };
        let shape = Shape::new(&[100, 50]).unwrap();
        let places = cat(false).places(&shape);
        assert_eq!((places.len(), places[3], places[35]), (36, 47, 4999));
        assert_eq!(cat(true).places(&shape), (0..5000).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_not_finite_is_counted() {
        let mut summary = Summary::default();
        assert_eq!(summary.text(), None);
        for value in [1f32, f32::NAN, 3.0] {
            summary.add(DType::Float, &value.to_le_bytes());
        }
        assert_eq!(summary.text().unwrap(), "min 1  max 3  mean 2  not finite 1");
    }
}
