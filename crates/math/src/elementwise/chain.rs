//! Chains of functions in one pass over memory: a block of elements goes through all of them while it is in the cache.

use super::{Binary, BinaryOp, CHEAP, COSTLY, Unary, UnaryOp};
use crate::threads::parallel_units;

/// Elements that go through a chain together.
const BLOCK: usize = 512;

/// A function of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainOp {
    /// Of one element.
    Unary(UnaryOp),
    /// Of two.
    Binary(BinaryOp),
}

/// What a function of a chain is applied to.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a, T> {
    /// An element for each of the output.
    All(&'a [T]),
    /// As many elements as the output's last rows have, again and again.
    Row(&'a [T]),
    /// One element for all.
    One(T),
    /// What an earlier step gave.
    Step(usize),
}

/// A step: a function and what it is applied to. A function of one element ignores the second.
#[derive(Clone, Copy, Debug)]
pub struct ChainStep<'a, T> {
    /// The function.
    pub op: ChainOp,
    /// Its operands.
    pub operands: [Operand<'a, T>; 2],
}

/// `out` = what the last of the steps gives. Each step sees only those before it. Panics when an operand's length does not fit,
/// or when the type lacks a function.
///
/// ```
/// use tensorfleet_math::elementwise::{BinaryOp, ChainOp, ChainStep, Operand, UnaryOp, chain};
///
/// // (x + [10, 20])^2
/// let x = [1f32, 2.0, 3.0, 4.0];
/// let sum = ChainStep { op: ChainOp::Binary(BinaryOp::Add), operands: [Operand::All(&x), Operand::Row(&[10.0, 20.0])] };
/// let square = ChainStep { op: ChainOp::Unary(UnaryOp::Square), operands: [Operand::Step(0), Operand::One(0.0)] };
/// let mut out = [0f32; 4];
/// chain(&[sum, square], &mut out);
/// assert_eq!(out, [121.0, 484.0, 169.0, 576.0]);
/// ```
pub fn chain<T: Unary + Binary + Default>(steps: &[ChainStep<'_, T>], out: &mut [T]) {
    if out.is_empty() {
        return;
    }
    let rows = || {
        steps.iter().flat_map(|step| step.operands).filter_map(|operand| match operand {
            Operand::Row(row) => Some(row),
            _ => None,
        })
    };
    let unit = rows().map(<[T]>::len).max().unwrap_or(1).max(1);
    assert!(rows().all(|row| row.len() == unit), "rows of one length");
    // Whole rows make a block, so that a row is the same for all blocks.
    let block = if unit >= BLOCK { unit } else { BLOCK / unit * unit };
    let repeated: Vec<Vec<T>> = rows().map(|row| row.repeat(block / unit)).collect();
    let grain = (CHEAP / steps.len().max(1)).max(COSTLY);
    parallel_units(out, unit, grain.div_ceil(unit), |first, run| {
        let mut scratch = vec![T::default(); block * steps.len().saturating_sub(1)];
        for (index, out) in run.chunks_mut(block).enumerate() {
            let begin = first * unit + index * block;
            let mut rows = repeated.iter();
            for (number, step) in steps.iter().enumerate() {
                let (before, rest) = scratch.split_at_mut(number.min(steps.len() - 1) * block);
                let to = if number + 1 == steps.len() { &mut *out } else { &mut rest[..out.len()] };
                let len = to.len();
                let [a, b] = step.operands.map(|operand| match operand {
                    Operand::All(values) => Part::Many(&values[begin..begin + len]),
                    Operand::Row(_) => Part::Many(rows.next().map_or(&[][..], |row| &row[..len])),
                    Operand::One(value) => Part::One(value),
                    Operand::Step(earlier) => Part::Many(&before[earlier * block..earlier * block + len]),
                });
                apply(step.op, a, b, to);
            }
        }
    });
}

/// A block of an operand.
#[derive(Clone, Copy)]
enum Part<'a, T> {
    Many(&'a [T]),
    One(T),
}

fn apply<T: Unary + Binary>(op: ChainOp, a: Part<'_, T>, b: Part<'_, T>, out: &mut [T]) {
    match (op, a, b) {
        (ChainOp::Unary(op), Part::Many(a), _) => T::unary(op, a, out),
        (ChainOp::Unary(op), Part::One(a), _) => {
            out.fill(a);
            T::unary_in_place(op, out);
        }
        (ChainOp::Binary(op), a, b) => {
            let kernel = T::kernel(op).unwrap_or_else(|| panic!("{op:?} is not defined for the element type"));
            match (a, b) {
                (Part::Many(a), Part::Many(b)) => kernel.both(a, b, out),
                (Part::Many(a), Part::One(b)) => kernel.right_fixed(a, b, out),
                (Part::One(a), Part::Many(b)) => kernel.left_fixed(a, b, out),
                (Part::One(a), Part::One(b)) => {
                    out.fill(a);
                    let left = out.to_vec();
                    kernel.right_fixed(&left, b, out);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_gives_what_its_steps_give_one_by_one() {
        let count = 5 * BLOCK + 30;
        let x: Vec<f32> = (0..count).map(|n| (n as f32 - 700.0) / 300.0).collect();
        let row: Vec<f32> = (0..10).map(|n| n as f32 / 8.0).collect();
        let binary = |op, a, b| ChainStep { op: ChainOp::Binary(op), operands: [a, b] };
        let unary = |op, a| ChainStep { op: ChainOp::Unary(op), operands: [a, Operand::One(0.0)] };
        let steps = [
            unary(UnaryOp::Tanh, Operand::All(&x)),
            binary(BinaryOp::Add, Operand::Step(0), Operand::Row(&row)),
            binary(BinaryOp::Sub, Operand::One(1.5), Operand::Step(1)),
            binary(BinaryOp::Mul, Operand::Step(2), Operand::Step(0)),
        ];
        let mut out = vec![0f32; count];
        chain(&steps, &mut out);
        let mut tanh = vec![0f32; count];
        f32::unary(UnaryOp::Tanh, &x, &mut tanh);
        for (n, (got, t)) in out.iter().zip(&tanh).enumerate() {
            let sum = t + row[n % 10];
            assert_eq!(*got, (1.5 - sum) * t, "element {n}");
        }
        chain(&steps[..1], &mut out);
        assert_eq!(out, tanh);
        chain::<f32>(&[unary(UnaryOp::Neg, Operand::All(&[]))], &mut []);
    }
}
