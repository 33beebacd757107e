//! Every op: definition, shape function, kernel, gradient and tests
