//! `LinSpace`: numbers at equal distances.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node};
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

use crate::arguments::int_scalar;
use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    r.op("LinSpace", "start: T, stop: T, num: Tidx -> output: T")
        .attr("T: {bfloat16, half, float, double}")
        .attr("Tidx: {int32, int64} = int32")
        .shape(shape)
        .kernel("T", types::FLOATS, kernel)
        .gradient(|_: &GradContext<'_>| -> Result<Vec<Option<Gradient>>> { Ok(vec![None, None, None]) });
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for index in 0..3 {
        cx.with_rank(index, 0)?;
    }
    let count = cx.int(2);
    if let Some(count) = count {
        ensure!(count > 0, InvalidArgument, "Requires num > 0: {count}");
    }
    cx.set(0, PartialShape::vector(count));
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        for (index, name) in ["start", "stop", "num"].into_iter().enumerate() {
            let input = cx.input(index)?;
            ensure!(input.shape().is_scalar(), InvalidArgument, "{name} must be a scalar, not shape {}", input.shape());
        }
        let (start, stop) = (cx.input(0)?, cx.input(1)?);
        let count = int_scalar(cx.input(2)?, "num must be a scalar, not shape ")?;
        ensure!(count > 0, InvalidArgument, "Requires num > 0: {count}");
        let dtype = start.dtype();
        let output = match dtype {
            DType::Double => lin_space(start.to_scalar::<f64>()?, stop.to_scalar::<f64>()?, count)?,
            _ => {
                let (start, stop) = (widen(start)?.to_scalar::<f32>()?, widen(stop)?.to_scalar::<f32>()?);
                let step = (stop - start) / (count - 1).max(1) as f32;
                let floats = Tensor::build(Shape::new(&[count])?, |out: &mut [f32]| {
                    out.iter_mut().enumerate().for_each(|(i, out)| *out = start + step * i as f32);
                    if let [_, .., last] = out {
                        *last = stop;
                    }
                    Ok(())
                })?;
                narrow(&floats, dtype)?
            }
        };
        cx.set_output(0, output);
        Ok(())
    }))
}

fn lin_space(start: f64, stop: f64, count: i64) -> Result<Tensor> {
    let step = (stop - start) / (count - 1).max(1) as f64;
    Tensor::build(Shape::new(&[count])?, |out: &mut [f64]| {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = start + step * i as f64);
        if let [_, .., last] = out {
            *last = stop;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_exact() {
        assert_eq!(lin_space(1.0, 2.0, 3).unwrap(), Tensor::from([1f64, 1.5, 2.0]));
        assert_eq!(lin_space(1.0, 2.0, 1).unwrap(), Tensor::from([1f64]));
        assert_eq!(lin_space(0.0, 0.3, 4).unwrap().as_slice::<f64>().unwrap()[3], 0.3);
    }
}
