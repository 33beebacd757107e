//! From an element type known at run time to one known at compile time.

/// Runs `$body` with the type alias `$T` standing for the element type `$dtype`, out of a list of types:
/// `dispatch!(dtype, T in [f32, f64] => { ... })`. Other types are an `Internal` error: kernels are registered for
/// the listed ones only.
macro_rules! dispatch {
    ($dtype:expr, $T:ident in [$($rust:ty),* $(,)?] => $body:expr) => {{
        let dtype: tensor::DType = $dtype;
        match dtype {
            $(d if d == <$rust as tensor::Element>::DTYPE => { type $T = $rust; $body })*
            other => Err(tensor::err!(Internal, "no code for elements of type {other}")),
        }
    }};
}
