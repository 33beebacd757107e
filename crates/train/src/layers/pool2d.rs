//! Pools over images: the largest or the average value of each window.

use graph::Output;
use ops::nn::{DataFormat, Padding};

use super::Window;

/// Begins a layer of the largest values of windows of this size, so far apart.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let images = g.placeholder(DType::Float, [None, Some(28), Some(28), Some(3)]);
/// let halved = layers::max_pool2d(&images, 2, 2).build();
/// assert_eq!(halved.shape(), PartialShape::from([None, Some(14), Some(14), Some(3)]));
/// ```
#[doc(alias = "max_pooling2d")]
pub fn max_pool2d(input: &Output, pool_size: impl Into<Window>, strides: impl Into<Window>) -> Pool2d {
    Pool2d::new("MaxPool", "max_pooling2d", input, pool_size.into(), strides.into())
}

/// Begins a layer of the averages of windows of this size, so far apart.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let image = g.constant([[1f32, 2.0], [3.0, 6.0]]).reshape(&[1, 2, 2, 1]);
/// let mean = layers::average_pool2d(&image, 2, 1).build();
/// assert_eq!(LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&mean))?[0].as_slice::<f32>()?, [3.0]);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "average_pooling2d")]
pub fn average_pool2d(input: &Output, pool_size: impl Into<Window>, strides: impl Into<Window>) -> Pool2d {
    Pool2d::new("AvgPool", "average_pooling2d", input, pool_size.into(), strides.into())
}

/// A pool in the making: [`max_pool2d`], [`average_pool2d`].
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let image = g.constant([[1f32, 2.0, 3.0]]).reshape(&[1, 1, 3, 1]);
/// let pooled = layers::max_pool2d(&image, [1, 2], [1, 2]).padding(Padding::Same).build();
/// assert_eq!(LocalSession::new(&g)?.eval::<Tensor, _>(&pooled)?.as_slice::<f32>()?, [2.0, 3.0]);
/// # Ok::<(), Status>(())
/// ```
#[must_use]
pub struct Pool2d {
    op: &'static str,
    usual_name: &'static str,
    input: Output,
    pool_size: Window,
    strides: Window,
    padding: Padding,
    name: Option<String>,
}

impl Pool2d {
    fn new(op: &'static str, usual_name: &'static str, input: &Output, pool_size: Window, strides: Window) -> Pool2d {
        Pool2d { op, usual_name, input: input.clone(), pool_size, strides, padding: Padding::Valid, name: None }
    }

    /// The zeros around the images; none ([`Padding::Valid`]) unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let images = g.placeholder(DType::Float, [None, Some(5), Some(5), Some(3)]);
    /// let y = layers::max_pool2d(&images, 2, 2).padding(Padding::Same).build();
    /// assert_eq!(y.shape(), PartialShape::from([None, Some(3), Some(3), Some(3)]));
    /// ```
    pub fn padding(mut self, padding: Padding) -> Self {
        self.padding = padding;
        self
    }

    /// The name of its scope: `max_pooling2d` or `average_pooling2d`, with a number if there is one already, unless told
    /// otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let images = g.placeholder(DType::Float, [None, Some(8), Some(8), Some(3)]);
    /// let pooled = layers::max_pool2d(&images, 2, 2).name("halved").build();
    /// assert!(pooled.name().unwrap().to_string().starts_with("halved/"));
    /// ```
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the layer.
    #[track_caller]
    pub fn build(self) -> Output {
        let ([height, width], [down, right]) = (self.pool_size.0, self.strides.0);
        self.input.graph().with_name_scope(self.name.as_deref().unwrap_or(self.usual_name), |graph| {
            let pool = graph.op(self.op).input(&self.input).attr("ksize", vec![1i64, height, width, 1]);
            let pool = pool.attr("strides", vec![1i64, down, right, 1]);
            self.padding.on(pool, DataFormat::Nhwc).output()
        })
    }
}
