//! Measures the arithmetic: `cargo run --release -p tensorfleet-math --example speed [filter]`. `TENSORFLEET_MAX_ISA` limits the
//! instructions.

use half::{bf16, f16};
use std::time::Instant;
use tensorfleet_math::broadcast::BroadcastPlan;
use tensorfleet_math::conv::{Conv, ConvGeometry};
use tensorfleet_math::convert;
use tensorfleet_math::elementwise::{Binary, BinaryOp, Unary, UnaryOp};
use tensorfleet_math::gemm::gemm;
use tensorfleet_math::isa::Isa;
use tensorfleet_math::optimize::{Adam, Optimize};
use tensorfleet_math::pool::{Pool, PoolGeometry};
use tensorfleet_math::random::{Philox, Random};
use tensorfleet_math::reduce::{Reduce, ReduceOp, ReducePlan};
use tensorfleet_math::softmax::Softmax;
use tensorfleet_math::threads::parallel_for;

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let run = |name: &str, amount: f64, unit: &str, f: &mut dyn FnMut()| {
        if name.contains(&filter) {
            let seconds = fastest(f);
            println!("{name:<34} {:>9.1} us {:>8.2} {unit}", seconds * 1e6, amount / seconds * 1e-9);
        }
    };
    println!("instructions: {}", Isa::best().name());
    hand_off(&run);
    products(&run);
    convolutions(&run);
    conversions(&run);
    elements(&run);
    training(&run);
}

type Run<'a> = &'a dyn Fn(&str, f64, &str, &mut dyn FnMut());

/// The time of the fastest of many runs, in seconds.
fn fastest(f: &mut dyn FnMut()) -> f64 {
    let (begin, mut best) = (Instant::now(), f64::INFINITY);
    while begin.elapsed().as_secs_f64() < 0.5 {
        let start = Instant::now();
        f();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

fn values(len: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 7919) % 1000) as f32 * 0.002 - 1.0).collect()
}

fn hand_off(run: Run) {
    run("hand-off of an empty loop", 0.0, "", &mut || {
        parallel_for(8, 1, |range| assert!(std::hint::black_box(range).end > 0))
    });
}

fn products(run: Run) {
    let sizes = [
        (100, 784, 100, false, false),
        (100, 100, 10, false, false),
        (784, 100, 100, true, false),
        (100, 10, 100, false, true),
        (128, 3136, 1024, false, false),
        (3136, 128, 1024, true, false),
        (128, 1024, 3136, false, true),
        (256, 256, 256, false, false),
        (1024, 1024, 1024, false, false),
        (1, 1024, 1024, false, false),
        (1024, 1024, 1, false, false),
    ];
    for (m, k, n, at, bt) in sizes {
        let (a, b, mut c) = (values(m * k), values(k * n), vec![0.0; m * n]);
        let name = format!("gemm {m}x{k}x{n}{}{}", if at { " a^T" } else { "" }, if bt { " b^T" } else { "" });
        run(&name, 2.0 * (m * k * n) as f64, "GFLOP/s", &mut || gemm(m, k, n, &a, at, &b, bt, &mut c, false));
    }
    for size in [256, 1024] {
        let work = 2.0 * (size * size * size) as f64;
        let a = values(size * size).into_iter().map(f64::from).collect::<Vec<_>>();
        let mut c = a.clone();
        run(&format!("gemm f64 {size}x{size}x{size}"), work, "GFLOP/s", &mut || {
            gemm(size, size, size, &a, false, &a, false, &mut c, false)
        });
        let a = values(size * size).into_iter().map(f16::from_f32).collect::<Vec<_>>();
        let mut c = a.clone();
        run(&format!("gemm f16 {size}x{size}x{size}"), work, "GFLOP/s", &mut || {
            gemm(size, size, size, &a, false, &a, false, &mut c, false)
        });
        let a = values(size * size).into_iter().map(bf16::from_f32).collect::<Vec<_>>();
        let mut c = a.clone();
        run(&format!("gemm bf16 {size}x{size}x{size}"), work, "GFLOP/s", &mut || {
            gemm(size, size, size, &a, false, &a, false, &mut c, false)
        });
    }
}

fn conversions(run: Run) {
    let len = 1_000_000;
    let (mut single, mut half, mut brain) = (values(len), vec![f16::ZERO; len], vec![bf16::ZERO; len]);
    run("f32 to f16 1000000", len as f64, "Gelem/s", &mut || convert::f32_to_f16(&single, &mut half));
    run("f16 to f32 1000000", len as f64, "Gelem/s", &mut || convert::f16_to_f32(&half, &mut single));
    run("f32 to bf16 1000000", len as f64, "Gelem/s", &mut || convert::f32_to_bf16(&single, &mut brain));
    run("bf16 to f32 1000000", len as f64, "Gelem/s", &mut || convert::bf16_to_f32(&brain, &mut single));
}

/// Same-padded convolutions with stride 1: image size, channels, filter size, output channels.
fn convolutions(run: Run) {
    for (size, inner, filter, outer) in [(28, 1, 5, 32), (14, 32, 5, 64), (28, 32, 3, 32)] {
        let pad = filter / 2;
        let g = ConvGeometry {
            batch: 128,
            in_height: size,
            in_width: size,
            in_channels: inner,
            filter_height: filter,
            filter_width: filter,
            out_channels: outer,
            out_height: size,
            out_width: size,
            stride_height: 1,
            stride_width: 1,
            dilation_height: 1,
            dilation_width: 1,
            pad_top: pad,
            pad_bottom: pad,
            pad_left: pad,
            pad_right: pad,
        };
        let work = 2.0 * (g.output_len() * filter * filter * inner) as f64;
        let (mut input, mut kernel, mut out) = (values(g.input_len()), values(g.filter_len()), values(g.output_len()));
        let name = format!("{filter}x{filter}x{inner}x{outer} {size}x{size} b128");
        let unit = "GFLOP/s";
        run(&format!("conv fwd {name}"), work, unit, &mut || f32::forward(&g, &input, &kernel, &mut out));
        run(&format!("conv bwd_in {name}"), work, unit, &mut || f32::backward_input(&g, &kernel, &out, &mut input));
        run(&format!("conv bwd_f {name}"), work, unit, &mut || f32::backward_filter(&g, &input, &out, &mut kernel));
    }
}

fn elements(run: Run) {
    for len in [1000usize, 100_000, 1_000_000] {
        let (a, b, mut out) = (values(len), values(len), vec![0.0; len]);
        for op in [
            UnaryOp::Relu,
            UnaryOp::Exp,
            UnaryOp::Log,
            UnaryOp::Tanh,
            UnaryOp::Sigmoid,
            UnaryOp::Softplus,
            UnaryOp::Log1p,
            UnaryOp::Elu,
        ] {
            run(&format!("{op:?} {len}"), len as f64, "Gelem/s", &mut || f32::unary(op, &a, &mut out));
        }
        let plan = BroadcastPlan::new(&[len as i64], &[len as i64]).unwrap();
        for op in [BinaryOp::Add, BinaryOp::Maximum, BinaryOp::ReluGrad] {
            run(&format!("{op:?} {len}"), len as f64, "Gelem/s", &mut || f32::binary(op, &plan, &a, &b, &mut out));
        }
        let rows = len as i64 / 100;
        let plan = BroadcastPlan::new(&[rows, 100], &[100]).unwrap();
        run(&format!("bias [{rows},100]"), len as f64, "Gelem/s", &mut || {
            f32::binary(BinaryOp::Add, &plan, &a, &b[..100], &mut out)
        });
        for (axes, name) in [(&[0usize, 1][..], "all"), (&[0], "outer"), (&[1], "inner")] {
            let plan = ReducePlan::new(&[rows, 100], axes);
            let mut out = vec![0.0; plan.out_len()];
            for op in [ReduceOp::Sum, ReduceOp::Max] {
                run(&format!("{op:?} [{rows},100] {name}"), len as f64, "Gelem/s", &mut || {
                    f32::reduce(op, &plan, &a, &mut out)
                });
            }
        }
        for classes in [10, 1000] {
            let name = format!("softmax [{},{classes}]", len / classes);
            run(&name, len as f64, "Gelem/s", &mut || f32::softmax(classes, &a, &mut out));
        }
    }
}

fn training(run: Run) {
    let g = PoolGeometry {
        batch: 128,
        in_height: 28,
        in_width: 28,
        channels: 32,
        window_height: 2,
        window_width: 2,
        stride_height: 2,
        stride_width: 2,
        pad_top: 0,
        pad_left: 0,
        out_height: 14,
        out_width: 14,
    };
    let (input, mut out, mut back) = (values(g.input_len()), values(g.output_len()), values(g.input_len()));
    let amount = g.input_len() as f64;
    run("max pool 28x28x32 b128", amount, "Gelem/s", &mut || f32::max_pool(&g, &input, &mut out));
    run("max pool grad 28x28x32 b128", amount, "Gelem/s", &mut || f32::max_pool_grad(&g, &input, &out, &mut back));
    run("avg pool 28x28x32 b128", amount, "Gelem/s", &mut || f32::avg_pool(&g, &input, &mut out));
    let len = 1_000_000;
    let [mut var, mut m, mut v] = [(); 3].map(|()| vec![0.5f32; len]);
    let grad = values(len);
    let rule =
        Adam { beta1_power: 0.9, beta2_power: 0.99, lr: 1e-3, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, nesterov: false };
    run("adam 1000000", len as f64, "Gelem/s", &mut || f32::adam(&mut var, &mut m, &mut v, rule, &grad));
    run("gradient descent 1000000", len as f64, "Gelem/s", &mut || f32::gradient_descent(&mut var, 1e-9, &grad));
    let philox = Philox::new(1, 2);
    run("random uniform 1000000", len as f64, "Gelem/s", &mut || f32::uniform(philox, &mut var));
    run("random normal 1000000", len as f64, "Gelem/s", &mut || f32::normal(philox, &mut var));
    run("random truncated normal 1000000", len as f64, "Gelem/s", &mut || f32::truncated_normal(philox, &mut var));
}
