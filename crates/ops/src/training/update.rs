//! Changing variables by a formula: all elements in pieces, or chosen rows.

use std::sync::Arc;

use graph::op::{OpContext, Variable};
use parking_lot::Mutex;
use smallvec::SmallVec;
use tensor::{Code, Result, Tensor, bail, ensure, err};

use super::formula::Formula;
use super::stored::Stored;
use crate::state::{Access, variable_of};

/// Runs `change` on all variables, locked; gives the first one.
pub(super) fn change<A: Formula>(
    cx: &OpContext<'_>,
    access: Access,
    change: impl FnOnce(&mut [Tensor]) -> Result<()>,
) -> Result<Arc<Variable>> {
    let mut variables: SmallVec<[Arc<Variable>; 4]> = SmallVec::new();
    for index in 0..A::VARIABLES.len() {
        let found = variable_of(cx, index, access).map_err(|status| match status.code() {
            Code::NotFound => err!(Internal, "Invalid variable reference. {}", status.message()),
            _ => status,
        })?;
        variables.push(found);
    }
    // The tensors move out of the variables and back, so that all formulas see one kind of list.
    macro_rules! locked {
        ($($v:ident),*) => {
            Variable::update_all([$($v),*], |mut tensors| {
                let mut list: SmallVec<[Tensor; 4]> = tensors.iter_mut().map(|tensor| std::mem::replace(*tensor, Tensor::scalar(false))).collect();
                let result = change(&mut list);
                tensors.iter_mut().zip(list).for_each(|(tensor, value)| **tensor = value);
                result
            })
        };
    }
    match &variables[..] {
        [a] => locked!(a),
        [a, b] => locked!(a, b),
        [a, b, c] => locked!(a, b, c),
        [a, b, c, d] => locked!(a, b, c, d),
        more => bail!(Internal, "an optimizer with {} variables", more.len()),
    }?;
    Ok(variables.swap_remove(0))
}

pub(super) fn check_slots<A: Formula>(variables: &[Tensor]) -> Result<()> {
    for (slot, name) in variables.iter().zip(A::VARIABLES).skip(1) {
        ensure!(
            slot.shape() == variables[0].shape(),
            InvalidArgument,
            "{} and {name} do not have the same shape{} {}",
            A::VARIABLES[0],
            variables[0].shape(),
            slot.shape()
        );
    }
    Ok(())
}

pub(super) fn check_rows(variable: &Tensor, grad: &Tensor, rows: &[i64]) -> Result<()> {
    let (Some((limit, row)), Some((count, grad_row))) = (variable.dims().split_first(), grad.dims().split_first())
    else {
        bail!(
            InvalidArgument,
            "var must be at least 1 dimensional, but var is {} and grad {}",
            variable.shape(),
            grad.shape()
        )
    };
    ensure!(
        *count == rows.len() as i64,
        InvalidArgument,
        "grad must be the same size as indices in the first dimension: {count} and {}",
        rows.len()
    );
    ensure!(
        row == grad_row,
        InvalidArgument,
        "var and grad must match in all dimensions but the first: {} and {}",
        variable.shape(),
        grad.shape()
    );
    match rows.iter().position(|row| !(0..*limit).contains(row)) {
        None => Ok(()),
        Some(bad) => bail!(InvalidArgument, "Index {} at offset {bad} in indices is out of range", rows[bad]),
    }
}

/// Elements that are worked on together: few enough for the cache, enough to be worth a thread.
const PIECE: usize = 16 * 1024;

/// A step on whole variables.
pub(super) fn change_all<A: Formula, T: Stored>(
    formula: &A,
    variables: &mut [Tensor],
    grad: &[T],
    scalars: &[T],
) -> Result<()> {
    // Values that are still read stay as they are; their successors are written piece by piece, in the same pass.
    let mut fresh: SmallVec<[Option<Tensor>; 4]> = SmallVec::new();
    for variable in variables.iter_mut() {
        variable.as_slice::<T>()?;
        fresh.push(match variable.is_unique() {
            true => None,
            false => Some(Tensor::build(variable.shape().clone(), |_: &mut [T]| Ok(()))?),
        });
    }
    let mut before: SmallVec<[Option<Tensor>; 4]> = SmallVec::new();
    for (variable, fresh) in variables.iter_mut().zip(fresh) {
        before.push(fresh.map(|fresh| std::mem::replace(variable, fresh)));
    }
    let mut pieces: Vec<Piece<'_, T>> = grad.chunks(PIECE).map(|grad| Piece { grad, parts: SmallVec::new() }).collect();
    for (variable, before) in variables.iter_mut().zip(&before) {
        let mut old = before.as_ref().map(|before| before.as_slice::<T>()).transpose()?.map(|old| old.chunks(PIECE));
        for (piece, part) in pieces.iter_mut().zip(variable.make_mut::<T>()?.chunks_mut(PIECE)) {
            let old = old.as_mut().and_then(|old| old.next());
            piece.parts.push((part, old));
        }
    }
    if let [piece] = &mut pieces[..] {
        piece.step(formula, scalars);
        return Ok(());
    }
    let pieces: Vec<Mutex<Piece<'_, T>>> = pieces.into_iter().map(Mutex::new).collect();
    math::threads::parallel_for(pieces.len(), 1, |range| {
        for piece in &pieces[range] {
            piece.lock().step(formula, scalars);
        }
    });
    Ok(())
}

struct Piece<'a, T> {
    grad: &'a [T],
    /// Of every variable: where the result goes, and where the value is if not there.
    parts: SmallVec<[(&'a mut [T], Option<&'a [T]>); 4]>,
}

impl<T: Stored> Piece<'_, T> {
    fn step<A: Formula>(&mut self, formula: &A, scalars: &[T]) {
        let mut parts: SmallVec<[&mut [T]; 4]> = SmallVec::new();
        for (part, old) in &mut self.parts {
            if let Some(old) = old {
                part.copy_from_slice(old);
            }
            parts.push(part);
        }
        T::step(formula, &mut parts, self.grad, scalars);
    }
}

/// A step on some rows of the variables, one after the other.
pub(super) fn change_rows<A: Formula, T: Stored>(
    formula: &A,
    variables: &mut [Tensor],
    rows: &[i64],
    grad: &[T],
    scalars: &[T],
) -> Result<()> {
    if rows.is_empty() || grad.is_empty() {
        return Ok(());
    }
    let width = grad.len() / rows.len();
    let mut data: SmallVec<[&mut [T]; 4]> = SmallVec::new();
    for variable in variables {
        data.push(variable.make_mut::<T>()?);
    }
    for (row, grad) in rows.iter().zip(grad.chunks_exact(width)) {
        let start = *row as usize * width;
        let mut parts: SmallVec<[&mut [T]; 4]> = data.iter_mut().map(|data| &mut data[start..start + width]).collect();
        T::step(formula, &mut parts, grad, scalars);
    }
    Ok(())
}
