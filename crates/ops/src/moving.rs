//! Moving elements of any type: code that only copies is written once and made for each element size, not for each
//! type; strings, handles and variants follow the same road.

use bytes::Bytes;
use tensor::{Complex128, DType, Element, ResourceHandle, Result, Shape, Tensor, Variant, bail, ensure};

use crate::strided::{self, Walk};

/// Something that fills an output with elements of its inputs.
pub(crate) trait Move {
    /// Writes every element of `out`.
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]);
}

/// A tensor of `shape` and the inputs' type, with elements moved there from the inputs, of which there is at least one.
///
/// # Errors
/// `ResourceExhausted` for a size that cannot be.
pub(crate) fn moved(shape: Shape, inputs: &[&Tensor], how: &impl Move) -> Result<Tensor> {
    let Some(dtype) = inputs.first().map(|input| input.dtype()) else { bail!(Internal, "nothing to move") };
    ensure!(inputs.iter().all(|input| input.dtype() == dtype), Internal, "elements of different types to move");
    Tensor::check_size(dtype, &shape)?;
    match dtype {
        DType::String => {
            let lists = inputs.iter().map(|input| input.strings()).collect::<Result<Vec<_>>>()?;
            let mut out = vec![Bytes::new(); shape.num_elements()];
            how.run(&lists, &mut out);
            Tensor::from_strings(shape, out)
        }
        DType::Resource => {
            let lists = inputs.iter().map(|input| input.handles()).collect::<Result<Vec<_>>>()?;
            let mut out = vec![ResourceHandle::default(); shape.num_elements()];
            how.run(&lists, &mut out);
            Tensor::from_handles(shape, out)
        }
        DType::Variant => {
            let lists: Vec<&[Variant]> = inputs.iter().map(|input| input.variants()).collect::<Result<_>>()?;
            let mut out = match lists.iter().find_map(|list| list.first()) {
                Some(any) => vec![any.clone(); shape.num_elements()],
                None => Vec::new(),
            };
            how.run(&lists, &mut out);
            Tensor::from_variants(shape, out)
        }
        plain => match plain.size() {
            1 => moved_as::<u8>(shape, inputs, how),
            2 => moved_as::<u16>(shape, inputs, how),
            4 => moved_as::<u32>(shape, inputs, how),
            8 => moved_as::<u64>(shape, inputs, how),
            16 => moved_as::<Complex128>(shape, inputs, how),
            _ => bail!(Unimplemented, "no code for elements of type {plain}"),
        },
    }
}

fn moved_as<T: Element>(shape: Shape, inputs: &[&Tensor], how: &impl Move) -> Result<Tensor> {
    let dtype = inputs[0].dtype();
    let views = inputs.iter().map(|input| input.bitcast(T::DTYPE)).collect::<Result<Vec<_>>>()?;
    let slices = views.iter().map(|view| view.as_slice::<T>()).collect::<Result<Vec<_>>>()?;
    let out = Tensor::build(shape, |out: &mut [T]| {
        how.run(&slices, out);
        Ok(())
    })?;
    out.bitcast(dtype)
}

/// Reads the walk's positions of the only input.
pub(crate) struct Take<'a>(pub(crate) &'a Walk);

impl Move for Take<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        strided::take(self.0, inputs[0], out);
    }
}

/// The elements at the walk's positions; shared with `tensor` where they are one run of it.
pub(crate) fn taken(tensor: &Tensor, walk: &Walk, shape: Shape) -> Result<Tensor> {
    /// A copy costs no more than sharing up to here, and does not keep the rest of the memory alive.
    const SMALL_BYTES: usize = 4096;
    ensure!(walk.len() == shape.num_elements(), Internal, "{} positions for shape {shape}", walk.len());
    match walk.as_run() {
        Some(_) if walk.len() == tensor.num_elements() => tensor.reshape(shape),
        Some(start) if !tensor.dtype().is_plain() || walk.len() * tensor.dtype().size() > SMALL_BYTES => {
            tensor.window(start, shape)
        }
        _ => moved(shape, &[tensor], &Take(walk)),
    }
}

/// Writes the first input to the walk's positions and the second, one element, everywhere else.
pub(crate) struct PutInto<'a>(pub(crate) &'a Walk);

impl Move for PutInto<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        if let [filling] = inputs[1] {
            out.fill(filling.clone());
        }
        strided::put(self.0, inputs[0], out);
    }
}

/// The second input, with the first written to the walk's positions.
pub(crate) struct Overlay<'a>(pub(crate) &'a Walk);

impl Move for Overlay<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        out.clone_from_slice(inputs[1]);
        strided::put(self.0, inputs[0], out);
    }
}

/// All elements are the only input's only one.
pub(crate) struct Repeat;

impl Move for Repeat {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        if let [value] = inputs[0] {
            math::threads::parallel_units(out, 1, 64 * 1024, |_, run| run.fill(value.clone()));
        }
    }
}

/// Joins the inputs row by row; the lengths are those of each input's rows.
pub(crate) struct Join<'a>(pub(crate) &'a [usize]);

impl Move for Join<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        let parts: Vec<(&[T], usize)> = inputs.iter().copied().zip(self.0.iter().copied()).collect();
        strided::join(&parts, out);
    }
}

/// Takes elements by their places in the first input, counted on into the second.
pub(crate) struct Pick2<'a>(pub(crate) &'a [usize]);

impl Move for Pick2<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        let first = inputs[0].len();
        for (out, place) in out.iter_mut().zip(self.0) {
            let value = place.checked_sub(first).map_or_else(|| inputs[0].get(*place), |at| inputs[1].get(at));
            if let Some(value) = value {
                *out = value.clone();
            }
        }
    }
}

/// Takes elements of the only input by their places; places beyond its end take the second input's only element.
pub(crate) struct Pick<'a>(pub(crate) &'a [usize]);

impl Move for Pick<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        let spare = inputs.get(1).and_then(|input| input.first());
        for (out, place) in out.iter_mut().zip(self.0) {
            if let Some(value) = inputs[0].get(*place).or(spare) {
                *out = value.clone();
            }
        }
    }
}
