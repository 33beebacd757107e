//! Arrays of tensors for loops.

use graph::{Graph, Output};
use tensor::{DType, PartialShape};

/// An array of tensors, each written once: what loops read their inputs from and collect their results in (`TensorArrayV3`).
///
/// A loop carries the array's [`flow`](TensorArray::flow) as a variable, and makes the array of it again inside with
/// [`with_flow`](TensorArray::with_flow).
///
/// ```
/// use tensorfleet::ops::TensorArray;
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let squares = TensorArray::new(&g, DType::Int32, &g.constant(4i32), PartialShape::scalar());
/// let end = while_loop(
///     &g,
///     |state| state[0].less(4),
///     |state| {
///         let written = squares.with_flow(&state[1]).write(&state[0], &(&state[0] * &state[0]));
///         vec![&state[0] + 1, written.flow().clone()]
///     },
///     &[g.constant(0i32), squares.flow().clone()],
/// );
/// assert_eq!(eval(&squares.with_flow(&end[1]).stack())?, Tensor::from([0i32, 1, 4, 9]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TensorArray {
    handle: Output,
    flow: Output,
    dtype: DType,
    element_shape: PartialShape,
}

impl TensorArray {
    /// An array of `size` elements, which all have this shape.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::ops::TensorArray;
    /// let g = Graph::new();
    /// let array = TensorArray::new(&g, DType::Float, &g.constant(2i32), ());
    /// let array = array.write(&g.constant(1i32), &g.constant(7f32)).write(&g.constant(0i32), &g.constant(5f32));
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&array.stack())?, [5.0, 7.0]);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn new(graph: &Graph, dtype: DType, size: &Output, element_shape: impl Into<PartialShape>) -> TensorArray {
        let element_shape = element_shape.into();
        let array = graph
            .op("TensorArrayV3")
            .name("TensorArray")
            .input(size)
            .attr("dtype", dtype)
            .attr("element_shape", element_shape.clone())
            .attr("identical_element_shapes", true)
            .build();
        TensorArray { handle: array.output(0), flow: array.output(1), dtype, element_shape }
    }

    /// An array of the rows of a tensor.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::ops::TensorArray;
    /// let g = Graph::new();
    /// let rows = TensorArray::unstack(&g.constant([[1f32, 2.0], [3.0, 4.0]]));
    /// let second = rows.read(&g.constant(1i32));
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&second)?, [3.0, 4.0]);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn unstack(value: &Output) -> TensorArray {
        let graph = value.graph();
        let count = super::row_count(value);
        let rest = value.shape().raw_dims().and_then(|dims| dims.get(1..)).map(PartialShape::from_dims);
        let dtype = value.dtype().unwrap_or(DType::Float);
        let array = TensorArray::new(graph, dtype, &count, rest.unwrap_or_default());
        let flow = graph
            .op("TensorArrayScatterV3")
            .input(&array.handle)
            .input(numbers_below(&count))
            .input(value)
            .input(&array.flow)
            .output();
        array.with_flow(&flow)
    }

    /// Says what has happened to the array so far: what uses this flow comes after that.
    pub fn flow(&self) -> &Output {
        &self.flow
    }

    /// The same array, at another point.
    #[must_use]
    pub fn with_flow(&self, flow: &Output) -> TensorArray {
        TensorArray { flow: flow.clone(), ..self.clone() }
    }

    /// The array after this element was written.
    #[must_use]
    #[track_caller]
    pub fn write(&self, index: &Output, value: &Output) -> TensorArray {
        let write = self.handle.graph().op("TensorArrayWriteV3").input(&self.handle).input(index).input(value);
        self.with_flow(&write.input(&self.flow).output())
    }

    /// An element, which is gone from the array then.
    #[track_caller]
    pub fn read(&self, index: &Output) -> Output {
        let read = self.handle.graph().op("TensorArrayReadV3").input(&self.handle).input(index).input(&self.flow);
        let value = read.attr("dtype", self.dtype).output();
        value.set_shape(self.element_shape.clone());
        value
    }

    /// All elements, one below the other.
    #[track_caller]
    pub fn stack(&self) -> Output {
        let size = self.handle.graph().op("TensorArraySizeV3").input(&self.handle).input(&self.flow).output();
        self.gather(&size)
    }

    /// The first `count` elements, one below the other.
    #[track_caller]
    pub(super) fn gather(&self, count: &Output) -> Output {
        let gather = self.handle.graph().op("TensorArrayGatherV3").input(&self.handle).input(numbers_below(count));
        gather.input(&self.flow).attr("dtype", self.dtype).attr("element_shape", self.element_shape.clone()).output()
    }
}

fn numbers_below(count: &Output) -> Output {
    let graph = count.graph();
    graph.op("Range").name("range").input(graph.constant(0i32)).input(count).input(graph.constant(1i32)).output()
}
