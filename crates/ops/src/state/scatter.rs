//! Changing rows of a variable: `ScatterAdd`, `ScatterSub`, `ScatterMul`, `ScatterDiv`, `ScatterMin`, `ScatterMax`,
//! `ScatterUpdate`, and by resource handle `ResourceScatterAdd`, `ResourceScatterSub`, `ResourceScatterMul`,
//! `ResourceScatterDiv`, `ResourceScatterMin`, `ResourceScatterMax` and `ResourceScatterUpdate`.
//!
//! All indices are checked before the first row changes. A row named several times changes several times, in order.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Node, ReadAttrs};
use math::number::{Number, Real};
use tensor::{Complex64, Complex128, DType, Element, PartialShape, Result, Tensor, bail, bf16, ensure, f16};

use super::access::{ARITHMETIC, Access, variable_of};

/// One way of changing rows: the two ops' kernels, and the types that they have code for.
type Row = (&'static str, fn(&Node) -> Result<Kernel>, fn(&Node) -> Result<Kernel>, &'static [DType]);

pub(crate) fn register(r: &mut Registry) {
    const NUMBERS: &str = "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, \
                           qint16, quint16, uint16, complex128, half, uint32, uint64}";
    const ORDERED: &str = "{half, bfloat16, float, double, int32, int64}";
    let rows: [Row; 6] = [
        ("ScatterAdd", |_| kernel(Access::Ref, Change::Add), |_| kernel(Access::Resource, Change::Add), ARITHMETIC),
        ("ScatterSub", |_| kernel(Access::Ref, Change::Sub), |_| kernel(Access::Resource, Change::Sub), ARITHMETIC),
        ("ScatterMul", |_| kernel(Access::Ref, Change::Mul), |_| kernel(Access::Resource, Change::Mul), ARITHMETIC),
        ("ScatterDiv", |_| kernel(Access::Ref, Change::Div), |_| kernel(Access::Resource, Change::Div), ARITHMETIC),
        ("ScatterMin", |_| kernel(Access::Ref, Change::Min), |_| kernel(Access::Resource, Change::Min), types::REALS),
        ("ScatterMax", |_| kernel(Access::Ref, Change::Max), |_| kernel(Access::Resource, Change::Max), types::REALS),
    ];
    for (op, by_ref, by_resource, types) in rows {
        let allowed = if types == ARITHMETIC { NUMBERS } else { ORDERED };
        r.op(op, "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)")
            .attr(&format!("T: {allowed}"))
            .attr("Tindices: {int32, int64}")
            .attr("use_locking: bool = false")
            .shape(ref_shape)
            .kernel("T", types, by_ref)
            .not_differentiable();
        r.op(&format!("Resource{op}"), "resource: resource, indices: Tindices, updates: dtype ->")
            .attr(&format!("dtype: {NUMBERS}"))
            .attr("Tindices: {int32, int64}")
            .stateful()
            .shape(resource_shape)
            .kernel("dtype", types, by_resource)
            .not_differentiable();
    }
    r.op("ScatterUpdate", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)")
        .attr("T: type")
        .attr("Tindices: {int32, int64}")
        .attr("use_locking: bool = true")
        .shape(ref_shape)
        .any_kernel(|_| kernel(Access::Ref, Change::Update))
        .not_differentiable();
    r.op("ResourceScatterUpdate", "resource: resource, indices: Tindices, updates: dtype ->")
        .attr("dtype: type")
        .attr("Tindices: {int32, int64}")
        .stateful()
        .shape(resource_shape)
        .any_kernel(|_| kernel(Access::Resource, Change::Update))
        .not_differentiable();
}

fn ref_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank_at_least(0, 1)?;
    check_shapes(cx, &shape)?;
    cx.set(0, shape);
    Ok(())
}

fn resource_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    if let Some((dtype, shape)) = cx.handle(0) {
        let updates = cx.attr_type("dtype")?;
        ensure!(dtype == updates, InvalidArgument, "the variable holds {dtype}, but the updates are of type {updates}");
        check_shapes(cx, &shape)?;
    }
    Ok(())
}

fn check_shapes(cx: &ShapeContext<'_>, table: &PartialShape) -> Result<()> {
    let (indices, updates) = (cx.input(1), cx.input(2));
    if let Some([_, row @ ..]) = table.raw_dims()
        && updates.rank() != Some(0)
    {
        indices.concatenate(&PartialShape::from_dims(row)).merge(&updates)?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Change {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
    Update,
}

fn kernel(access: Access, change: Change) -> Result<Kernel> {
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let variable = variable_of(cx, 0, access)?;
        let (indices, updates) = (cx.input(1)?, cx.input(2)?);
        variable.update(|table| {
            check(table, indices, updates, access)?;
            scatter(table, &indices.to_i64_vec()?, indices.dims(), updates, change)
        })?;
        if access == Access::Ref {
            cx.set_ref(0, variable);
        }
        Ok(())
    }))
}

fn check(table: &Tensor, indices: &Tensor, updates: &Tensor, access: Access) -> Result<()> {
    let [_, row @ ..] = table.dims() else {
        bail!(InvalidArgument, "params must be at least 1-D, got shape {}", table.shape())
    };
    let matching = [indices.dims(), row].concat() == updates.dims();
    if updates.shape().is_scalar() || matching {
        return Ok(());
    }
    match access {
        Access::Resource if !updates.dims().starts_with(indices.dims()) => bail!(
            InvalidArgument,
            "The shape of indices ({}) must be a prefix of the shape of updates ({})",
            indices.shape(),
            updates.shape()
        ),
        _ => bail!(
            InvalidArgument,
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape {}, \
             indices.shape {}, params.shape {}",
            updates.shape(),
            indices.shape(),
            table.shape()
        ),
    }
}

fn scatter(table: &mut Tensor, rows: &[i64], index_dims: &[i64], updates: &Tensor, change: Change) -> Result<()> {
    let limit = table.dims().first().copied().unwrap_or(0);
    check_indices(rows, index_dims, limit)?;
    if rows.is_empty() || updates.num_elements() == 0 {
        return Ok(());
    }
    if change == Change::Update {
        return replace_rows(table, rows, updates);
    }
    if matches!(change, Change::Min | Change::Max) {
        return dispatch!(updates.dtype(), T in [f32, f64, i32, i64, i8, i16, u8, u16, u32, u64, f16, bf16] => {
            let choose = if change == Change::Min { <T as Real>::lesser } else { <T as Real>::greater };
            change_rows::<T>(table, rows, updates, |x, y| *x = choose(*x, y))
        });
    }
    dispatch!(updates.dtype(), T in [f32, f64, i32, i64, i8, i16, u8, u16, u32, u64, f16, bf16, Complex64, Complex128] => {
        let combine = match change {
            Change::Add => <T as Number>::plus,
            Change::Mul => <T as Number>::times,
            Change::Div => <T as Number>::over,
            _ => <T as Number>::minus,
        };
        change_rows::<T>(table, rows, updates, |x, y| *x = combine(*x, y))
    })
}

/// # Errors
/// `InvalidArgument` for the first index that is not in `[0, limit)`.
pub(crate) fn check_indices(indices: &[i64], dims: &[i64], limit: i64) -> Result<()> {
    let Some(bad) = indices.iter().position(|index| !(0..limit).contains(index)) else { return Ok(()) };
    let mut place = Vec::with_capacity(dims.len());
    let mut rest = bad as i64;
    for dim in dims.iter().rev() {
        place.push((rest % dim).to_string());
        rest /= dim;
    }
    place.reverse();
    let shown = if place.is_empty() { String::new() } else { format!("[{}]", place.join(",")) };
    bail!(InvalidArgument, "indices{shown} = {} is not in [0, {limit})", indices[bad])
}

/// Applies `f` to the elements of the rows in turn. All rows are within the table, and `updates` has an element for
/// each of theirs, or one for all.
fn change_rows<T: Element>(table: &mut Tensor, rows: &[i64], updates: &Tensor, f: impl Fn(&mut T, T)) -> Result<()> {
    let width = table.num_elements() / table.dims().first().map_or(1, |rows| (*rows).max(1) as usize);
    let updates = updates.as_slice::<T>()?;
    let data = table.make_mut::<T>()?;
    for (number, row) in rows.iter().enumerate() {
        let target = &mut data[*row as usize * width..][..width];
        if let &[one] = updates {
            target.iter_mut().for_each(|x| f(x, one));
        } else {
            target.iter_mut().zip(&updates[number * width..]).for_each(|(x, y)| f(x, *y));
        }
    }
    Ok(())
}

fn replace_rows(table: &mut Tensor, rows: &[i64], updates: &Tensor) -> Result<()> {
    ensure!(
        table.dtype() == updates.dtype(),
        InvalidArgument,
        "updates of type {} for a variable of type {}",
        updates.dtype(),
        table.dtype()
    );
    let dtype = table.dtype();
    if dtype == DType::String {
        let mut strings: Vec<Bytes> = table.strings()?.to_vec();
        let width = strings.len() / table.dims().first().map_or(1, |rows| (*rows).max(1) as usize);
        let updates = updates.strings()?;
        for (number, row) in rows.iter().enumerate() {
            for column in 0..width {
                let update = if updates.len() == 1 { &updates[0] } else { &updates[number * width + column] };
                strings[*row as usize * width + column] = update.clone();
            }
        }
        *table = Tensor::from_strings(table.shape().clone(), strings)?;
        return Ok(());
    }
    // Replacing elements needs to know only their size.
    let words = words_of(dtype)?;
    let (mut raw, updates) = (table.bitcast(words)?, updates.bitcast(words)?);
    *table = Tensor::scalar(false);
    let done = dispatch!(words, T in [u8, u16, u32, u64, Complex128] => change_rows::<T>(&mut raw, rows, &updates, |x, y| *x = y));
    *table = raw.bitcast(dtype)?;
    done
}

/// The type that stands for all plain types of the same size.
pub(crate) fn words_of(dtype: DType) -> Result<DType> {
    Ok(match dtype.size() {
        1 => DType::UInt8,
        2 => DType::UInt16,
        4 => DType::UInt32,
        8 => DType::UInt64,
        16 => DType::Complex128,
        _ => bail!(InvalidArgument, "elements of type {dtype} cannot be moved one by one"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(table: Tensor, rows: Tensor, updates: Tensor, change: Change) -> Result<Tensor> {
        let mut table = table;
        check(&table, &rows, &updates, Access::Ref)?;
        scatter(&mut table, &rows.to_i64_vec()?, rows.dims(), &updates, change)?;
        Ok(table)
    }

    /// All as TensorFlow 2.21 gives them.
    #[test]
    fn rows_change_in_order() {
        let table = || Tensor::from([3f32, 4.0, 5.0]);
        let rows = || Tensor::from([0i32, 1, 1]);
        assert_eq!(run(table(), rows(), Tensor::from(2f32), Change::Add).unwrap(), Tensor::from([5f32, 8.0, 5.0]));
        assert_eq!(run(table(), rows(), Tensor::from(2f32), Change::Update).unwrap(), Tensor::from([2f32, 2.0, 5.0]));
        let updates = Tensor::from([1f32, 10.0, 100.0]);
        assert_eq!(run(table(), rows(), updates.clone(), Change::Sub).unwrap(), Tensor::from([2f32, -106.0, 5.0]));
        assert_eq!(run(table(), rows(), updates, Change::Update).unwrap(), Tensor::from([1f32, 100.0, 5.0]));
    }

    #[test]
    fn what_does_not_fit_is_refused_before_anything_changes() {
        let message = |rows: Tensor, updates: Tensor| {
            run(Tensor::from([3f32, 4.0, 5.0]), rows, updates, Change::Add).unwrap_err().message().to_owned()
        };
        assert_eq!(message(Tensor::from([0i32, 7]), Tensor::from([1f32, 2.0])), "indices[1] = 7 is not in [0, 3)");
        assert_eq!(
            message(Tensor::from([[0i64, 1], [1, -2]]), Tensor::from([[1f32, 2.0], [3.0, 4.0]])),
            "indices[1,1] = -2 is not in [0, 3)"
        );
        assert_eq!(
            message(Tensor::from([0i32, 1]), Tensor::from([1f32, 2.0, 3.0])),
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape [3], \
             indices.shape [2], params.shape [3]"
        );
    }

    #[test]
    fn rows_of_strings_and_bools() {
        let strings = Tensor::string_vector(["a", "b"]);
        let changed = run(strings, Tensor::from([1i32]), Tensor::string_vector(["c"]), Change::Update).unwrap();
        assert_eq!(changed, Tensor::string_vector(["a", "c"]));
        let bools = Tensor::from([[true, true], [true, true]]);
        let changed = run(bools, Tensor::from(0i32), Tensor::from([false, true]), Change::Update).unwrap();
        assert_eq!(changed, Tensor::from([[false, true], [true, true]]));
    }
}
