"""Random numbers that follow from a seed, from a key and a counter, or from a variable; gamma and Poisson distributions."""

import numpy as np
from judge import tf

from .scenario import *


def u64(*items):
    return np.array(items, np.uint64)


def record(f):
    for kind in [np.int32, np.int64]:
        f.case("StatelessRandomGetKeyCounter", np.array([1, 2], kind))
        f.case("StatelessRandomGetKeyCounterAlg", np.array([-7, 2**31 - 1], kind))
    f.case("StatelessRandomGetKeyCounter", i64(1, 2, 3))
    f.case("StatelessRandomGetAlg")
    key, counter, alg = u64(7), u64(3, 5), scalar(1)
    for dtype in [tf.float32, tf.float64, tf.float16, tf.bfloat16]:
        for op in ["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"]:
            tol = None if "Uniform" in op else 1e-5
            f.case(op, i32(2, 5), i64(1, 2), dtype=dtype, tol=tol)
            f.case(op, i64(7), i32(-3, 9), dtype=dtype, tol=tol)
            f.case(op + "V2", i32(2, 5), key, counter, alg, dtype=dtype, tol=tol)
    for op in ["StatelessRandomUniform", "StatelessRandomNormal"]:
        f.case(op, i32(3), i64(1))
        f.case(op, i32(-3), i64(1, 2))
        f.case(op, scalar(3), i64(1, 2))
        f.case(op, i32(0), i64(1, 2))
        for number in [0, 1, 2, 3, 4]:
            f.case(op + "V2", i32(3), key, counter, scalar(number))
        f.case(op + "V2", i32(3), u64(1, 2), counter, alg)
        f.case(op + "V2", i32(3), key, counter, i32(1), phrase="")
    for kind, dtype in [(np.int32, tf.int32), (np.int64, tf.int64), (np.uint32, tf.uint32), (np.uint64, tf.uint64)]:
        f.case("StatelessRandomUniformFullInt", i32(7), i64(1, 2), dtype=dtype)
        f.case("StatelessRandomUniformFullIntV2", i32(2, 3), key, counter, alg, dtype=dtype)
        f.case("StatelessRandomUniformInt", i32(7), i64(1, 2), scalar(3, kind), scalar(100, kind))
        f.case("StatelessRandomUniformIntV2", i32(7), key, counter, alg, scalar(3, kind), scalar(100, kind))
    f.case("StatelessRandomUniformFullInt", i32(3), u64(1, 2), dtype=tf.int32)
    f.case("StatelessRandomUniformInt", i32(3), i64(1, 2), scalar(3), scalar(3))
    f.case("StatelessRandomUniformInt", i32(3), i64(1, 2), i32(3), scalar(5))
    for value in [np.arange(6, dtype=np.int32), values((4, 3)), values((5,), object), scalar(1, np.float32), values((0, 2))]:
        f.case("StatelessShuffle", value, key, counter, alg)
    for dtype in [np.float32, np.float64, np.float16]:
        for alpha in [np.array([0.5, 1, 3, 0.125], dtype), np.array([[2.5]], dtype), scalar(10, dtype)]:
            f.case("RandomGamma", i32(3, 2), alpha, seed=1, seed2=2, tol=1e-3 if dtype == np.float16 else 1e-5)
            whole = np.array([3, *alpha.shape], np.int32)
            f.case("StatelessRandomGammaV2", whole, i64(1, 2), alpha, tol=1e-3 if dtype == np.float16 else 1e-5)
            f.case("StatelessRandomGammaV3", whole, key, counter, alg, alpha, tol=1e-3 if dtype == np.float16 else 1e-5)
        for rate in [np.array([0.5, 1, 3, 30], dtype), scalar(100, dtype)]:
            for out in [tf.int32, tf.int64, tf.float32, tf.float64, tf.float16]:
                f.case("RandomPoissonV2", i32(3, 2), rate, seed=1, seed2=2, dtype=out)
                f.case("StatelessRandomPoisson", np.array([5, *rate.shape], np.int32), i64(1, 2), rate, dtype=out)
    f.case("RandomGamma", i32(2), f32(-1, 0, nan), seed=1, seed2=2, grad=False)
    f.case("RandomGamma", scalar(2), f32(1), seed=1, seed2=2)
    f.case("StatelessRandomGammaV2", i32(2), i64(1, 2), f32(1, 2, 3))
    f.case("StatelessRandomPoisson", i32(2), i64(1, 2), f32(1, 2, 3), dtype=tf.int32)
    f.case("RandomPoissonV2", i32(3), scalar(4), seed=1, seed2=2, dtype=tf.int32)
    for dtype in FLOATS:
        f.case("StatelessMultinomial", values((2, 4), dtype), scalar(8), i64(1, 2))
    f.case("StatelessMultinomial", values((2, 4)), scalar(5), i32(1, 2), output_dtype=tf.int32)
    f.case("StatelessMultinomial", values((2, 4)), scalar(-1), i64(1, 2))
    f.case("NonDeterministicInts", i64(2, 3), dtype=tf.int32, mode="shape")

    with f.scenario("StatefulUniform/state") as s:
        state = v1.get_variable("state", initializer=i64(1, 2, 3), use_resource=True)
        read = state.read_value()
        s.run(targets=[state.initializer])
        shape = tf.constant([5], tf.int64)
        alg = tf.constant(1, tf.int64)
        r = tf.raw_ops
        drawn = [r.StatefulUniform(resource=state.handle, algorithm=alg, shape=shape, dtype=tf.float32),
                 r.StatefulStandardNormalV2(resource=state.handle, algorithm=alg, shape=shape, dtype=tf.float64),
                 r.StatefulTruncatedNormal(resource=state.handle, algorithm=alg, shape=shape, dtype=tf.float32),
                 r.StatefulUniformFullInt(resource=state.handle, algorithm=alg, shape=shape, dtype=tf.uint64),
                 r.StatefulUniformInt(resource=state.handle, algorithm=alg, shape=shape, minval=tf.constant(-5), maxval=tf.constant(50)),
                 r.RngReadAndSkip(resource=state.handle, alg=tf.constant(1), delta=tf.constant(5, tf.uint64))]
        skip = r.RngSkip(resource=state.handle, algorithm=alg, delta=tf.constant(7, tf.int64))
        wrong = [r.StatefulUniform(resource=state.handle, algorithm=tf.constant(9, tf.int64), shape=shape, dtype=tf.float32),
                 r.StatefulUniformInt(resource=state.handle, algorithm=alg, shape=shape, minval=tf.constant(5), maxval=tf.constant(5))]
        for output in drawn:
            s.run([output], tol=1e-5)
            s.run([read])
        s.run(targets=[skip])
        s.run([read])
        for output in wrong:
            s.run([output])
