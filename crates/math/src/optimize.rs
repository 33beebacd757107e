//! The update rules of TensorFlow's training ops, each in one pass over the variable, its slots
//! and the gradient.

use crate::number::Float;
use crate::simd::widest;
use crate::threads::{SharedMut, parallel_for};

/// Elements worth a thread.
const GRAIN: usize = 16 * 1024;
/// Elements that are taken into registers or the first-level cache at a time.
const BLOCK: usize = 64;

/// Element types that can be trained. The loops are compiled here, once per type. `grad` and all
/// slots have the length of `var`.
pub trait Optimize: Float {
    /// `var -= lr * grad`
    fn gradient_descent(var: &mut [Self], lr: Self, grad: &[Self]);
    /// `accum = momentum * accum + grad; var -= lr * accum`, or Nesterov's form.
    fn momentum(var: &mut [Self], accum: &mut [Self], lr: Self, grad: &[Self], momentum: Self, nesterov: bool);
    /// `accum += grad^2` (unless `update_slots` is false); `var -= lr * grad / sqrt(accum)`
    fn adagrad(var: &mut [Self], accum: &mut [Self], lr: Self, grad: &[Self], update_slots: bool);
    /// As `adagrad`, dividing by `sqrt(accum) + epsilon`.
    fn adagrad_v2(var: &mut [Self], accum: &mut [Self], lr: Self, epsilon: Self, grad: &[Self], update_slots: bool);
    /// Adam.
    fn adam(var: &mut [Self], m: &mut [Self], v: &mut [Self], rule: Adam<Self>, grad: &[Self]);
    /// RMSProp.
    fn rmsprop(var: &mut [Self], ms: &mut [Self], mom: &mut [Self], rule: RmsProp<Self>, grad: &[Self]);
    /// RMSProp with the mean gradient `mg` taken off.
    fn centered_rmsprop(
        var: &mut [Self],
        mg: &mut [Self],
        ms: &mut [Self],
        mom: &mut [Self],
        rule: RmsProp<Self>,
        grad: &[Self],
    );
    /// Adadelta.
    fn adadelta(
        var: &mut [Self],
        accum: &mut [Self],
        accum_update: &mut [Self],
        lr: Self,
        rho: Self,
        epsilon: Self,
        grad: &[Self],
    );
    /// FTRL-proximal.
    fn ftrl(var: &mut [Self], accum: &mut [Self], linear: &mut [Self], rule: Ftrl<Self>, grad: &[Self]);
    /// A gradient step followed by the proximal step for `l1` and `l2`.
    fn proximal_gradient_descent(var: &mut [Self], lr: Self, l1: Self, l2: Self, grad: &[Self]);
    /// An Adagrad step followed by the proximal step.
    fn proximal_adagrad(var: &mut [Self], accum: &mut [Self], lr: Self, l1: Self, l2: Self, grad: &[Self]);
    /// Adagrad by dual averaging: the variable follows from the sums of gradients and of their squares.
    fn adagrad_da(var: &mut [Self], sum: &mut [Self], squares: &mut [Self], rule: AdagradDa<Self>, grad: &[Self]);
}

/// The numbers of a dual averaging step.
#[derive(Clone, Copy, Debug)]
pub struct AdagradDa<T> {
    pub lr: T,
    pub l1: T,
    pub l2: T,
    pub global_step: T,
}

/// The numbers of an Adam step.
#[derive(Clone, Copy, Debug)]
pub struct Adam<T> {
    pub beta1_power: T,
    pub beta2_power: T,
    pub lr: T,
    pub beta1: T,
    pub beta2: T,
    pub epsilon: T,
    pub nesterov: bool,
}

/// The numbers of an RMSProp step.
#[derive(Clone, Copy, Debug)]
pub struct RmsProp<T> {
    pub lr: T,
    pub rho: T,
    pub momentum: T,
    pub epsilon: T,
}

/// The numbers of an FTRL step; the first version has an `l2_shrinkage` of 0.
#[derive(Clone, Copy, Debug)]
pub struct Ftrl<T> {
    pub lr: T,
    pub l1: T,
    pub l2: T,
    pub l2_shrinkage: T,
    pub lr_power: T,
    pub multiply_linear_by_lr: bool,
}

/// Replaces the elements of `state` by `f(elements, gradient)`, all at one place at a time.
fn update<T: Float, const N: usize>(state: [&mut [T]; N], grad: &[T], f: impl Fn([T; N], T) -> [T; N] + Sync) {
    assert!(state.iter().all(|s| s.len() == grad.len()), "state and gradient differ in length");
    let state = state.map(SharedMut::new);
    parallel_for(grad.len(), GRAIN, |range| {
        // SAFETY: parallel_for hands out disjoint ranges, and the slices are different ones.
        let mut state = std::array::from_fn(|i| unsafe { state[i].slice(range.clone()) });
        run(&mut state, &grad[range], &f);
    });
}

fn run<T: Float, const N: usize>(state: &mut [&mut [T]; N], grad: &[T], f: &impl Fn([T; N], T) -> [T; N]) {
    let whole = grad.len() / BLOCK * BLOCK;
    widest(
        #[inline(always)]
        || {
            for at in (0..whole).step_by(BLOCK) {
                // Through local arrays: they cannot overlap, so the loop vectorises.
                let mut block = [[T::ZERO; BLOCK]; N];
                for i in 0..N {
                    block[i].copy_from_slice(&state[i][at..at + BLOCK]);
                }
                let mut g = [T::ZERO; BLOCK];
                g.copy_from_slice(&grad[at..at + BLOCK]);
                for j in 0..BLOCK {
                    let new = f(std::array::from_fn(|i| block[i][j]), g[j]);
                    for i in 0..N {
                        block[i][j] = new[i];
                    }
                }
                for i in 0..N {
                    state[i][at..at + BLOCK].copy_from_slice(&block[i]);
                }
            }
        },
    );
    for j in whole..grad.len() {
        let new = f(std::array::from_fn(|i| state[i][j]), grad[j]);
        for i in 0..N {
            state[i][j] = new[i];
        }
    }
}

/// Moves `p` towards 0 by `lr * l1` and shrinks it for `l2`.
macro_rules! proximal {
    ($p:expr, $lr:expr, $l1:expr, $l2:expr) => {{
        let (p, lr) = ($p, $lr);
        let shrunk = (p.abs() - lr * $l1).max(0.0);
        (if $l1 > 0.0 { shrunk.copysign(p) } else { p }) / (1.0 + lr * $l2)
    }};
}

macro_rules! optimizers {
    ($($t:ident)*) => {$(
        impl Optimize for $t {
            fn gradient_descent(var: &mut [$t], lr: $t, grad: &[$t]) {
                update([var], grad, #[inline(always)] |[var], g| [var - lr * g]);
            }

            fn momentum(var: &mut [$t], accum: &mut [$t], lr: $t, grad: &[$t], momentum: $t, nesterov: bool) {
                if nesterov {
                    update([var, accum], grad, #[inline(always)] |[var, a], g| {
                        let a = a * momentum + g;
                        [var - (g * lr + a * momentum * lr), a]
                    });
                } else {
                    update([var, accum], grad, #[inline(always)] |[var, a], g| {
                        let a = a * momentum + g;
                        [var - a * lr, a]
                    });
                }
            }

            fn adagrad(var: &mut [$t], accum: &mut [$t], lr: $t, grad: &[$t], update_slots: bool) {
                let square = if update_slots { 1.0 } else { 0.0 };
                update([var, accum], grad, #[inline(always)] |[var, a], g| {
                    let a = a + g * g * square;
                    [var - g * lr / a.sqrt(), a]
                });
            }

            fn adagrad_v2(
                var: &mut [$t],
                accum: &mut [$t],
                lr: $t,
                epsilon: $t,
                grad: &[$t],
                update_slots: bool,
            ) {
                let square = if update_slots { 1.0 } else { 0.0 };
                update([var, accum], grad, #[inline(always)] |[var, a], g| {
                    let a = a + g * g * square;
                    [var - g * lr / (a.sqrt() + epsilon), a]
                });
            }

            fn adam(var: &mut [$t], m: &mut [$t], v: &mut [$t], rule: Adam<$t>, grad: &[$t]) {
                let Adam { beta1_power, beta2_power, lr, beta1, beta2, epsilon, nesterov } = rule;
                let rate = lr * (1.0 - beta2_power).sqrt() / (1.0 - beta1_power);
                let step = |[var, m, v]: [$t; 3], g: $t, nesterov: bool| {
                    let m = m + (g - m) * (1.0 - beta1);
                    let v = v + (g * g - v) * (1.0 - beta2);
                    let top = if nesterov { m * beta1 + (1.0 - beta1) * g } else { m };
                    [var - top * rate / (v.sqrt() + epsilon), m, v]
                };
                if nesterov {
                    update([var, m, v], grad, #[inline(always)] |state, g| step(state, g, true));
                } else {
                    update([var, m, v], grad, #[inline(always)] |state, g| step(state, g, false));
                }
            }

            fn rmsprop(var: &mut [$t], ms: &mut [$t], mom: &mut [$t], rule: RmsProp<$t>, grad: &[$t]) {
                let RmsProp { lr, rho, momentum, epsilon } = rule;
                update([var, ms, mom], grad, #[inline(always)] |[var, ms, mom], g| {
                    let ms = ms + (g * g - ms) * (1.0 - rho);
                    let mom = mom * momentum + g * lr / (ms + epsilon).sqrt();
                    [var - mom, ms, mom]
                });
            }

            fn centered_rmsprop(
                var: &mut [$t],
                mg: &mut [$t],
                ms: &mut [$t],
                mom: &mut [$t],
                rule: RmsProp<$t>,
                grad: &[$t],
            ) {
                let RmsProp { lr, rho, momentum, epsilon } = rule;
                update([var, mg, ms, mom], grad, #[inline(always)] |[var, mg, ms, mom], g| {
                    let ms = ms + (g * g - ms) * (1.0 - rho);
                    let mg = mg + (g - mg) * (1.0 - rho);
                    let mom = mom * momentum + g * lr / (ms - mg * mg + epsilon).sqrt();
                    [var - mom, mg, ms, mom]
                });
            }

            fn adadelta(
                var: &mut [$t],
                accum: &mut [$t],
                accum_update: &mut [$t],
                lr: $t,
                rho: $t,
                epsilon: $t,
                grad: &[$t],
            ) {
                update([var, accum, accum_update], grad, #[inline(always)] |[var, a, au], g| {
                    let a = a * rho + g * g * (1.0 - rho);
                    let step = (au + epsilon).sqrt() / (a + epsilon).sqrt() * g;
                    [var - step * lr, a, au * rho + step * step * (1.0 - rho)]
                });
            }

            fn ftrl(var: &mut [$t], accum: &mut [$t], linear: &mut [$t], rule: Ftrl<$t>, grad: &[$t]) {
                let Ftrl { lr, l1, l2, l2_shrinkage, lr_power, multiply_linear_by_lr } = rule;
                // With `multiply_linear_by_lr` the linear term is kept multiplied by the rate.
                let (scale, inverse) = if multiply_linear_by_lr { (lr, 1.0) } else { (1.0, 1.0 / lr) };
                let (l1, l2) = (l1 * scale, 2.0 * l2 * scale);
                let step = |[var, a, linear]: [$t; 3], g: $t, [old, new]: [$t; 2]| {
                    let shrunk = g + 2.0 * l2_shrinkage * var;
                    let linear = linear + shrunk * scale - (new - old) * inverse * var;
                    let quadratic = new * inverse + l2;
                    let moved = (l1.copysign(linear) - linear) / quadratic;
                    [if linear.abs() > l1 { moved } else { 0.0 }, a + g * g, linear]
                };
                if lr_power == -0.5 {
                    update([var, accum, linear], grad, #[inline(always)] |state, g| {
                        step(state, g, [state[1].sqrt(), (state[1] + g * g).sqrt()])
                    });
                } else {
                    update([var, accum, linear], grad, |state, g| {
                        step(state, g, [state[1].powf(-lr_power), (state[1] + g * g).powf(-lr_power)])
                    });
                }
            }

            fn adagrad_da(var: &mut [$t], sum: &mut [$t], squares: &mut [$t], rule: AdagradDa<$t>, grad: &[$t]) {
                let AdagradDa { lr, l1, l2, global_step } = rule;
                update([var, sum, squares], grad, #[inline(always)] |[_, sum, squares], g| {
                    let (sum, squares) = (sum + g, squares + g * g);
                    let shrunk = if l1 > 0.0 { (sum.abs() - l1 * global_step).max(0.0).copysign(sum) } else { sum };
                    [-lr * shrunk / (l2 * global_step * lr + squares.sqrt()), sum, squares]
                });
            }

            fn proximal_gradient_descent(var: &mut [$t], lr: $t, l1: $t, l2: $t, grad: &[$t]) {
                update([var], grad, #[inline(always)] |[var], g| [proximal!(var - lr * g, lr, l1, l2)]);
            }

            fn proximal_adagrad(var: &mut [$t], accum: &mut [$t], lr: $t, l1: $t, l2: $t, grad: &[$t]) {
                update([var, accum], grad, #[inline(always)] |[var, a], g| {
                    let a = a + g * g;
                    let rate = lr / a.sqrt();
                    [proximal!(var - rate * g, rate, l1, l2), a]
                });
            }
        }
    )*};
}
optimizers!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    const VAR: [f64; 3] = [1.0, 2.0, -3.0];
    const A: [f64; 3] = [0.1, 0.2, 0.3];
    const B: [f64; 3] = [0.5, 0.25, 0.75];
    const GRAD: [f64; 3] = [0.5, -1.0, 0.1];

    /// Two steps from the given state must lead to what TensorFlow 2.21 computes. The three
    /// elements are repeated so that the blocks and the rest are both used.
    fn check<const N: usize>(start: [[f64; 3]; N], want: [[f64; 3]; N], step: impl Fn([&mut [f64]; N], &[f64])) {
        let long = |x: [f64; 3]| (0..200).map(|i| x[i % 3]).collect::<Vec<_>>();
        let mut state = start.map(long);
        let grad = long(GRAD);
        for _ in 0..2 {
            step(state.each_mut().map(|s| s.as_mut_slice()), &grad);
        }
        for (state, want) in state.iter().zip(want.map(long)) {
            assert!(state.iter().zip(&want).all(|(s, w)| (s - w).abs() < 1e-12), "{:?} {:?}", &state[..3], &want[..3]);
        }
    }

    #[test]
    fn plain_steps() {
        check([VAR], [[0.9, 2.2, -3.02]], |[v], g| f64::gradient_descent(v, 0.1, g));
        let accum = [1.031, -1.738, 0.433];
        check([VAR, A], [[0.8379, 2.2558, -3.0803], accum], |[v, a], g| f64::momentum(v, a, 0.1, g, 0.9, false));
        check([VAR, A], [[0.75411, 2.43022, -3.09227], accum], |[v, a], g| f64::momentum(v, a, 0.1, g, 0.9, true));
        let want = [0.8086530304458477, 2.0382693939108303, -2.8086530304458472];
        check([VAR], [want], |[v], g| f64::proximal_gradient_descent(v, 0.1, 0.2, 0.3, g));
    }

    #[test]
    fn adaptive_steps() {
        let accum = [0.6, 2.2, 0.32];
        let want = [0.8509348520903581, 2.158707079163852, -3.035638199732341];
        check([VAR, A], [want, accum], |[v, a], g| f64::adagrad(v, a, 0.1, g, true));
        check([VAR, A], [want, accum], |[v, a], g| f64::adagrad_v2(v, a, 0.1, 0.0, g, true));
        let want = [0.683772233983162, 2.4472135954999583, -3.0365148371670108];
        check([VAR, A], [want, A], |[v, a], g| f64::adagrad(v, a, 0.1, g, false));
        let want = [0.7208393062545081, 2.0306351181200606, -2.6702863532332266];
        check([VAR, A], [want, accum], |[v, a], g| f64::proximal_adagrad(v, a, 0.1, 0.2, 0.3, g));
        let want = [
            [0.7922096256249481, 2.1890241842870397, -3.0332305360882774],
            [0.1285, 0.352, 0.2449],
            [0.6100867893755825, 0.37221832689806733, 0.6127452397256179],
        ];
        check([VAR, A, B], want, |[v, a, u], g| f64::adadelta(v, a, u, 0.1, 0.9, 1e-3, g));
    }

    #[test]
    fn adam_steps() {
        let rule = Adam {
            beta1_power: 0.9,
            beta2_power: 0.999,
            lr: 0.1,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-3,
            nesterov: false,
        };
        let (m, v) = ([0.176, -0.028, 0.262], [0.49950025, 0.25149925, 0.74852074]);
        let var = [0.9858825209884354, 1.99672007274245, -3.019782678182378];
        check([VAR, A, B], [var, m, v], |[x, m, v], g| f64::adam(x, m, v, rule, g));
        let var = [0.9828267757539396, 2.0096436964351394, -3.018534404464943];
        let rule = Adam { nesterov: true, ..rule };
        check([VAR, A, B], [var, m, v], |[x, m, v], g| f64::adam(x, m, v, rule, g));
    }

    #[test]
    fn rmsprop_steps() {
        let rule = RmsProp { lr: 0.1, rho: 0.9, momentum: 0.5, epsilon: 1e-3 };
        let ms = [0.4525, 0.3925, 0.6094];
        let want = [
            [0.7420455122602237, 2.2721279719081426, -3.256029922640903],
            ms,
            [0.1354831082832202, -0.19698561088212752, 0.09387630229778657],
        ];
        check([VAR, B, A], want, |[v, ms, mom], g| f64::rmsprop(v, ms, mom, rule, g));
        let want = [
            [0.7394498635340105, 2.281374981080098, -3.2560424920217113],
            [0.1355, -0.1738, 0.0271],
            ms,
            [0.13738179868654027, -0.2043979671670938, 0.0938856300150924],
        ];
        check([VAR, [0.05, 0.02, 0.01], B, A], want, |[v, mg, ms, mom], g| {
            f64::centered_rmsprop(v, mg, ms, mom, rule, g)
        });
    }

    #[test]
    fn ftrl_steps() {
        let rule = Ftrl { lr: 0.1, l1: 0.2, l2: 0.3, l2_shrinkage: 0.0, lr_power: -0.5, multiply_linear_by_lr: false };
        let shrinking = Ftrl { l2_shrinkage: 0.05, ..rule };
        let cases = [
            (
                rule,
                [0.1785474060043193, 1.2344458573882289, -0.1654071761939539],
                [-1.690150703529117, -19.25045851436112, 1.234928593265675],
            ),
            (
                Ftrl { lr_power: -0.7, ..rule },
                [0.23076302948438157, 1.4593510435367505, -0.2093741716681609],
                [-1.9523410411410644, -26.418472092612262, 1.2686601099277504],
            ),
            (
                shrinking,
                [0.16052748884621756, 1.2096695063529121, -0.11515639680246026],
                [-1.5397570751275254, -18.868100029612194, 0.920516790689704],
            ),
            (
                Ftrl { multiply_linear_by_lr: true, ..rule },
                [-0.45066527040181303, 1.0397157078752526, -1.2598069623918207],
                [0.3961237336201657, -1.6245305544233242, 0.8082428546181352],
            ),
            (
                Ftrl { multiply_linear_by_lr: true, ..shrinking },
                [-0.46114606477647513, 1.0162011838253264, -1.1920649686846563],
                [0.4048709696962635, -1.5882420074435613, 0.7658576764985594],
            ),
        ];
        for (rule, var, linear) in cases {
            check([VAR, A, B], [var, [0.6, 2.2, 0.32], linear], |[v, a, l], g| f64::ftrl(v, a, l, rule, g));
        }
    }
}
