//! The array behind the TensorArray ops: tensors by number, each written once, for the time of a step.
//!
//! The array of a gradient adds up what is written to one place, and knows the shapes of the forward array's values,
//! so that a place that nothing was written to reads as zeros.

use graph::op::Resource;
use math::number::Number;
use parking_lot::Mutex;
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

pub(crate) struct TensorArray {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    identical_shapes: bool,
    clear_after_read: bool,
    /// Several writes to one place add up.
    adds_up: bool,
    state: Mutex<State>,
}

struct State {
    element_shape: PartialShape,
    dynamic_size: bool,
    closed: bool,
    places: Vec<Place>,
}

#[derive(Clone, Default)]
struct Place {
    value: Option<Tensor>,
    /// What a value here looks like, where that is known before there is one.
    shape: Option<Shape>,
    written: bool,
    read: bool,
    cleared: bool,
}

/// What an array is made with.
pub(crate) struct ArrayConfig {
    pub(crate) dtype: DType,
    pub(crate) element_shape: PartialShape,
    pub(crate) dynamic_size: bool,
    pub(crate) clear_after_read: bool,
    pub(crate) identical_shapes: bool,
}

/// More places than this are taken for a mistake.
const MAX_SIZE: usize = 1 << 28;

impl Resource for TensorArray {
    fn kind(&self) -> &'static str {
        "TensorArray"
    }
}

impl TensorArray {
    /// # Errors
    /// `InvalidArgument` for a size that cannot be.
    pub(crate) fn new(name: String, config: ArrayConfig, size: i64) -> Result<TensorArray> {
        ensure!(size >= 0, InvalidArgument, "Size should be >= 0.");
        ensure!(size as usize <= MAX_SIZE, ResourceExhausted, "a TensorArray of {size} places");
        let room = size as u64 * size_of::<Place>() as u64;
        tensor::memory::ensure_free(room, format_args!("a TensorArray of {size} places"))?;
        let state = State {
            element_shape: config.element_shape,
            dynamic_size: config.dynamic_size,
            closed: false,
            places: vec![Place::default(); size as usize],
        };
        Ok(TensorArray {
            name,
            dtype: config.dtype,
            identical_shapes: config.identical_shapes,
            clear_after_read: config.clear_after_read,
            adds_up: false,
            state: Mutex::new(state),
        })
    }

    /// The array for gradients of this one's values, with these dimensions before theirs. The size of this one is fixed from
    /// now on.
    ///
    /// # Errors
    /// `InvalidArgument` if this one is closed, or values so large cannot be.
    pub(crate) fn gradient(&self, name: String, prepended: &Shape) -> Result<TensorArray> {
        let mut state = self.state.lock();
        ensure!(!state.closed, InvalidArgument, "TensorArray {} has already been closed.", self.name);
        state.dynamic_size = false;
        let shape_of = |place: &Place| place.value.as_ref().map(|value| value.shape().clone()).or(place.shape.clone());
        let larger = |shape: Shape| Shape::new(&[prepended.dims(), shape.dims()].concat());
        let places = state
            .places
            .iter()
            .map(|place| Ok(Place { shape: shape_of(place).map(larger).transpose()?, ..Place::default() }));
        let places = places.collect::<Result<_>>()?;
        let element_shape = PartialShape::from(prepended).concatenate(&state.element_shape);
        let own = State { element_shape, dynamic_size: false, closed: false, places };
        Ok(TensorArray {
            name,
            dtype: self.dtype,
            identical_shapes: self.identical_shapes,
            clear_after_read: true,
            adds_up: true,
            state: Mutex::new(own),
        })
    }

    fn open(&self) -> Result<parking_lot::MutexGuard<'_, State>> {
        let state = self.state.lock();
        ensure!(!state.closed, InvalidArgument, "TensorArray {} has already been closed.", self.name);
        Ok(state)
    }

    /// # Errors
    /// `InvalidArgument` if it is closed.
    pub(crate) fn len(&self) -> Result<usize> {
        Ok(self.open()?.places.len())
    }

    pub(crate) fn element_shape(&self) -> PartialShape {
        self.state.lock().element_shape.clone()
    }

    /// Whether it may grow.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.state.lock().dynamic_size
    }

    pub(crate) fn close(&self) {
        let places = {
            let mut state = self.state.lock();
            state.closed = true;
            std::mem::take(&mut state.places)
        };
        drop(places);
    }

    /// Learns what every value looks like.
    ///
    /// # Errors
    /// `InvalidArgument` if that contradicts what is known.
    pub(crate) fn learn_shape(&self, shape: &PartialShape) -> Result<()> {
        let mut state = self.open()?;
        state.element_shape = state.element_shape.merge(shape)?;
        Ok(())
    }

    /// Writes values to places, all or up to the first that cannot be.
    ///
    /// # Errors
    /// `InvalidArgument` if a place does not exist, or was written or read before, or the value does not fit.
    pub(crate) fn write(&self, values: impl IntoIterator<Item = (i64, Tensor)>) -> Result<()> {
        let mut state = self.open()?;
        for (index, value) in values {
            self.write_one(&mut state, index, value)?;
        }
        Ok(())
    }

    fn write_one(&self, state: &mut State, index: i64, value: Tensor) -> Result<()> {
        let (name, size) = (&self.name, state.places.len() as i64);
        ensure!(
            value.dtype() == self.dtype,
            InvalidArgument,
            "TensorArray {name}: Could not write to TensorArray index {index} because the value dtype is {} but \
             TensorArray dtype is {}.",
            value.dtype(),
            self.dtype
        );
        ensure!(
            index >= 0 && (state.dynamic_size || index < size),
            InvalidArgument,
            "TensorArray {name}: Tried to write to index {index} but array is not resizeable and size is: {size}"
        );
        if index >= size {
            ensure!((index as usize) < MAX_SIZE, ResourceExhausted, "a TensorArray of {} places", index + 1);
            state.places.resize(index as usize + 1, Place::default());
        }
        ensure!(
            state.element_shape.is_compatible_with(value.shape()),
            InvalidArgument,
            "TensorArray {name}: Could not write to TensorArray index {index} because the value shape is {} which is \
             incompatible with the TensorArray's inferred element shape: {} (consider setting infer_shape=False).",
            value.shape(),
            state.element_shape
        );
        if self.identical_shapes && !state.element_shape.is_fully_known() {
            state.element_shape = value.shape().into();
        }
        let place = &mut state.places[index as usize];
        ensure!(
            !place.read,
            InvalidArgument,
            "TensorArray {name}: Could not write to TensorArray index {index} because it has already been read."
        );
        if place.written {
            ensure!(
                self.adds_up,
                InvalidArgument,
                "TensorArray {name}: Could not write to TensorArray index {index} because it has already been written to."
            );
            if let Some(sum) = &mut place.value {
                ensure!(
                    sum.shape() == value.shape(),
                    InvalidArgument,
                    "TensorArray {name}: Could not aggregate to TensorArray index {index} because the existing shape is {} \
                     but the new input shape is {}.",
                    sum.shape(),
                    value.shape()
                );
                return add(sum, &value);
            }
        }
        place.written = true;
        place.shape = Some(value.shape().clone());
        place.value = Some(value);
        Ok(())
    }

    /// The values at some places.
    ///
    /// # Errors
    /// `InvalidArgument` if a place does not exist, is empty and of unknown shape, or was cleared by an earlier read.
    pub(crate) fn read(&self, indices: impl IntoIterator<Item = i64>) -> Result<Vec<Tensor>> {
        let mut state = self.open()?;
        indices.into_iter().map(|index| self.read_one(&mut state, index)).collect()
    }

    fn read_one(&self, state: &mut State, index: i64) -> Result<Tensor> {
        let (name, size) = (&self.name, state.places.len());
        ensure!(
            (0..size as i64).contains(&index),
            InvalidArgument,
            "TensorArray {name}: Tried to read from index {index} but array size is: {size}"
        );
        let place = &mut state.places[index as usize];
        ensure!(
            !place.cleared,
            InvalidArgument,
            "TensorArray {name}: Could not read index {index} twice because it was cleared after a previous read \
             (perhaps try setting clear_after_read = false?)"
        );
        let value = match &place.value {
            Some(value) => value.clone(),
            None => {
                let Some(shape) = place.shape.clone().or_else(|| state.element_shape.to_shape()) else {
                    bail!(
                        InvalidArgument,
                        "TensorArray {name}: Could not read from TensorArray index {index}.  Furthermore, the element \
                         shape is not fully defined: {}. It is possible you are working with a resizeable TensorArray \
                         and stop_gradients is not allowing the gradients to be written.  If you set the full \
                         element_shape property on the forward TensorArray, the proper all-zeros tensor will be \
                         returned instead of incurring this error.",
                        state.element_shape
                    )
                };
                Tensor::zeros(self.dtype, &shape)?
            }
        };
        place.read = true;
        if self.clear_after_read {
            place.value = None;
            place.shape = Some(value.shape().clone());
            place.cleared = true;
        }
        Ok(value)
    }
}

fn add(sum: &mut Tensor, value: &Tensor) -> Result<()> {
    fn by<T: tensor::Element + Number>(sum: &mut Tensor, value: &Tensor) -> Result<()> {
        crate::state::combine_by(sum, value, |x: T, y: T| x.plus(y))
    }
    let dtype = sum.dtype();
    dispatch!(dtype, T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => by::<T>(sum, value))
}
