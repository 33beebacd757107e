//! Results by type: what a program asks of a session in one line, and gets as values of Rust.

use std::time::Duration;

use graph::op::Cancellation;
use graph::{Operation, Output};
use tensor::{FromTensor, Result, Tensor, err};

use crate::request::{AsTensor, RunRequest, RunResult};
use crate::session::Session;

/// What every session can do beside taking whole [`RunRequest`]s: [`eval`](Evaluate::eval), with
/// [`feed`](Evaluate::feed) before it where values are fed.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, [None]);
/// let (sum, largest) = (x.reduce_sum(..), x.reduce_max(..));
/// let session = LocalSession::new(&g)?;
/// let (sum, largest): (f32, f32) = session.feed(&x, [1f32, 5.0, 2.0]).eval((&sum, &largest))?;
/// assert_eq!((sum, largest), (8.0, 5.0));
/// # Ok::<(), Status>(())
/// ```
pub trait Evaluate: Session {
    /// Runs a step and returns what was asked for, as values of the types that the program expects.
    ///
    /// One output, variable or name is one value; a tuple, slice, array or vector of them is as many. A node is run, and
    /// its value is `()`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant([3f32, 4.0]));
    /// let norm = (&w * &w).reduce_sum(..).sqrt();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// let length: f32 = session.eval(&norm)?;
    /// assert_eq!(length, 5.0);
    /// let (values, length): (Vec<f32>, Tensor) = session.eval((&w, &norm))?;
    /// assert_eq!((values, length), (vec![3.0, 4.0], Tensor::from(5f32)));
    ///
    /// let status = session.eval::<i64, _>(&norm).unwrap_err();
    /// assert_eq!(status.message(), "Sqrt:0: expected int64 of shape [], but the value is float of shape []");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Session::run`]; `InvalidArgument`, naming the tensor, if its value is of another type, rank or size than
    /// expected.
    fn eval<T, F: Fetch<T>>(&self, what: F) -> Result<T> {
        self.step().eval(what)
    }

    /// Begins a step that is fed: this tensor gets this value. More may be fed before [`eval`](Step::eval) runs it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let (x, y) = (g.placeholder(DType::Float, [None]), g.placeholder(DType::Float, ()));
    /// let product = &x * &y;
    /// let session = LocalSession::new(&g)?;
    /// let result: Vec<f32> = session.feed(&x, [1f32, 2.0]).feed(&y, 10f32).eval(&product)?;
    /// assert_eq!(result, [10.0, 20.0]);
    /// # Ok(())
    /// # }
    /// ```
    fn feed(&self, tensor: impl AsTensor, value: impl Into<Tensor>) -> Step<&Self> {
        self.step().feed(tensor, value)
    }

    /// Begins a step without feeds, to say more of it than what to evaluate.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// # fn main() -> tensorfleet::Result<()> {
    /// let g = Graph::new();
    /// let never = Queue::of(&[DType::Int32]).fifo(&g).dequeue();
    /// let session = LocalSession::new(&g)?;
    /// let outcome = session.step().timeout(Duration::from_millis(1)).eval::<i32, _>(&never[0]);
    /// assert_eq!(outcome.unwrap_err().code(), Code::DeadlineExceeded);
    /// # Ok(())
    /// # }
    /// ```
    fn step(&self) -> Step<&Self> {
        Step::on(self)
    }
}

impl<S: Session + ?Sized> Evaluate for S {}

/// Where a [`Step`] is run: by a session.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::{RunStep, Step};
/// let g = Graph::new();
/// let one = g.constant(1f32);
/// let session = LocalSession::new(&g)?;
/// assert_eq!(session.run_step(RunRequest::new().fetch(&one))?.tensors, [Tensor::from(1f32)]);
/// assert_eq!(Step::on(&session).eval::<f32, _>(&one)?, 1.0); // what `session.step()` begins
/// # Ok::<(), Status>(())
/// ```
pub trait RunStep {
    /// Runs one step.
    ///
    /// # Errors
    /// As [`Session::run`].
    fn run_step(self, request: RunRequest) -> Result<RunResult>;
}

impl<S: Session + ?Sized> RunStep for &S {
    fn run_step(self, request: RunRequest) -> Result<RunResult> {
        self.run(request)
    }
}

/// A step in the making: a session, what it is fed, and how long it may take.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let x = g.placeholder(DType::Float, ());
/// let double = &x * 2.0;
/// let session = LocalSession::new(&g)?;
/// let step = session.step().timeout(Duration::from_secs(60)).feed(&x, 4f32);
/// assert_eq!(step.eval::<f32, _>(&double)?, 8.0);
/// # Ok::<(), Status>(())
/// ```
#[must_use = "a step does nothing until it is evaluated"]
pub struct Step<S> {
    session: S,
    request: RunRequest,
}

impl<S: RunStep> Step<S> {
    /// Begins a step without feeds.
    pub fn on(session: S) -> Step<S> {
        Step { session, request: RunRequest::new() }
    }

    /// Sets the value of a tensor for this step.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (x, y) = (g.placeholder(DType::Float, ()), g.placeholder(DType::Float, ()));
    /// let sum = &x + &y;
    /// assert_eq!(LocalSession::new(&g)?.step().feed(&x, 1f32).feed(&y, 2f32).eval::<f32, _>(&sum)?, 3.0);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn feed(mut self, tensor: impl AsTensor, value: impl Into<Tensor>) -> Step<S> {
        self.request = self.request.feed(tensor, value);
        self
    }

    /// Cancels the step after this time; it then fails with `DeadlineExceeded`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let never = Queue::of(&[DType::Int32]).fifo(&g).dequeue();
    /// let step = LocalSession::new(&g)?;
    /// let outcome = step.step().timeout(Duration::from_millis(1)).eval::<i32, _>(&never[0]);
    /// assert_eq!(outcome.unwrap_err().code(), Code::DeadlineExceeded);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Step<S> {
        self.request = self.request.timeout(timeout);
        self
    }

    /// Lets the step be cancelled from outside; it then fails with the reason.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::session::Cancellation;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let never = Queue::of(&[DType::Int32]).fifo(&g).dequeue();
    /// let cancellation = Cancellation::new();
    /// cancellation.cancel(Status::new(Code::Cancelled, "enough"));
    /// let session = LocalSession::new(&g)?;
    /// let outcome = session.step().cancellation(&cancellation).eval::<i32, _>(&never[0]);
    /// assert_eq!(outcome.unwrap_err().code(), Code::Cancelled);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn cancellation(mut self, cancellation: &Cancellation) -> Step<S> {
        self.request = self.request.cancellation(cancellation);
        self
    }

    /// Runs the step and returns what was asked for, as [`Evaluate::eval`] does.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, [None]);
    /// let session = LocalSession::new(&g)?;
    /// let (all, first): (Tensor, Vec<f32>) = session.feed(&x, [1f32, 2.0]).eval((&x, &x.slice(&[0], &[1])))?;
    /// assert_eq!((all, first), (Tensor::from([1f32, 2.0]), vec![1.0]));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`Evaluate::eval`].
    pub fn eval<T, F: Fetch<T>>(self, what: F) -> Result<T> {
        let request = what.add_to(self.request);
        request.check()?;
        let names = request.fetches.clone();
        let tensors = self.session.run_step(request)?.tensors;
        what.take_from(&mut Fetched { values: names.into_iter().zip(tensors) })
    }
}

/// What can be evaluated in a step, with a value of type `T`.
///
/// A type of a program can be fetched as one value:
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::{Fetch, Fetched};
/// struct Range {
///     low: Output,
///     high: Output,
/// }
///
/// impl Fetch<(f32, f32)> for &Range {
///     fn add_to(&self, request: RunRequest) -> RunRequest {
///         request.fetch(&self.low).fetch(&self.high)
///     }
///     fn take_from(&self, fetched: &mut Fetched) -> Result<(f32, f32)> {
///         Ok((fetched.take()?, fetched.take()?))
///     }
/// }
///
/// let g = Graph::new();
/// let x = g.constant([3f32, 1.0, 2.0]);
/// let range = Range { low: x.reduce_min(..), high: x.reduce_max(..) };
/// assert_eq!(LocalSession::new(&g)?.eval::<(f32, f32), _>(&range)?, (1.0, 3.0));
/// # Ok::<(), Status>(())
/// ```
pub trait Fetch<T> {
    /// Adds what is to be fetched and run to a request.
    fn add_to(&self, request: RunRequest) -> RunRequest;

    /// Takes its values, as many as it asked for.
    ///
    /// # Errors
    /// `InvalidArgument`, naming the tensor, if a value cannot be read as this type.
    fn take_from(&self, fetched: &mut Fetched) -> Result<T>;
}

/// The tensors that a step returned, in the order in which they were asked for.
///
/// See [`Fetch`], which takes values from it in the order in which they were asked for.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::Fetched;
/// fn pair(fetched: &mut Fetched) -> Result<(f32, Vec<i64>)> {
///     Ok((fetched.take()?, fetched.take()?))
/// }
/// # Ok::<(), Status>(())
/// ```
pub struct Fetched {
    values: std::iter::Zip<std::vec::IntoIter<String>, std::vec::IntoIter<Tensor>>,
}

impl Fetched {
    /// Returns the next value.
    ///
    /// # Errors
    /// `InvalidArgument`, naming the tensor, if it cannot be read as this type.
    pub fn take<T: FromTensor>(&mut self) -> Result<T> {
        let (name, tensor) =
            self.values.next().ok_or_else(|| err!(Internal, "the session returned too few tensors"))?;
        tensor.to().map_err(|status| status.context(name))
    }
}

macro_rules! fetch_tensors {
    ($($type:ty),*) => {
        $(impl<T: FromTensor> Fetch<T> for $type {
            fn add_to(&self, request: RunRequest) -> RunRequest {
                request.fetch(*self)
            }

            fn take_from(&self, fetched: &mut Fetched) -> Result<T> {
                fetched.take()
            }
        })*
    };
}

fetch_tensors!(&Output, &str, &String);

impl Fetch<()> for &Operation {
    fn add_to(&self, request: RunRequest) -> RunRequest {
        request.target(*self)
    }

    fn take_from(&self, _: &mut Fetched) -> Result<()> {
        Ok(())
    }
}

/// The elements, each for itself, as a vector of values.
impl<'a, T, F> Fetch<Vec<T>> for &'a [F]
where
    &'a F: Fetch<T>,
{
    fn add_to(&self, request: RunRequest) -> RunRequest {
        self.iter().fold(request, |request, element| element.add_to(request))
    }

    fn take_from(&self, fetched: &mut Fetched) -> Result<Vec<T>> {
        self.iter().map(|element| element.take_from(fetched)).collect()
    }
}

impl<'a, T, F> Fetch<Vec<T>> for &'a Vec<F>
where
    &'a F: Fetch<T>,
{
    fn add_to(&self, request: RunRequest) -> RunRequest {
        self.as_slice().add_to(request)
    }

    fn take_from(&self, fetched: &mut Fetched) -> Result<Vec<T>> {
        self.as_slice().take_from(fetched)
    }
}

impl<'a, T, F, const N: usize> Fetch<[T; N]> for &'a [F; N]
where
    &'a F: Fetch<T>,
{
    fn add_to(&self, request: RunRequest) -> RunRequest {
        self.each_ref().add_to(request)
    }

    fn take_from(&self, fetched: &mut Fetched) -> Result<[T; N]> {
        self.each_ref().take_from(fetched)
    }
}

impl<T, F: Fetch<T>, const N: usize> Fetch<[T; N]> for [F; N] {
    fn add_to(&self, request: RunRequest) -> RunRequest {
        self.iter().fold(request, |request, element| element.add_to(request))
    }

    fn take_from(&self, fetched: &mut Fetched) -> Result<[T; N]> {
        let values: Vec<T> = self.iter().map(|element| element.take_from(fetched)).collect::<Result<_>>()?;
        values.try_into().map_err(|_| err!(Internal, "the session returned too few tensors"))
    }
}

macro_rules! fetch_tuples {
    ($($fetch:ident $value:ident $index:tt),*) => {
        impl<$($value, $fetch: Fetch<$value>),*> Fetch<($($value,)*)> for ($($fetch,)*) {
            fn add_to(&self, request: RunRequest) -> RunRequest {
                $(let request = self.$index.add_to(request);)*
                request
            }

            fn take_from(&self, fetched: &mut Fetched) -> Result<($($value,)*)> {
                Ok(($(self.$index.take_from(fetched)?,)*))
            }
        }
    };
}

fetch_tuples!(F0 T0 0);
fetch_tuples!(F0 T0 0, F1 T1 1);
fetch_tuples!(F0 T0 0, F1 T1 1, F2 T2 2);
fetch_tuples!(F0 T0 0, F1 T1 1, F2 T2 2, F3 T3 3);
fetch_tuples!(F0 T0 0, F1 T1 1, F2 T2 2, F3 T3 3, F4 T4 4);
fetch_tuples!(F0 T0 0, F1 T1 1, F2 T2 2, F3 T3 3, F4 T4 4, F5 T5 5);
