//! Dataflow graphs: nodes, op definitions, shapes, gradients, and the contracts of kernels
