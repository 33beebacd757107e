//! Optimizer steps: ops that move variables along a gradient. One file an optimizer, with all its forms.

mod formula;
mod stored;
mod update;

op_list! {
    apply_ada_max, apply_adadelta, apply_adagrad, apply_adagrad_da, apply_adam, apply_ftrl, apply_gradient_descent, apply_momentum,
    apply_proximal, apply_rms_prop, apply_sign, word2vec,
}
