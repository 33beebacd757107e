//! `ExtractImagePatches`: the windows of images, each laid out along the channels.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{AttrValue, Gradient, Node, Output, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("ExtractImagePatches", "images: T -> patches: T")
        .attr("ksizes: list(int) >= 4")
        .attr("strides: list(int) >= 4")
        .attr("rates: list(int) >= 4")
        .attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool}")
        .attr("padding: {'SAME', 'VALID'}")
        .shape(shape)
        .kernel("T", types::PLAIN, kernel)
        .gradient(gradient);
}

/// Windows along one axis.
#[derive(Clone, Copy)]
pub(super) struct Along {
    pub(super) window: i64,
    pub(super) stride: i64,
    pub(super) rate: i64,
    pub(super) same: bool,
}

impl Along {
    fn span(self) -> i64 {
        (self.window - 1).saturating_mul(self.rate).saturating_add(1)
    }

    /// How many windows there are, and where the first one begins.
    pub(super) fn fit(self, size: i64) -> Result<(i64, i64)> {
        if self.same {
            let count = size.saturating_add(self.stride - 1) / self.stride;
            let border =
                ((count - 1).saturating_mul(self.stride).saturating_add(self.span()).saturating_sub(size)).max(0);
            return Ok((count, -(border / 2)));
        }
        let count = size.saturating_sub(self.span()).saturating_add(self.stride).div_euclid(self.stride);
        ensure!(
            count >= 0,
            InvalidArgument,
            "Computed output size would be negative: {count} [input_size: {size}, effective_filter_size: {}, stride: {}]",
            self.span(),
            self.stride
        );
        Ok((count, 0))
    }
}

fn windows(attrs: &impl ReadAttrs) -> Result<[Along; 2]> {
    let read = |name: &str| -> Result<[i64; 2]> {
        match attrs.attr_ints(name)? {
            [1, high, wide, 1] if *high > 0 && *wide > 0 => Ok([*high, *wide]),
            [_, high, wide, _] if *high > 0 && *wide > 0 => bail!(Unimplemented, "Only support {name} across space."),
            other => bail!(InvalidArgument, "{name} must be 4 positive numbers, got {other:?}"),
        }
    };
    let (windows, strides, rates) = (read("ksizes")?, read("strides")?, read("rates")?);
    let same = attrs.attr_str("padding")? == "SAME";
    Ok([0, 1].map(|axis| Along { window: windows[axis], stride: strides[axis], rate: rates[axis], same }))
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let images = cx.with_rank(0, 4)?;
    let [down, across] = windows(cx)?;
    let count = |along: Along, size: Option<i64>| -> Result<Option<i64>> {
        let Some(size) = size else { return Ok(None) };
        Ok(Some(along.fit(size)?.0))
    };
    let depth = images.dim(3).map(|depth| depth.saturating_mul(down.window).saturating_mul(across.window));
    let (rows, columns) = (count(down, images.dim(1))?, count(across, images.dim(2))?);
    cx.set(0, PartialShape::new(&[images.dim(0), rows, columns, depth]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let windows = windows(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let patches = extract(cx.input(0)?, windows)?;
        cx.set_output(0, patches);
        Ok(())
    }))
}

fn extract(images: &Tensor, [down, across]: [Along; 2]) -> Result<Tensor> {
    let &[batch, height, width, depth] = images.dims() else {
        bail!(InvalidArgument, "input must be 4-dimensional{}", images.shape())
    };
    let ((rows, top), (columns, left)) = (down.fit(height)?, across.fit(width)?);
    let area = down.window.saturating_mul(across.window);
    let shape = Shape::new(&[batch, rows, columns, depth.saturating_mul(area)])?;
    Tensor::check_size(DType::Int64, &shape)?;
    let mut places = Vec::with_capacity(shape.num_elements());
    for image in 0..batch {
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            for (i, j) in (0..down.window).flat_map(|i| (0..across.window).map(move |j| (i, j))) {
                let y = top + row * down.stride + i * down.rate;
                let x = left + column * across.stride + j * across.rate;
                let inside = (0..height).contains(&y) && (0..width).contains(&x);
                let pixel = ((image * height + y) * width + x) * depth;
                places.extend((0..depth).map(|channel| if inside { (pixel + channel) as usize } else { usize::MAX }));
            }
        }
    }
    let zero = Tensor::zeros(images.dtype(), &Shape::scalar())?;
    moved(shape, &[images, &zero], &Pick(&places))
}

/// Each element of a window counts once for the pixel that it shows: a sparse matrix of ones leads back.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let graph = cx.graph;
    let [down, across] = windows(cx)?;
    let int = |value: i64| graph.constant(value);
    let dims = |of: &Output| {
        let shape = cx.op("Shape").input(of).attr("out_type", DType::Int64).output();
        cx.op("Unpack").input(shape).attr("num", 4i64).outputs()
    };
    let list = |items: &[&Output]| {
        cx.op("Pack").input_list(&items.iter().map(|item| (*item).clone()).collect::<Vec<_>>()).output()
    };
    let reshaped = |x: &Output, shape: &[&Output]| cx.op("Reshape").input(x).input(list(shape)).output();
    let numbered = |from: i64, to: Output| cx.op("Range").input(int(from)).input(to).input(int(1)).output();
    let (input, output) = (dims(&cx.x(0)), dims(&cx.y(0)));
    let ([batch, rows_in, columns_in, channels], [_, rows_out, columns_out, _]) = (&input[..], &output[..]) else {
        bail!(Internal, "images have four dimensions")
    };
    let (one, pixels) = (int(1), rows_in * columns_in);
    let (high, wide, area) = (int(down.window), int(across.window), int(down.window * across.window));
    let numbers = reshaped(&numbered(1, &pixels + &one), &[&one, rows_in, columns_in, &one]);
    let patched = ["ksizes", "strides", "rates"].iter().try_fold(
        cx.op("ExtractImagePatches").input(numbers).attr("padding", cx.attr_str("padding")?.to_owned()),
        |node, name| -> Result<_> { Ok(node.attr(name, AttrValue::Ints(cx.attr_ints(name)?.to_vec()))) },
    )?;
    let patched = patched.output();
    let count = rows_out * columns_out * &area;
    let targets = reshaped(&numbered(0, count.clone()), &[&one, rows_out, columns_out, &area]);
    let last = graph.constant(-1i32);
    let column = |x: &Output| cx.op("ExpandDims").input(x).input(&last).output();
    let pairs = cx.op("ConcatV2").input_list(&[column(&patched), column(&targets)]).input(&last).output();
    let pairs = reshaped(&pairs, &[&int(-1), &int(2)]);
    let one_each = graph.constant(Tensor::scalar(1f32));
    let one_each = cx.op("Cast").input(one_each).attr("DstT", cx.dtype(0)).output();
    let ones = cx.op("Fill").input(list(&[&count])).input(one_each).output();
    let whole = list(&[&(&pixels + &one), &count]);
    let (start, size) = (graph.constant([1i64, 0]), list(&[&pixels, &count]));
    let matrix = cx.op("SparseSlice").input(pairs).input(ones).input(whole).input(start).input(size).outputs();
    let dy = reshaped(&cx.dy(0)?, &[batch, rows_out, columns_out, &high, &wide, channels]);
    let dy = cx.op("Transpose").input(dy).input(graph.constant([1i32, 2, 3, 4, 0, 5])).output();
    let dy = reshaped(&dy, &[&int(-1), &(batch * channels)]);
    let product =
        matrix.iter().fold(cx.op("SparseTensorDenseMatMul"), |node, part| node.input(part)).input(dy).output();
    let dx = reshaped(&product, &[rows_in, columns_in, batch, channels]);
    let dx = cx.op("Transpose").input(dx).input(graph.constant([2i32, 0, 1, 3])).output();
    Ok(vec![Some(dx.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives this.
    #[test]
    fn windows_beyond_the_edge_show_zeros() {
        let image = Tensor::new([1, 2, 2, 1], vec![1i32, 2, 3, 4]).unwrap();
        let along = Along { window: 2, stride: 1, rate: 1, same: true };
        let patches = extract(&image, [along, along]).unwrap();
        let expected = vec![1i32, 2, 3, 4, 2, 0, 4, 0, 3, 4, 0, 0, 4, 0, 0, 0];
        assert_eq!(patches, Tensor::new([1, 2, 2, 4], expected).unwrap());
    }
}
