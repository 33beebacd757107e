//! Embeddings: a row of trained numbers for each id.

use graph::Output;
use tensor::DType;

use super::in_layer_scope;
use crate::initializers::Initializer;
use crate::variable_scope::VariableScopeOps;

/// Begins a layer that returns for each id its row of a table of `count` rows of `size` numbers. A training step changes only
/// the rows that it used.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::trainable_variables;
/// let g = Graph::new();
/// let words = g.placeholder(DType::Int64, [None, Some(7)]);
/// let vectors = layers::embedding(&words, 10_000, 64).build();
/// assert_eq!(vectors.shape(), PartialShape::from([None, Some(7), Some(64)]));
/// assert_eq!(trainable_variables(&g)[0].name(), "embedding/embeddings");
/// ```
pub fn embedding(ids: &Output, count: i64, size: i64) -> Embedding {
    let initializer = Initializer::random_uniform(-0.05, 0.05);
    Embedding { ids: ids.clone(), count, size, dtype: DType::Float, initializer, trainable: true, name: None }
}

/// An embedding in the making: [`embedding`].
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Initializer;
/// let g = Graph::new();
/// let table = Initializer::constant([[1f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
/// let rows = layers::embedding(&g.constant([2i64, 0]), 3, 2).initializer(table).build();
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// assert_eq!(session.eval::<Vec<[f32; 2]>, _>(&rows)?, [[5.0, 6.0], [1.0, 2.0]]);
/// # Ok::<(), Status>(())
/// ```
#[must_use]
pub struct Embedding {
    ids: Output,
    count: i64,
    size: i64,
    dtype: DType,
    initializer: Initializer,
    trainable: bool,
    name: Option<String>,
}

impl Embedding {
    /// How the table begins: uniform between -0.05 and 0.05 unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Initializer;
    /// let g = Graph::new();
    /// let rows = layers::embedding(&g.constant([2i64]), 3, 2).initializer(Initializer::Ones).build();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<Vec<[f32; 2]>, _>(&rows)?, [[1.0, 1.0]]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn initializer(mut self, initializer: Initializer) -> Self {
        self.initializer = initializer;
        self
    }

    /// The type of the table: float unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let rows = layers::embedding(&g.constant([2i64, 0]), 3, 2).dtype(DType::Double).build();
    /// assert_eq!(rows.dtype(), Some(DType::Double));
    /// ```
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = dtype;
        self
    }

    /// Whether optimizers change the table; they do unless told otherwise.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::trainable_variables;
    /// let g = Graph::new();
    /// layers::embedding(&g.constant([2i64, 0]), 3, 2).trainable(false).build();
    /// assert!(trainable_variables(&g).is_empty());
    /// ```
    pub fn trainable(mut self, trainable: bool) -> Self {
        self.trainable = trainable;
        self
    }

    /// The name of its scope: `embedding`, with a number if there is one already, unless told otherwise.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Adds the layer.
    #[track_caller]
    pub fn build(self) -> Output {
        let graph = self.ids.graph().clone();
        in_layer_scope(&graph, self.name.as_deref(), "embedding", |graph| {
            let table = graph.variable("embeddings").shape([self.count, self.size]).dtype(self.dtype);
            let table = table.trainable(self.trainable).initializer(self.initializer.clone()).get();
            graph.with_name_scope("embedding_lookup", |_| table.rows(&self.ids))
        })
    }
}
