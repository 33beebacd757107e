//! The averages of gradients, small ones in one message.

use graph::{Gradient, Graph, IndexedSlices, Output};
use tensor::{DType, Result, Shape, Tensor};

use super::{AllReduce, OnLoss};
use crate::nodes::cast;
use crate::optimizers::GradientAndVariable;
use crate::variable::Variable;

/// Gradients of so many bytes travel with others.
const SMALL: usize = 16 << 10;
/// So many bytes travel together.
const TOGETHER: usize = 256 << 10;

/// Small gradients of one type and device.
struct Bundle {
    dtype: DType,
    device: String,
    bytes: usize,
    /// Where each belongs among all gradients.
    parts: Vec<(usize, Output, Shape)>,
}

impl AllReduce {
    /// Returns the gradients, averaged over all workers.
    pub(super) fn averages(&self, gradients: &[GradientAndVariable]) -> Result<Vec<GradientAndVariable>> {
        let mut averages: Vec<GradientAndVariable> = gradients.to_vec();
        let mut bundles: Vec<Bundle> = Vec::new();
        // Those of the last layers exist first.
        for (index, (gradient, variable)) in gradients.iter().enumerate().rev() {
            let Some(gradient) = gradient else { continue };
            match (gradient, small_shape(gradient, variable)) {
                (Gradient::Dense(value), Some(shape)) => bundle(&mut bundles, index, value, shape, variable),
                (gradient, _) => averages[index].0 = Some(self.average(gradient, variable)),
            }
        }
        for bundle in bundles {
            for (index, average) in self.average_all(bundle)? {
                averages[index].0 = Some(Gradient::Dense(average));
            }
        }
        if let Some((_, variable)) = gradients.first() {
            variable.handle().graph().check()?;
        }
        Ok(averages)
    }

    /// The average of one gradient.
    fn average(&self, gradient: &Gradient, variable: &Variable) -> Gradient {
        let graph = variable.handle().graph();
        let build = |graph: &Graph| match gradient {
            Gradient::Dense(value) => {
                let average = self.reduce(graph, value, "Div");
                average.set_shape(variable.shape());
                Gradient::Dense(average)
            }
            Gradient::Slices(rows) => {
                // All rows of all workers, each counting so much less.
                let (values, indices) = (self.gather(graph, &rows.values), self.gather(graph, &rows.indices));
                let count = self.count(graph, &rows.indices, &indices);
                let count = cast(graph, &count, rows.values.dtype().unwrap_or(DType::Float));
                let values = graph.op("RealDiv").input(&values).input(count).output();
                Gradient::Slices(IndexedSlices { values, indices, dense_shape: rows.dense_shape.clone() })
            }
        };
        graph.with_device(variable.device(), |graph| graph.with_name_scope(&self.name, build))
    }

    fn gather(&self, graph: &Graph, value: &Output) -> Output {
        let [size, group, instance] = self.keys(graph);
        let gather = graph.op("CollectiveGatherV2").input(value).input(size).input(group).input(instance);
        self.governed(gather.input_list(&[])).output()
    }

    /// How many workers there are, as a number: of those who may be fewer, the rows tell that they gathered.
    fn count(&self, graph: &Graph, own: &Output, gathered: &Output) -> Output {
        if !matches!(self.on_loss, OnLoss::Shrink { .. }) {
            return graph.constant(self.num_workers as f32);
        }
        let size = |of: &Output| cast(graph, &graph.op("Size").input(of).output(), DType::Float);
        // Of no rows there is nothing to divide.
        let own = graph.op("Maximum").input(size(own)).input(graph.constant(1f32)).output();
        graph.op("RealDiv").input(size(gathered)).input(own).output()
    }

    /// The averages of several gradients, by the places where these belong.
    fn average_all(&self, bundle: Bundle) -> Result<Vec<(usize, Output)>> {
        let Some((_, first, _)) = bundle.parts.first() else { return Ok(Vec::new()) };
        let graph = first.graph().clone();
        let build = |graph: &Graph| {
            if let [(index, value, shape)] = &bundle.parts[..] {
                let average = self.reduce(graph, value, "Div");
                average.set_shape(shape.clone());
                return vec![(*index, average)];
            }
            let flat = |(_, value, _): &(usize, Output, Shape)| {
                graph.op("Reshape").input(value).input(graph.constant([-1i32])).output()
            };
            let flat: Vec<Output> = bundle.parts.iter().map(flat).collect();
            let together = graph.op("ConcatV2").input_list(&flat).input(graph.constant(0i32)).output();
            let average = self.reduce(graph, &together, "Div");
            let sizes: Vec<i64> = bundle.parts.iter().map(|(_, _, shape)| shape.num_elements() as i64).collect();
            let split = graph.op("SplitV").input(&average).input(graph.constant(Tensor::vector(&sizes)));
            let split = split.input(graph.constant(0i32)).attr("num_split", sizes.len() as i64).build();
            let shaped = |(part, (index, _, shape)): (usize, &(usize, Output, Shape))| {
                let dims = graph.constant(Tensor::vector(shape.dims()));
                (*index, graph.op("Reshape").input(split.output(part)).input(dims).output())
            };
            bundle.parts.iter().enumerate().map(shaped).collect()
        };
        let averages = graph.with_device(bundle.device.clone(), |graph| graph.with_name_scope(&self.name, build));
        graph.check()?;
        Ok(averages)
    }
}

/// The shape of a gradient that is small enough to travel with others.
fn small_shape(gradient: &Gradient, variable: &Variable) -> Option<Shape> {
    let (Gradient::Dense(_), Some(shape)) = (gradient, variable.shape().to_shape()) else { return None };
    let bytes = shape.num_elements().checked_mul(variable.dtype()?.size())?;
    (bytes <= SMALL).then_some(shape)
}

fn bundle(bundles: &mut Vec<Bundle>, index: usize, value: &Output, shape: Shape, variable: &Variable) {
    let (dtype, device) = (variable.dtype().unwrap_or(DType::Float), variable.device());
    let bytes = shape.num_elements() * dtype.size();
    let fits =
        |bundle: &&mut Bundle| bundle.dtype == dtype && bundle.device == device && bundle.bytes + bytes <= TOGETHER;
    let part = (index, value.clone(), shape);
    match bundles.iter_mut().find(fits) {
        Some(bundle) => {
            bundle.bytes += bytes;
            bundle.parts.push(part);
        }
        None => bundles.push(Bundle { dtype, device, bytes, parts: vec![part] }),
    }
}
