//! Variables: a value behind a lock. Reads are snapshots that never change afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{RwLock, RwLockWriteGuard};
use tensor::{DType, PartialShape, Result, Tensor, err};

use super::{Resource, ResourceState};

/// A variable's value. An update writes in place when nobody holds a snapshot, else to a copy.
///
/// ```
/// use tensorfleet::graph::op::Variable;
/// use tensorfleet::{DType, PartialShape, Tensor};
/// let variable = Variable::new("w", DType::Float, PartialShape::from([2]));
/// assert!(!variable.is_initialized() && variable.read().is_err());
/// variable.set(Tensor::from([1f32, 2.0]));
/// variable.update(|value| {
///     value.make_mut::<f32>()?[0] = 5.0;
///     Ok(())
/// })?;
/// assert_eq!(variable.read()?, Tensor::from([5f32, 2.0]));
/// # Ok::<(), tensorfleet::Status>(())
/// ```
pub struct Variable {
    name: String,
    dtype: DType,
    /// The declared shape.
    shape: PartialShape,
    value: RwLock<Option<Tensor>>,
    /// Its value was taken away, to be restored.
    forgotten: AtomicBool,
    /// How often the value may have changed.
    version: AtomicU64,
    /// How often it was read or written.
    uses: AtomicU64,
}

impl Variable {
    /// Returns a variable without a value.
    pub fn new(name: impl Into<String>, dtype: DType, shape: PartialShape) -> Variable {
        Variable {
            name: name.into(),
            dtype,
            shape,
            value: RwLock::new(None),
            forgotten: AtomicBool::new(false),
            version: AtomicU64::new(0),
            uses: AtomicU64::new(0),
        }
    }

    /// Returns the variable's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type of its elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns what its definition says of the shape.
    pub fn shape(&self) -> &PartialShape {
        &self.shape
    }

    /// Returns whether it has a value.
    ///
    /// ```
    /// use tensorfleet::graph::op::Variable;
    /// use tensorfleet::{DType, PartialShape, Tensor};
    /// let variable = Variable::new("w", DType::Float, PartialShape::scalar());
    /// assert!(!variable.is_initialized());
    /// variable.set(Tensor::from(1f32));
    /// assert!(variable.is_initialized());
    /// ```
    pub fn is_initialized(&self) -> bool {
        self.value.read().is_some()
    }

    /// Returns a number that grows whenever the value may have changed.
    ///
    /// ```
    /// use tensorfleet::graph::op::Variable;
    /// use tensorfleet::{DType, PartialShape, Tensor};
    /// let variable = Variable::new("w", DType::Float, PartialShape::scalar());
    /// let before = variable.version();
    /// variable.set(Tensor::from(1f32));
    /// assert!(variable.version() > before);
    /// ```
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// The value, to be changed.
    fn changing(&self) -> RwLockWriteGuard<'_, Option<Tensor>> {
        let value = self.used().write();
        self.version.fetch_add(1, Ordering::AcqRel);
        value
    }

    /// The value now, shared with the variable until either changes.
    ///
    /// ```
    /// use tensorfleet::graph::op::Variable;
    /// use tensorfleet::{DType, PartialShape, Tensor};
    /// let variable = Variable::new("w", DType::Float, PartialShape::scalar());
    /// variable.set(Tensor::from(1f32));
    /// let before = variable.snapshot();
    /// variable.set(Tensor::from(2f32));
    /// assert_eq!(before, Some(Tensor::from(1f32))); // what was read does not change
    /// ```
    pub fn snapshot(&self) -> Option<Tensor> {
        self.used().read().clone()
    }

    /// ```
    /// use tensorfleet::graph::op::Variable;
    /// use tensorfleet::{Code, DType, PartialShape};
    /// let variable = Variable::new("w", DType::Float, PartialShape::scalar());
    /// assert_eq!(variable.read().unwrap_err().code(), Code::FailedPrecondition);
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` if there is no value yet.
    pub fn read(&self) -> Result<Tensor> {
        self.snapshot().ok_or_else(|| self.uninitialized())
    }

    /// Looks at the value under the lock: others may look meanwhile, and an update waits instead of making a copy. This is for
    /// those who need a little of a large value.
    ///
    /// ```
    /// use tensorfleet::graph::op::Variable;
    /// use tensorfleet::{DType, PartialShape, Tensor};
    /// let variable = Variable::new("w", DType::Float, PartialShape::from([2]));
    /// variable.set(Tensor::from([1f32, 2.0]));
    /// assert_eq!(variable.view(|value| Ok(value.as_slice::<f32>()?[1]))?, 2.0);
    /// # Ok::<(), tensorfleet::Status>(())
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` if there is no value yet; what `look` returns.
    pub fn view<R>(&self, look: impl FnOnce(&Tensor) -> Result<R>) -> Result<R> {
        match self.used().read().as_ref() {
            Some(value) => look(value),
            None => Err(self.uninitialized()),
        }
    }

    /// Sets the value.
    ///
    /// ```
    /// use tensorfleet::graph::op::Variable;
    /// use tensorfleet::{DType, PartialShape, Tensor};
    /// let variable = Variable::new("w", DType::Float, PartialShape::scalar());
    /// variable.set(Tensor::from(1f32));
    /// assert_eq!(variable.snapshot(), Some(Tensor::from(1f32)));
    /// ```
    pub fn set(&self, value: Tensor) {
        *self.changing() = Some(own(value));
    }

    /// Changes the value under the lock. Nobody else reads or writes meanwhile.
    ///
    /// ```
    /// use tensorfleet::graph::op::Variable;
    /// use tensorfleet::{DType, PartialShape, Tensor};
    /// let variable = Variable::new("w", DType::Float, PartialShape::scalar());
    /// variable.set(Tensor::from(1f32));
    /// variable.update(|value| {
    ///     value.make_mut::<f32>()?[0] += 1.0;
    ///     Ok(())
    /// })?;
    /// assert_eq!(variable.read()?, Tensor::from(2f32));
    /// # Ok::<(), tensorfleet::Status>(())
    /// ```
    ///
    /// # Errors
    /// `FailedPrecondition` if there is no value yet; what `change` returns.
    pub fn update<R>(&self, change: impl FnOnce(&mut Tensor) -> Result<R>) -> Result<R> {
        match self.changing().as_mut() {
            Some(value) => change(value),
            None => Err(self.uninitialized()),
        }
    }

    /// As [`update`](Variable::update), but the value may be missing and may be put or taken away.
    ///
    /// ```
    /// use tensorfleet::graph::op::Variable;
    /// use tensorfleet::{DType, PartialShape, Tensor};
    /// let variable = Variable::new("w", DType::Float, PartialShape::scalar());
    /// let old = variable.replace(|value| Ok(value.replace(Tensor::from(2f32))))?;
    /// assert_eq!((old, variable.read()?), (None, Tensor::from(2f32)));
    /// # Ok::<(), tensorfleet::Status>(())
    /// ```
    ///
    /// # Errors
    /// What `change` returns.
    pub fn replace<R>(&self, change: impl FnOnce(&mut Option<Tensor>) -> Result<R>) -> Result<R> {
        let mut slot = self.changing();
        let outcome = change(&mut slot);
        if let Some(value) = slot.take() {
            *slot = Some(own(value));
        }
        outcome
    }

    /// Changes several variables at once. Locks are taken in the order of addresses, so two updates never deadlock;
    /// a variable given twice is an error.
    ///
    /// # Errors
    /// `FailedPrecondition` if one has no value; `InvalidArgument` if one is given twice; what `change` returns.
    pub fn update_all<const N: usize, R>(
        variables: [&Variable; N],
        change: impl FnOnce([&mut Tensor; N]) -> Result<R>,
    ) -> Result<R> {
        let mut order: [usize; N] = std::array::from_fn(|i| i);
        order.sort_by_key(|i| std::ptr::from_ref(variables[*i]) as usize);
        let mut guards: [Option<RwLockWriteGuard<'_, Option<Tensor>>>; N] = std::array::from_fn(|_| None);
        for pair in order.windows(2) {
            if std::ptr::eq(variables[pair[0]], variables[pair[1]]) {
                return Err(err!(
                    InvalidArgument,
                    "variable '{}' is used twice in one update",
                    variables[pair[0]].name
                ));
            }
        }
        for i in order {
            let guard = variables[i].changing();
            if guard.is_none() {
                return Err(variables[i].uninitialized());
            }
            guards[i] = Some(guard);
        }
        let mut missing = false;
        let mut spare: [Tensor; N] = std::array::from_fn(|_| Tensor::scalar(false));
        // Every guard holds a value (checked above); the tensors move out and back, so that `change` gets plain
        // references.
        for (slot, guard) in spare.iter_mut().zip(&mut guards) {
            match guard.as_mut().and_then(|guard| guard.take()) {
                Some(value) => *slot = value,
                None => missing = true,
            }
        }
        debug_assert!(!missing);
        let result = change(spare.each_mut());
        for (value, guard) in spare.into_iter().zip(&mut guards) {
            if let Some(guard) = guard {
                **guard = Some(value);
            }
        }
        result
    }

    /// Takes the value away, because another one will be restored. Whoever needs it meanwhile is told to begin anew.
    ///
    /// ```
    /// use tensorfleet::graph::op::Variable;
    /// use tensorfleet::{Code, DType, PartialShape, Tensor};
    /// let variable = Variable::new("w", DType::Float, PartialShape::scalar());
    /// variable.set(Tensor::from(1f32));
    /// variable.forget();
    /// assert_eq!(variable.read().unwrap_err().code(), Code::Aborted);
    /// ```
    pub fn forget(&self) {
        self.forgotten.store(true, Ordering::Relaxed);
        *self.changing() = None;
    }

    /// Returns how it is, for operators.
    pub fn state(&self) -> ResourceState {
        ResourceState::Variable {
            dtype: self.dtype,
            shape: self.shape.clone(),
            bytes: self.value.read().as_ref().map(|value| value.byte_size() as u64),
            uses: self.uses.load(Ordering::Relaxed),
        }
    }

    /// The value, which a step is about to read or write.
    fn used(&self) -> &RwLock<Option<Tensor>> {
        self.uses.fetch_add(1, Ordering::Relaxed);
        &self.value
    }

    /// Returns the error of reading it before it has a value.
    pub fn uninitialized(&self) -> tensor::Status {
        if self.forgotten.load(Ordering::Relaxed) {
            return err!(Aborted, "Attempting to use uninitialized value {}, which is being restored", self.name);
        }
        err!(FailedPrecondition, "Attempting to use uninitialized value {}", self.name)
    }
}

/// A variable as ref ops know it (`VariableV2`).
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::graph::op::{RefVariable, Resource, Variable};
/// use tensorfleet::{DType, PartialShape};
/// let variable = Arc::new(Variable::new("w", DType::Float, PartialShape::scalar()));
/// assert!(!RefVariable(variable).kind().is_empty());
/// ```
pub struct RefVariable(pub Arc<Variable>);

impl Resource for RefVariable {
    fn kind(&self) -> &'static str {
        "RefVariable"
    }

    fn state(&self) -> ResourceState {
        self.0.state()
    }
}

/// A variable as resource ops know it (`VarHandleOp`).
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::graph::op::{Resource, ResourceVariable, Variable};
/// use tensorfleet::{DType, PartialShape};
/// let variable = Arc::new(Variable::new("w", DType::Float, PartialShape::scalar()));
/// assert!(!ResourceVariable(variable).kind().is_empty());
/// ```
pub struct ResourceVariable(pub Arc<Variable>);

impl Resource for ResourceVariable {
    fn kind(&self) -> &'static str {
        "Var"
    }

    fn state(&self) -> ResourceState {
        self.0.state()
    }
}

/// One value that stands for all elements is the variable's own: what it is written out to is then changed in place, and the
/// constant that it came from stays one value.
fn own(value: Tensor) -> Tensor {
    if value.element().is_some() { value.deep_copy() } else { value }
}

#[cfg(test)]
mod tests {
    use tensor::Shape;

    use super::*;

    #[test]
    fn a_snapshot_does_not_change() {
        let variable = Variable::new("v", DType::Float, PartialShape::from([2]));
        assert_eq!(variable.read().unwrap_err().message(), "Attempting to use uninitialized value v");
        variable.set(Tensor::from([1f32, 2.0]));
        let before = variable.read().unwrap();
        let change = |value: &mut Tensor| {
            value.make_mut::<f32>()?[0] = 5.0;
            Ok(())
        };
        variable.update(change).unwrap();
        assert_eq!((before, variable.read().unwrap()), (Tensor::from([1f32, 2.0]), Tensor::from([5f32, 2.0])));
    }

    #[test]
    fn one_value_for_all_is_the_variables_own() {
        let ones = Tensor::repeating(&Tensor::from(1f32), Shape::vector(5000)).unwrap();
        let variable = Variable::new("v", DType::Float, PartialShape::from([5000]));
        variable.set(ones.clone());
        let is_unique = |slot: &mut Option<Tensor>| Ok(slot.as_mut().is_some_and(|value| value.is_unique()));
        assert!(variable.replace(is_unique).unwrap());
        variable.update(|value| value.make_mut::<f32>().map(|elements| elements[1] = 2.0)).unwrap();
        assert_eq!(variable.read().unwrap().as_slice::<f32>().unwrap()[..3], [1.0, 2.0, 1.0]);
        assert_eq!(ones.element(), Some(Tensor::from(1f32)));
    }

    #[test]
    fn several_variables_change_at_once_or_not_at_all() {
        let a = Variable::new("a", DType::Float, PartialShape::scalar());
        let b = Variable::new("b", DType::Float, PartialShape::scalar());
        a.set(Tensor::from(1f32));
        let touch = |[x, _]: [&mut Tensor; 2]| {
            x.make_mut::<f32>()?[0] = 2.0;
            Ok(())
        };
        assert!(Variable::update_all([&a, &b], touch).is_err());
        assert_eq!(a.read().unwrap(), Tensor::from(1f32));
        b.set(Tensor::from(3f32));
        Variable::update_all([&a, &b], touch).unwrap();
        assert_eq!(a.read().unwrap(), Tensor::from(2f32));
        assert!(Variable::update_all([&a, &a], touch).is_err());
    }
}
