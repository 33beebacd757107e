//! Complex numbers and their parts: `Complex`, `Real`, `Imag`, `ComplexAbs`, `Angle`, `Conj`.

use graph::op::broadcast_shapes;
use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use tensor::{Complex64, Complex128, DType, Result, Tensor, bail};

use crate::array::broadcast_to;

const COMPLEX: &[DType] = &[DType::Complex64, DType::Complex128];

pub(crate) fn register(r: &mut Registry) {
    r.op("Complex", "real: T, imag: T -> out: Tout")
        .attr("T: {float, double} = float")
        .attr("Tout: {complex64, complex128} = complex64")
        .shape(ShapeContext::broadcast)
        .kernel("T", &[DType::Float, DType::Double], complex_kernel);
    for (name, input, output) in [
        ("Real", "input", "output"),
        ("Imag", "input", "output"),
        ("ComplexAbs", "x", "y"),
        ("Angle", "input", "output"),
    ] {
        let entry = r
            .op(name, &format!("{input}: T -> {output}: Tout"))
            .attr("T: {complex64, complex128} = complex64")
            .attr("Tout: {float, double} = float")
            .shape(ShapeContext::unchanged)
            .kernel("T", COMPLEX, part_kernel);
        match name {
            "Real" => drop(entry.gradient(real_gradient)),
            "Imag" => drop(entry.gradient(imag_gradient)),
            _ => drop(entry),
        }
    }
    r.op("Conj", "input: T -> output: T")
        .attr("T: {complex64, complex128, variant} = complex64")
        .shape(ShapeContext::unchanged)
        .kernel("T", COMPLEX, conj_kernel)
        .gradient(|cx| Ok(vec![Some(cx.op("Conj").input(cx.dy(0)?).output().into())]));
}

fn complex_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (real, imag) = (cx.take_input(0)?, cx.take_input(1)?);
        let both = broadcast_shapes(&real.shape().into(), &imag.shape().into())?;
        let Some(shape) = both.to_shape() else { bail!(Internal, "known shapes with an unknown result") };
        let (real, imag) = (broadcast_to(real, shape.dims())?, broadcast_to(imag, shape.dims())?);
        let out = match real.dtype() {
            DType::Float => {
                let (x, y) = (real.as_slice::<f32>()?, imag.as_slice::<f32>()?);
                Tensor::build(shape, |out: &mut [Complex64]| {
                    out.iter_mut().zip(x.iter().zip(y)).for_each(|(out, (x, y))| *out = Complex64::new(*x, *y));
                    Ok(())
                })?
            }
            _ => {
                let (x, y) = (real.as_slice::<f64>()?, imag.as_slice::<f64>()?);
                Tensor::build(shape, |out: &mut [Complex128]| {
                    out.iter_mut().zip(x.iter().zip(y)).for_each(|(out, (x, y))| *out = Complex128::new(*x, *y));
                    Ok(())
                })?
            }
        };
        cx.set_output(0, out);
        Ok(())
    }))
}

fn part_kernel(node: &Node) -> Result<Kernel> {
    macro_rules! part {
        ($name:expr, $complex:ty, $real:ty) => {{
            let part: fn($complex) -> $real = match $name {
                "Real" => |z| z.re,
                "Imag" => |z| z.im,
                "ComplexAbs" => |z| z.norm(),
                "Angle" => |z| z.arg(),
                other => bail!(Internal, "{other} is no part of a complex number"),
            };
            part
        }};
    }
    let (single, double) = (part!(node.op.as_str(), Complex64, f32), part!(node.op.as_str(), Complex128, f64));
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let z = cx.input(0)?;
        let shape = z.shape().clone();
        let out = match z.dtype() {
            DType::Complex64 => {
                let z = z.as_slice::<Complex64>()?;
                Tensor::build(shape, |out: &mut [f32]| {
                    out.iter_mut().zip(z).for_each(|(out, z)| *out = single(*z));
                    Ok(())
                })?
            }
            _ => {
                let z = z.as_slice::<Complex128>()?;
                Tensor::build(shape, |out: &mut [f64]| {
                    out.iter_mut().zip(z).for_each(|(out, z)| *out = double(*z));
                    Ok(())
                })?
            }
        };
        cx.set_output(0, out);
        Ok(())
    }))
}

fn conj_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let mut z = cx.take_input(0)?;
        match z.dtype() {
            DType::Complex64 => z.make_mut::<Complex64>()?.iter_mut().for_each(|z| *z = z.conj()),
            _ => z.make_mut::<Complex128>()?.iter_mut().for_each(|z| *z = z.conj()),
        }
        cx.set_output(0, z);
        Ok(())
    }))
}

fn real_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (dy, wide) = (cx.dy(0)?, cx.dtype(0));
    let zero = cx.op("ZerosLike").input(&dy).output();
    Ok(vec![Some(cx.op("Complex").input(dy).input(zero).attr("Tout", wide).output().into())])
}

fn imag_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (dy, wide) = (cx.dy(0)?, cx.dtype(0));
    let zero = cx.op("ZerosLike").input(&dy).output();
    Ok(vec![Some(cx.op("Complex").input(zero).input(dy).attr("Tout", wide).output().into())])
}
