//! What a queue is made with, and what fits in it.

use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

/// What a queue is made with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueueConfig {
    pub(crate) kind: Kind,
    pub(crate) types: Vec<DType>,
    /// Empty if any shape may come.
    pub(crate) shapes: Vec<PartialShape>,
    /// Negative for no limit.
    pub(crate) capacity: i64,
}

/// In which order elements leave.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Fifo,
    /// As `Fifo`, but shapes may have unknown dimensions, which are padded when elements leave together.
    PaddingFifo,
    Shuffle {
        min_after_dequeue: usize,
        seeds: (i64, i64),
    },
    /// The smallest first component leaves first; it is an int64 scalar.
    Priority,
}

impl Kind {
    /// The name that messages use.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::Fifo => "FIFOQueue",
            Kind::PaddingFifo => "PaddingFIFOQueue",
            Kind::Shuffle { .. } => "RandomShuffleQueue",
            Kind::Priority => "PriorityQueue",
        }
    }
}

impl QueueConfig {
    /// Returns how many elements fit in.
    pub(super) fn limit(&self) -> usize {
        usize::try_from(self.capacity).unwrap_or(usize::MAX)
    }

    /// # Errors
    /// `InvalidArgument` if the parts do not fit together.
    pub(super) fn check(&self) -> Result<()> {
        ensure!(
            self.shapes.is_empty() || self.shapes.len() == self.types.len(),
            InvalidArgument,
            "Different number of component types.  Types: {}, Shapes: {}",
            type_list(&self.types),
            shape_list(&self.shapes)
        );
        if self.kind != Kind::PaddingFifo {
            for shape in &self.shapes {
                ensure!(shape.is_fully_known(), InvalidArgument, "Shape {shape} is not fully defined");
            }
        }
        if let Kind::Shuffle { min_after_dequeue, .. } = self.kind {
            ensure!(
                min_after_dequeue < self.limit(),
                InvalidArgument,
                "min_after_dequeue {min_after_dequeue} must be < capacity {}",
                self.capacity
            );
        }
        Ok(())
    }

    /// # Errors
    /// `InvalidArgument` if the queue of this name was made otherwise than `wanted`, saying how.
    pub(super) fn check_same(&self, wanted: &QueueConfig, name: &str) -> Result<()> {
        let own = self;
        ensure!(
            own.kind.name() == wanted.kind.name(),
            InvalidArgument,
            "Shared queue '{name}': expected {}, found {}",
            wanted.kind.name(),
            own.kind.name()
        );
        if let (
            Kind::Shuffle { min_after_dequeue: own_min, seeds: own_seeds },
            Kind::Shuffle { min_after_dequeue: min, seeds },
        ) = (&own.kind, &wanted.kind)
        {
            ensure!(
                own_min == min,
                InvalidArgument,
                "Shared queue '{name}' has min_after_dequeue {own_min} but requested min_after_dequeue was {min}."
            );
            ensure!(
                *seeds == (0, 0) || own_seeds == seeds,
                InvalidArgument,
                "Shared queue '{name}' has random seeds ({}, {}) but requested seeds are ({}, {}).",
                own_seeds.0,
                own_seeds.1,
                seeds.0,
                seeds.1
            );
        }
        ensure!(
            own.capacity.max(-1) == wanted.capacity.max(-1),
            InvalidArgument,
            "Shared queue '{name}' has capacity {} but requested capacity was {}",
            own.capacity,
            wanted.capacity
        );
        ensure!(
            own.types == wanted.types,
            InvalidArgument,
            "Shared queue '{name}' has component types {} but requested component types were {}",
            type_list(&own.types),
            type_list(&wanted.types)
        );
        ensure!(
            own.shapes == wanted.shapes,
            InvalidArgument,
            "Shared queue '{name}' has component shapes {} but requested component shapes were {}",
            shape_list(&own.shapes),
            shape_list(&wanted.shapes)
        );
        Ok(())
    }

    /// Returns the number of rows if `many`.
    ///
    /// # Errors
    /// `InvalidArgument` if the components are not an element, or a batch of elements, of this queue.
    pub(super) fn check_components(&self, components: &[Tensor], many: bool) -> Result<Option<usize>> {
        let types: Vec<DType> = components.iter().map(Tensor::dtype).collect();
        ensure!(
            types == self.types,
            InvalidArgument,
            "Signature mismatch, have: resource, {}-> expected: resource, {}->",
            type_list(&types),
            type_list(&self.types)
        );
        let mut rows = None;
        for (number, component) in components.iter().enumerate() {
            let dims = component.dims();
            if many {
                let Some(own) = dims.first() else {
                    bail!(InvalidArgument, "Input tensor must have a rank of at least 1, but component {number} is []")
                };
                rows = rows.or(Some(*own));
            }
            let row: &[i64] = if many { &dims[1..] } else { dims };
            let declared = self.shapes.get(number).cloned().unwrap_or_default();
            let wrong_rows = many && rows != dims.first().copied();
            if wrong_rows || !declared.is_compatible_with(&Shape::new(row)?) {
                let lead = PartialShape::from_dims(rows.as_slice());
                let fits = declared.rank().is_some() || !wrong_rows;
                let expected = lead.concatenate(&if fits { declared } else { PartialShape::from_dims(row) });
                bail!(
                    InvalidArgument,
                    "Shape mismatch in tuple component {number}. Expected {expected}, got {}",
                    component.shape()
                );
            }
        }
        Ok(rows.map(|rows| rows as usize))
    }
}

pub(crate) fn type_list(types: &[DType]) -> String {
    types.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ")
}

fn shape_list(shapes: &[PartialShape]) -> String {
    format!("[{}]", shapes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}
