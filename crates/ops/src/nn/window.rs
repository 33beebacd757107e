//! Where the windows of convolutions and pools lie: strides, dilations and padding along the two axes of an image.

use graph::op::ShapeContext;
use graph::{AttrValue, Node, OpBuilder, ReadAttrs};
use tensor::{Result, bail, ensure};

/// Sizes beyond this are refused, so that nothing computed from them overflows.
const LIMIT: i64 = i32::MAX as i64;

/// The rows and columns of zeros around an image, for convolutions and pools.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let images = g.placeholder(DType::Float, [Some(1), Some(5), Some(5), Some(1)]);
/// let pooled = |padding| images.max_pool([2, 2], [2, 2], padding).shape();
/// assert_eq!(pooled(Padding::Valid), PartialShape::from([1, 2, 2, 1]));
/// assert_eq!(pooled(Padding::Same), PartialShape::from([1, 3, 3, 1]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Padding {
    /// None: windows lie inside.
    Valid,
    /// So many that the output has the input's size, divided by the stride.
    #[default]
    Same,
    /// Before and after, for height and width.
    Explicit([[i64; 2]; 2]),
}

/// Where the channels of images are.
///
/// ```
/// use tensorfleet::ops::DataFormat;
/// assert_eq!((DataFormat::default(), DataFormat::Nchw.name()), (DataFormat::Nhwc, "NCHW"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataFormat {
    /// Last: batch, height, width, channels.
    #[default]
    Nhwc,
    /// Second: batch, channels, height, width.
    Nchw,
}

impl DataFormat {
    /// Returns TensorFlow's name for it.
    pub fn name(self) -> &'static str {
        match self {
            DataFormat::Nhwc => "NHWC",
            DataFormat::Nchw => "NCHW",
        }
    }

    /// Two sizes, for height and width, as an attribute with one for each axis: 1 along batch and channels.
    pub(crate) fn four(self, [height, width]: [i64; 2]) -> AttrValue {
        AttrValue::Ints(match self {
            DataFormat::Nhwc => vec![1, height, width, 1],
            DataFormat::Nchw => vec![1, 1, height, width],
        })
    }
}

impl Padding {
    /// Sets the attributes of a node that state the padding.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::ops::DataFormat;
    /// let g = Graph::new();
    /// let images = g.zeros([1, 4, 4, 1], DType::Float);
    /// let pool = g.op("AvgPool").input(&images).attr("ksize", vec![1i64, 2, 2, 1]).attr("strides", vec![1i64, 2, 2, 1]);
    /// assert_eq!(Padding::Same.on(pool, DataFormat::Nhwc).output().shape(), PartialShape::from([1, 2, 2, 1]));
    /// ```
    pub fn on(self, node: OpBuilder, format: DataFormat) -> OpBuilder {
        match self {
            Padding::Valid => node.attr("padding", "VALID"),
            Padding::Same => node.attr("padding", "SAME"),
            Padding::Explicit([height, width]) => {
                let sides = match format {
                    DataFormat::Nhwc => [[0, 0], height, width, [0, 0]],
                    DataFormat::Nchw => [[0, 0], [0, 0], height, width],
                };
                node.attr("padding", "EXPLICIT").attr("explicit_paddings", sides.concat())
            }
        }
    }
}

/// Strides, dilations and padding, for height and width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows {
    pub(crate) strides: [i64; 2],
    pub(crate) dilations: [i64; 2],
    pub(crate) padding: Padding,
    pub(crate) channels_first: bool,
}

/// Along one axis: the output's size, and the zeros before and after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub(crate) out: i64,
    pub(crate) before: i64,
    pub(crate) after: i64,
}

impl Windows {
    /// Reads the attributes of a node.
    ///
    /// # Errors
    /// `InvalidArgument` or `Unimplemented`, as the attributes are impossible or not supported.
    pub(crate) fn new(node: &Node) -> Result<Windows> {
        let channels_first = node.attr_str("data_format")? == "NCHW";
        let op = &node.op;
        let four = |name: &str, what: &str| -> Result<[i64; 4]> {
            let values = node.attr_ints(name)?;
            match <[i64; 4]>::try_from(values) {
                Ok(values) => Ok(values),
                Err(_) => bail!(
                    InvalidArgument,
                    "{op} on data format {} requires the {what} attribute to contain 4 values, but got: {}",
                    if channels_first { "NCHW" } else { "NHWC" },
                    values.len()
                ),
            }
        };
        let strides = four("strides", "stride")?;
        let dilations = if node.attrs.contains_key("dilations") { four("dilations", "dilations")? } else { [1; 4] };
        for stride in strides {
            ensure!((1..=LIMIT).contains(&stride), InvalidArgument, "Stride must be > 0, but got {stride}");
        }
        for rate in dilations {
            ensure!((1..=LIMIT).contains(&rate), InvalidArgument, "Dilation rate must be >= 1, but got {rate}");
        }
        let axes = if channels_first { [2, 3] } else { [1, 2] };
        Ok(Windows {
            strides: axes.map(|axis| strides[axis]),
            dilations: axes.map(|axis| dilations[axis]),
            padding: padding(node, axes)?,
            channels_first,
        })
    }

    /// How windows of this size lie along an axis (0 for height, 1 for width).
    ///
    /// # Errors
    /// `InvalidArgument` if they are larger than the padded input by more than one stride.
    pub(crate) fn extent(&self, axis: usize, input: i64, window: i64) -> Result<Extent> {
        ensure!((0..=LIMIT).contains(&input), InvalidArgument, "an image of size {input} is too large");
        ensure!((1..=LIMIT).contains(&window), InvalidArgument, "a window of size {window} is impossible");
        let (stride, dilation) = (self.strides[axis], self.dilations[axis]);
        let span = (window - 1) * dilation + 1;
        let sized = |before: i64, after: i64| -> Result<Extent> {
            let out = (input + before + after - span + stride).div_euclid(stride);
            ensure!(
                out >= 0,
                InvalidArgument,
                "Computed output size would be negative: {out} [input_size: {input}, effective_filter_size: {span}, \
                 stride: {stride}]"
            );
            Ok(Extent { out, before, after })
        };
        match self.padding {
            Padding::Valid => sized(0, 0),
            Padding::Explicit(pads) => sized(pads[axis][0], pads[axis][1]),
            Padding::Same => {
                let out = (input + stride - 1) / stride;
                let zeros = ((out - 1) * stride + span - input).max(0);
                Ok(Extent { out, before: zeros / 2, after: zeros - zeros / 2 })
            }
        }
    }

    /// The output's size along an axis as far as it is known beforehand.
    ///
    /// # Errors
    /// `InvalidArgument` if windows are larger than the input.
    pub(crate) fn inferred(&self, axis: usize, input: Option<i64>, window: Option<i64>) -> Result<Option<i64>> {
        let Some(input) = input else { return Ok(None) };
        if self.padding == Padding::Same {
            return Ok(Some(input.saturating_add(self.strides[axis] - 1) / self.strides[axis]));
        }
        let Some(window) = window else { return Ok(None) };
        let extent = self.extent(axis, input, window)?;
        ensure!(
            extent.out > 0 || input == 0,
            InvalidArgument,
            "Negative dimension size caused by subtracting {} from {}",
            (window - 1) * self.dilations[axis] + 1,
            input + extent.before + extent.after
        );
        Ok(Some(extent.out))
    }

    /// The axes of batch, height, width and channels.
    pub(crate) fn axes(&self) -> [usize; 4] {
        if self.channels_first { [0, 2, 3, 1] } else { [0, 1, 2, 3] }
    }

    /// Puts batch, height, width and channels in the order of the data format.
    pub(crate) fn arrange<T: Copy>(&self, [batch, height, width, channels]: [T; 4]) -> [T; 4] {
        if self.channels_first { [batch, channels, height, width] } else { [batch, height, width, channels] }
    }
}

fn padding(node: &Node, axes: [usize; 2]) -> Result<Padding> {
    let explicit =
        if node.attrs.contains_key("explicit_paddings") { node.attr_ints("explicit_paddings")? } else { &[] };
    let padding = match node.attr_str("padding")? {
        "VALID" => Padding::Valid,
        "SAME" => Padding::Same,
        _ => {
            ensure!(
                explicit.len() == 8,
                InvalidArgument,
                "explicit_paddings attribute must contain 8 values, but got: {}",
                explicit.len()
            );
            ensure!(
                explicit.iter().all(|pad| *pad >= 0),
                InvalidArgument,
                "All elements of explicit_paddings must be nonnegative"
            );
            ensure!(
                explicit.iter().all(|pad| *pad <= LIMIT),
                InvalidArgument,
                "explicit_paddings {explicit:?} are too large"
            );
            let others = (0..4).filter(|axis| !axes.contains(axis));
            let free = others.into_iter().all(|axis| explicit[2 * axis] == 0 && explicit[2 * axis + 1] == 0);
            ensure!(free, InvalidArgument, "explicit_paddings of the batch or depth dimension must be 0");
            return Ok(Padding::Explicit(axes.map(|axis| [explicit[2 * axis], explicit[2 * axis + 1]])));
        }
    };
    ensure!(
        explicit.is_empty(),
        InvalidArgument,
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
    );
    Ok(padding)
}

/// Adds to an error of a shape function what it was about.
pub(crate) fn inferring<T>(cx: &ShapeContext<'_>, result: Result<T>) -> Result<T> {
    result.map_err(|status| {
        let message = format!(
            "{} for '{}' (op: '{}') with input shapes: {}",
            status.message(),
            cx.node.name,
            cx.node.op,
            cx.shown()
        );
        tensor::Status::new(status.code(), message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(padding: Padding, input: i64, window: i64, stride: i64) -> Result<Extent> {
        let windows = Windows { strides: [stride; 2], dilations: [1; 2], padding, channels_first: false };
        windows.extent(0, input, window)
    }

    /// TensorFlow 2.21 pads so; an odd zero goes to the end.
    #[test]
    fn sizes_and_zeros() {
        let of = |out, before, after| Extent { out, before, after };
        assert_eq!(extent(Padding::Same, 5, 2, 2).unwrap(), of(3, 0, 1));
        assert_eq!(extent(Padding::Same, 28, 5, 1).unwrap(), of(28, 2, 2));
        assert_eq!(extent(Padding::Valid, 5, 2, 2).unwrap(), of(2, 0, 0));
        assert_eq!(extent(Padding::Valid, 3, 4, 1).unwrap(), of(0, 0, 0));
        assert_eq!(extent(Padding::Explicit([[1, 0], [0, 0]]), 2, 2, 1).unwrap(), of(2, 1, 0));
        let message = extent(Padding::Valid, 1, 4, 1).unwrap_err().message().to_owned();
        assert!(message.starts_with("Computed output size would be negative: -2 [input_size: 1,"), "{message}");
        assert!(extent(Padding::Same, i64::MAX, 2, 1).is_err());
    }
}
