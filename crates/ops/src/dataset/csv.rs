//! `CSVDataset` and `CSVDatasetV2`: the records of files of comma-separated values, a scalar for each column.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use files::Compression;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use tensor::{Result, Shape, Tensor, bail, ensure};

use super::combining::making;
use super::elements::{Element, Elements};
use super::sources::scalar_i64;
use super::transforms::{By, Way};
use crate::io::{file_error, path_from, read_line};
use crate::string::{Column, CsvReader};

pub(crate) fn register(r: &mut Registry) {
    let inputs = "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, \
                  use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types";
    for (name, more) in [("CSVDataset", ""), ("CSVDatasetV2", ", exclude_cols: int64")] {
        r.op(name, &format!("{inputs}{more} -> handle: variant"))
            .attr("output_types: list({float, double, int32, int64, string}) >= 1")
            .attr("output_shapes: list(shape) >= 1")
            .stateful()
            .shape(ShapeContext::scalar)
            .any_kernel(kernel)
            .not_differentiable();
    }
}

/// What all ways through the files share.
struct Plan {
    names: Vec<Bytes>,
    compression: Compression,
    header: bool,
    reader: CsvReader,
    /// The columns left out.
    excluded: Vec<usize>,
    defaults: Vec<Tensor>,
}

fn kernel(_: &Node) -> Result<Kernel> {
    making(|cx: &OpContext<'_>| {
        let scalar = |index: usize, name: &str| -> Result<&Tensor> {
            let input = cx.input(index)?;
            ensure!(input.shape().is_scalar(), InvalidArgument, "{name} must be a scalar");
            Ok(input)
        };
        let names = cx.input(0)?;
        ensure!(names.shape().rank() <= 1, InvalidArgument, "`filenames` must be a scalar or a vector.");
        let compression = String::from_utf8_lossy(scalar(1, "compression_type")?.to_string_scalar()?).into_owned();
        ensure!(scalar_i64(cx, 2, "buffer_size")? > 0, InvalidArgument, "buffer_size should be positive");
        let &[delimiter] = &scalar(4, "field_delim")?.to_string_scalar()?[..] else {
            bail!(InvalidArgument, "field_delim should be only 1 char")
        };
        let count = cx.node.attr_types("output_types")?.len();
        let defaults: Vec<Tensor> = cx.inputs(8..8 + count)?.into_iter().cloned().collect();
        for (place, default) in defaults.iter().enumerate() {
            ensure!(
                default.shape().rank() <= 1,
                InvalidArgument,
                "Each record default should be at most rank 1, but field {place} has shape {}",
                default.shape()
            );
            ensure!(
                default.num_elements() < 2,
                InvalidArgument,
                "There should only be 1 default per field but field {place} has {}",
                default.num_elements()
            );
        }
        let columns = columns(cx, 7, "select_cols")?;
        ensure!(columns.is_empty() || columns.len() == count, InvalidArgument, "select_cols should match output size");
        let excluded =
            if cx.num_inputs() > 8 + count { self::columns(cx, 8 + count, "exclude_cols")? } else { Vec::new() };
        ensure!(
            columns.is_empty() || excluded.is_empty(),
            InvalidArgument,
            "Either select_cols or exclude_cols should be empty"
        );
        let plan = Arc::new(Plan {
            names: names.strings()?.to_vec(),
            compression: Compression::from_name(&compression)?,
            header: scalar(3, "header")?.to_scalar::<bool>()?,
            reader: CsvReader {
                delimiter,
                quotes: scalar(5, "use_quote_delim")?.to_scalar::<bool>()?,
                na_value: scalar(6, "na_value")?.to_string_scalar()?.clone(),
                columns,
            },
            excluded,
            defaults,
        });
        Ok(By(move |_: &Step| {
            let (plan, mut next) = (plan.clone(), 0);
            let mut open: Option<Records> = None;
            Ok(Box::new(Way(move |step: &Step| {
                loop {
                    step.cancellation.check()?;
                    if let Some(records) = &mut open {
                        match records.next(&plan.reader)? {
                            Some(record) => return element(&plan, &record).map(Some),
                            None => open = None,
                        }
                    }
                    let Some(name) = plan.names.get(next) else { return Ok(None) };
                    // A file that cannot be opened is tried again.
                    let path = path_from(&*step.files, name)?;
                    let file = files::place::Reader::open(&path).map_err(|error| file_error(&path, error))?;
                    next += 1;
                    let text = Box::new(BufReader::new(files::decompressed(file, plan.compression)));
                    let records = open.insert(Records { path, text });
                    if plan.header {
                        ensure!(records.next(&plan.reader)?.is_some(), InvalidArgument, "Can't read header of file");
                    }
                }
            })) as Box<dyn Elements>)
        }))
    })
}

/// Numbers of columns, in rising order.
fn columns(cx: &OpContext<'_>, index: usize, name: &str) -> Result<Vec<usize>> {
    let input = cx.input(index)?;
    ensure!(input.shape().rank() <= 1, InvalidArgument, "`{name}` must be a vector");
    let columns = input.to_i64_vec()?;
    ensure!(
        columns.windows(2).all(|pair| pair[0] < pair[1]),
        InvalidArgument,
        "{name} should be strictly increasing indices"
    );
    ensure!(columns.iter().all(|column| *column >= 0), InvalidArgument, "{name} should be non-negative indices");
    Ok(columns.into_iter().map(|column| column as usize).collect())
}

/// The records of one file.
struct Records {
    path: PathBuf,
    text: Box<dyn BufRead + Send>,
}

impl Records {
    /// The next record without its end: a line, and those after it while a quote is open.
    fn next(&mut self, reader: &CsvReader) -> Result<Option<Vec<u8>>> {
        let (mut record, mut open) = (Vec::new(), false);
        loop {
            let line = read_line(&mut self.text, &self.path)?;
            if line.is_empty() {
                return Ok((!record.is_empty()).then_some(record));
            }
            record.extend_from_slice(&line);
            open = reader.quotes && reader.ends_in_quotes(&line, open);
            if !open {
                break;
            }
            tensor::memory::ensure_free(record.len() as u64, format_args!("a record of '{}'", self.path.display()))?;
        }
        for end in [b'\n', b'\r'] {
            if record.last() == Some(&end) {
                record.pop();
            }
        }
        Ok(Some(record))
    }
}

fn element(plan: &Plan, record: &[u8]) -> Result<Element> {
    let fields = plan.reader.fields(record)?;
    let wanted = |place: usize| match plan.reader.columns.is_empty() {
        true => !plan.excluded.contains(&place),
        false => plan.reader.columns.contains(&place),
    };
    let chosen: Vec<_> = fields.into_iter().enumerate().filter(|(place, _)| wanted(*place)).collect();
    ensure!(
        chosen.len() == plan.defaults.len(),
        InvalidArgument,
        "Expect {} fields but have {} in record",
        plan.defaults.len(),
        chosen.len()
    );
    let scalar = |((_, field), default): ((usize, _), &Tensor)| {
        let mut column = Column::new(default)?;
        column.push(field, &plan.reader.na_value, 0, 0)?;
        column.finish(&Shape::scalar())
    };
    chosen.into_iter().zip(&plan.defaults).map(scalar).collect()
}
