//! Clipping gradients: by value, by the norm of each, by the norm of all together.

use graph::{Gradient, IndexedSlices, Operand, Output};
use ops::prelude::*;
use tensor::{Result, ensure};

/// Scales a tensor down to this Euclidean norm, if its own is larger; over `axes`, each part by itself.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::clip_by_norm;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let clipped = clip_by_norm(&g.constant([3f32, 4.0]), 1.0, None); // the norm is 5
/// assert_eq!(LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&clipped))?[0], Tensor::from([0.6f32, 0.8]));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn clip_by_norm(values: &Output, clip_norm: impl Operand, axes: Option<&[i32]>) -> Output {
    let graph = values.graph().clone();
    graph.with_name_scope("clip_by_norm", |graph| {
        let limit = clip_norm.to_output(graph, values.dtype());
        let squares = values * values;
        let sum = match axes {
            None => squares.reduce_sum_keepdims(..),
            Some(axes) => squares.reduce_sum_keepdims(axes),
        };
        // The root of 0 has no gradient, so it is never taken.
        let some = sum.greater(0f32);
        let norm = some.select(&some.select(&sum, &sum.ones_like()).sqrt(), &sum);
        values * &limit / norm.maximum(&limit)
    })
}

/// The Euclidean norm of all gradients together; those that are not there count as 0.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::global_norm;
/// let g = Graph::new();
/// let (a, b) = (g.constant([3f32]), g.constant([4f32]));
/// let norm = global_norm(&[Some(a.into()), None, Some(b.into())])?;
/// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&norm)?, 5.0);
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `InvalidArgument` if there is none at all.
pub fn global_norm(gradients: &[Option<Gradient>]) -> Result<Output> {
    let values: Vec<&Output> = gradients.iter().flatten().map(values_of).collect();
    ensure!(!values.is_empty(), InvalidArgument, "the norm of no gradients was asked for");
    let graph = values[0].graph().clone();
    Ok(graph.with_name_scope("global_norm", |graph| {
        let half = |values: &&Output| {
            graph.with_colocation(&values.operation(), |graph| graph.op("L2Loss").input(*values).output())
        };
        let halves: Vec<Output> = values.iter().map(half).collect();
        let sum = graph.op("Pack").name("stack").input_list(&halves).output().reduce_sum(..);
        let doubled = sum * 2f32;
        graph.op("Sqrt").name("global_norm").input(doubled).output()
    }))
}

/// Scales all gradients down by one factor, so that their norm together is at most `clip_norm`. Returns that norm as it was
/// too. If it is not finite, all become NaN.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::clip_by_global_norm;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (a, b) = (g.constant([3f32]), g.constant([4f32]));
/// let (clipped, norm) = clip_by_global_norm(&[Some(a.into()), None, Some(b.into())], 1.0, None)?;
/// let first = clipped[0].clone().unwrap().to_dense();
/// let results = LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&first).fetch(&norm))?;
/// assert_eq!(results, [Tensor::from([0.6f32]), Tensor::from(5f32)]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `InvalidArgument` if there is no gradient at all.
pub fn clip_by_global_norm(
    gradients: &[Option<Gradient>],
    clip_norm: impl Operand,
    use_norm: Option<&Output>,
) -> Result<(Vec<Option<Gradient>>, Output)> {
    let norm = match use_norm {
        Some(norm) => norm.clone(),
        None => global_norm(gradients)?,
    };
    let graph = norm.graph().clone();
    let clipped = graph.with_name_scope("clip_by_global_norm", |graph| {
        let limit = clip_norm.to_output(graph, norm.dtype());
        let scale = &limit * (1.0 / &norm).minimum(1.0 / &limit);
        // Adds 0 to a finite scale, and makes NaN of any other.
        let nothing = norm.binary("Sub", "sub", &norm);
        let scale = scale + nothing;
        let clip = |gradient: &Gradient| {
            let values = values_of(gradient);
            let clipped = graph.with_colocation(&values.operation(), |_| {
                let scale = match values.dtype() {
                    Some(dtype) if norm.dtype() != Some(dtype) => scale.cast(dtype),
                    _ => scale.clone(),
                };
                (values * scale).identity()
            });
            with_values(gradient, clipped)
        };
        gradients.iter().map(|gradient| gradient.as_ref().map(clip)).collect()
    });
    Ok((clipped, norm))
}

/// The numbers of a gradient: all of them, or those of its rows.
fn values_of(gradient: &Gradient) -> &Output {
    match gradient {
        Gradient::Dense(values) => values,
        Gradient::Slices(rows) => &rows.values,
    }
}

fn with_values(gradient: &Gradient, values: Output) -> Gradient {
    match gradient {
        Gradient::Dense(_) => Gradient::Dense(values),
        Gradient::Slices(rows) => Gradient::Slices(IndexedSlices { values, ..rows.clone() }),
    }
}
