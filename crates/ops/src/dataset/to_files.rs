//! Datasets that are gone through at once and kept elsewhere: `DatasetToTFRecord` writes a file, `InitializeTableFromDataset`
//! fills a table; and `WindowOp`, a dataset of elements that are there already.

use bytes::Bytes;
use files::atomic::AtomicFile;
use files::{Compression, RecordWriter};
use graph::op::{Kernel, OpContext, Registry, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use tensor::{Result, bail, ensure};

use super::combining::making;
use super::elements::{Counted, Element, Elements, dataset_input};
use super::transforms::{By, Way};
use crate::data_flow::{Table, pair_of};
use crate::handle::find;
use crate::io::path_of;

pub(crate) fn register(r: &mut Registry) {
    r.op("DatasetToTFRecord", "input_dataset: variant, filename: string, compression_type: string ->")
        .stateful()
        .any_kernel(records_kernel)
        .not_differentiable();
    r.op("InitializeTableFromDataset", "table_handle: resource, dataset: variant ->")
        .stateful()
        .any_kernel(table_kernel)
        .not_differentiable();
    r.op("WindowOp", "inputs: Tinputs -> handle: variant")
        .attr("output_types: list(type) >= 1")
        .attr("output_shapes: list(shape) >= 1")
        .attr("Tinputs: list(type) >= 1")
        .shape(ShapeContext::scalar)
        .any_kernel(window_kernel)
        .not_differentiable();
}

fn records_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::blocking(|cx: &mut OpContext<'_>| {
        let dataset = dataset_input(cx, 0)?;
        let path = path_of(cx.step, cx.input(1)?, "filename")?;
        let compression = cx.input(2)?;
        ensure!(compression.shape().is_scalar(), InvalidArgument, "`compression_type` must be a scalar");
        let compression = Compression::from_name(&String::from_utf8_lossy(compression.to_string_scalar()?))?;
        let mut writer = RecordWriter::new(AtomicFile::create(&path)?, compression);
        let mut way = dataset.begin(cx.step)?;
        while let Some(element) = way.next(cx.step)? {
            cx.step.cancellation.check()?;
            let [record] = &element[..] else {
                bail!(InvalidArgument, "Datasets written as TFRecords have one component, not {}", element.len())
            };
            for record in record.strings()? {
                writer.write(record)?;
            }
        }
        writer.finish()?.commit()
    }))
}

fn table_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::blocking(|cx: &mut OpContext<'_>| {
        let dataset = dataset_input(cx, 1)?;
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        let mut pairs: Vec<(Bytes, Bytes)> = Vec::new();
        let mut way = dataset.begin(cx.step)?;
        while let Some(element) = way.next(cx.step)? {
            cx.step.cancellation.check()?;
            let [key, value] = &element[..] else {
                bail!(
                    InvalidArgument,
                    "Dataset of keys and values expected, but an element has {} components",
                    element.len()
                )
            };
            pairs.extend(pair_of(&table, key, value)?);
            if pairs.len().is_multiple_of(1 << 16) {
                let bytes = pairs.len() as u64 * 256;
                tensor::memory::ensure_free(bytes, format_args!("{} pairs of a table", pairs.len()))?;
            }
        }
        table.initialize(pairs)
    }))
}

fn window_kernel(node: &Node) -> Result<Kernel> {
    let components = node.attr_types("output_types")?.len();
    let count = node.attr_types("Tinputs")?.len();
    ensure!(
        count.is_multiple_of(components),
        InvalidArgument,
        "Number of inputs ({count}) must be a multiple of the number of components ({components})"
    );
    making(move |cx: &OpContext<'_>| {
        let inputs: Element = cx.inputs(0..cx.num_inputs())?.into_iter().cloned().collect();
        let known = (inputs.len() / components) as i64;
        let kept = By(move |_: &Step| {
            let (inputs, mut at) = (inputs.clone(), 0);
            Ok(Box::new(Way(move |_: &Step| {
                let element = inputs.get(at..at + components).map(<[_]>::to_vec);
                at += components;
                Ok(element)
            })) as Box<dyn Elements>)
        });
        Ok(Counted(kept, known))
    })
}
