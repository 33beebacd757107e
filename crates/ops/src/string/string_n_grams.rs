//! `StringNGrams`: runs of neighbouring words of each row, joined.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, ensure, memory};

use crate::arguments::int_tensor;

pub(crate) fn register(r: &mut Registry) {
    r.op("StringNGrams", "data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits")
        .attr("separator: string")
        .attr("ngram_widths: list(int) >= 0")
        .attr("left_pad: string")
        .attr("right_pad: string")
        .attr("pad_width: int")
        .attr("preserve_short_sequences: bool")
        .attr("Tsplits: {int32, int64} = int64")
        .shape(shape)
        .any_kernel(kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    let splits = cx.with_rank(1, 1)?;
    cx.set(0, PartialShape::vector(None));
    cx.set(1, splits);
    Ok(())
}

/// How words are joined.
struct Joining {
    separator: Bytes,
    left: Bytes,
    right: Bytes,
    pad: i64,
}

impl Joining {
    /// The pads on one side, of which there are never so many that no word is left.
    fn pads(&self, width: i64) -> i64 {
        if self.pad < 0 { width - 1 } else { self.pad.min(width - 1) }
    }

    /// How many runs of a width there are.
    fn count(&self, length: i64, width: i64) -> Result<i64> {
        let pads = self.pads(width);
        ensure!(
            pads <= i64::from(i32::MAX) / 2 - length,
            InvalidArgument,
            "Pad width could lead to integer overflow, got pad_width = {pads}"
        );
        Ok((length + 2 * pads - width + 1).max(0))
    }

    /// One of `count` runs of a width.
    fn run(&self, words: &[Bytes], width: i64, number: i64, count: i64) -> Bytes {
        let pads = self.pads(width);
        let left = (pads - number).max(0);
        let right = (pads - (count - number - 1)).max(0);
        let start = if left > 0 { 0 } else { (number - pads) as usize };
        let taken = (width - left - right).max(0) as usize;
        let words = words.get(start..).unwrap_or_default().iter().take(taken);
        let sides = |pad, times: i64| std::iter::repeat_n(pad, times as usize);
        let parts = sides(&self.left, left).chain(words).chain(sides(&self.right, right));
        let mut text = Vec::new();
        for (place, part) in parts.enumerate() {
            if place > 0 {
                text.extend_from_slice(&self.separator);
            }
            text.extend_from_slice(part);
        }
        text.into()
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let joining = Joining {
        separator: node.attr_bytes("separator")?.clone(),
        left: node.attr_bytes("left_pad")?.clone(),
        right: node.attr_bytes("right_pad")?.clone(),
        pad: node.attr_int("pad_width")?,
    };
    let (widths, keep_short) = (node.attr_ints("ngram_widths")?.to_vec(), node.attr_bool("preserve_short_sequences")?);
    let splits_type = node.attr_type("Tsplits")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        for width in &widths {
            ensure!(*width > 0, InvalidArgument, "ngram_widths must contain positive values");
            ensure!(*width <= i64::from(i32::MAX), InvalidArgument, "ngram_widths must fit in int32: {width}");
        }
        let (data, splits) = (cx.input(0)?.strings()?, cx.input(1)?.to_i64_vec()?);
        check_splits(&splits, data.len() as i64)?;
        let (mut runs, mut ends) = (Vec::new(), vec![0; splits.len().min(1)]);
        let rows = || splits.windows(2).map(|pair| &data[pair[0] as usize..pair[1] as usize]);
        check_size(&joining, &widths, rows())?;
        for row in rows() {
            if data.is_empty() {
                ends.push(0);
                continue;
            }
            let length = row.len() as i64;
            let before = runs.len();
            for width in &widths {
                let count = joining.count(length, *width)?;
                runs.extend((0..count).map(|number| joining.run(row, *width, number, count)));
            }
            if keep_short && runs.len() == before && length > 0 {
                ensure!(
                    joining.pad >= 0,
                    InvalidArgument,
                    "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are not provided, got {}",
                    joining.pad
                );
                runs.push(joining.run(row, length + 2 * joining.pad, 0, 1));
            }
            ends.push(runs.len() as i64);
        }
        cx.set_output(0, Tensor::string_vector(runs));
        cx.set_output(1, int_tensor(&ends, splits_type)?);
        Ok(())
    }))
}

/// Refuses what would not fit into memory: a width of a billion is a few bytes in a graph.
fn check_size<'a>(joining: &Joining, widths: &[i64], rows: impl Iterator<Item = &'a [Bytes]>) -> Result<()> {
    let own = joining.separator.len() + joining.left.len().max(joining.right.len());
    let mut bytes = 0u64;
    for row in rows {
        let longest = row.iter().map(Bytes::len).max().unwrap_or(0) + own;
        let mut add = |count: i64, width: i64| {
            let each = (longest as u64).saturating_mul(width as u64).saturating_add(size_of::<Bytes>() as u64);
            bytes = bytes.saturating_add(each.saturating_mul(count as u64));
        };
        for width in widths {
            add(joining.count(row.len() as i64, *width)?, *width);
        }
        add(1, (row.len() as i64).saturating_add(joining.pad.max(0).saturating_mul(2)));
    }
    memory::ensure_free(bytes, format_args!("all n-grams together"))
}

fn check_splits(splits: &[i64], count: i64) -> Result<()> {
    let Some(first) = splits.first() else { return Ok(()) };
    ensure!(*first == 0, InvalidArgument, "First split value must be 0, got {first}");
    for pair in splits.windows(2) {
        ensure!(
            pair[1] >= pair[0] && pair[1] <= count,
            InvalidArgument,
            "Invalid split value {}, must be in [{}, {count}]",
            pair[1],
            pair[0]
        );
    }
    let last = splits[splits.len() - 1];
    ensure!(last == count, InvalidArgument, "Last split value must be data size. Expected {count}, got {last}");
    Ok(())
}
