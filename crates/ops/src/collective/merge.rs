//! The arithmetic of reductions: several tensors of one shape become one, in a fixed order.

use math::elementwise::{add_n, map_in_place};
use math::flush::Flushed;
use math::number::{Number, Real};
use tensor::{Element, Result, Tensor, bail, bf16, ensure, f16};

/// How two values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    Add,
    Mul,
    Max,
    Min,
}

/// Values that are worth another thread to divide.
const GRAIN: usize = 1 << 16;

impl Merge {
    /// The op of this name.
    pub fn from_name(name: &str) -> Result<Merge> {
        Ok(match name {
            "Add" => Merge::Add,
            "Mul" => Merge::Mul,
            "Max" => Merge::Max,
            "Min" => Merge::Min,
            _ => {
                bail!(InvalidArgument, "merge_op must be one of {{\"Add\", \"Mul\", \"Min\", \"Max\"}} but got {name}")
            }
        })
    }

    /// Returns the tensors as one, merged from the first to the last, and divided by a number if there is one.
    pub fn all(self, parts: &[Tensor], divisor: Option<usize>) -> Result<Tensor> {
        let Some(first) = parts.first() else { bail!(Internal, "a reduction of nothing") };
        let alike = parts.iter().all(|part| part.dtype() == first.dtype() && part.shape() == first.shape());
        ensure!(alike, Internal, "parts of a reduction differ in type or shape");
        // Wherever the last part arrived: all members must get the same bits.
        let _flushed = Flushed::new();
        dispatch!(first.dtype(), T in [f32, f64, f16, bf16, i32, i64] => self.typed::<T>(parts, divisor))
    }

    fn typed<T: Element + Real>(self, parts: &[Tensor], divisor: Option<usize>) -> Result<Tensor> {
        let slices: Vec<&[T]> = parts.iter().map(Tensor::as_slice).collect::<Result<_>>()?;
        Tensor::build::<T>(parts[0].shape().clone(), |out| {
            match self {
                Merge::Add => add_n(&slices, out),
                Merge::Mul => merge(&slices, out, T::times),
                Merge::Max => merge(&slices, out, T::greater),
                Merge::Min => merge(&slices, out, T::lesser),
            }
            if let Some(divisor) = divisor {
                let divisor = <T as Number>::from_count(divisor);
                map_in_place(out, GRAIN, |value| value.over(divisor));
            }
            Ok(())
        })
    }
}

fn merge<T: Copy>(parts: &[&[T]], out: &mut [T], merge: impl Fn(T, T) -> T) {
    out.copy_from_slice(parts[0]);
    for part in &parts[1..] {
        for (value, other) in out.iter_mut().zip(*part) {
            *value = merge(*value, *other);
        }
    }
}
