"""Recurrent cells as one op, and samplers that draw by weights."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    lstm(f)
    gru(f)
    samplers(f)


def small(shape, seed, dtype=np.float32):
    return (np.random.RandomState(seed).randn(*shape) * 0.5).astype(dtype)


def lstm(f):
    for dtype in [np.float32, np.float16]:
        tol = 1e-2 if dtype == np.float16 else 1e-5
        for peephole in [False, True]:
            for clip in [0.25, -1.0]:
                weights = [small((5, 8), 3, dtype), small((2,), 4, dtype), small((2,), 5, dtype), small((2,), 6, dtype), small((8,), 7, dtype)]
                state = [small((4, 2), 1, dtype), small((4, 2), 2, dtype)]
                f.case("LSTMBlockCell", small((4, 3), 0, dtype), *state, *weights, use_peephole=peephole, cell_clip=clip, forget_bias=0.5, tol=tol)
                if dtype == np.float32:
                    with f.scenario("LSTMBlockCellGrad") as s:
                        step = tf.raw_ops.LSTMBlockCell(x=small((4, 3), 0), cs_prev=state[0], h_prev=state[1], w=weights[0], wci=weights[1], wcf=weights[2], wco=weights[3], b=weights[4], use_peephole=peephole, cell_clip=clip)
                        grads = tf.raw_ops.LSTMBlockCellGrad(x=small((4, 3), 0), cs_prev=state[0], h_prev=state[1], w=weights[0], wci=weights[1], wcf=weights[2], wco=weights[3], b=weights[4],
                                                             i=step.i, cs=step.cs, f=step.f, o=step.o, ci=step.ci, co=step.co, cs_grad=small((4, 2), 8), h_grad=small((4, 2), 9), use_peephole=peephole)
                        s.run(list(grads) if peephole else list(grads)[:2], tol=1e-4)
                for op in ["BlockLSTM", "BlockLSTMV2"]:
                    f.case(op, scalar(3, np.int64), small((3, 4, 3), 10, dtype), *state, *weights, use_peephole=peephole, cell_clip=clip,
                           tol=2e-2 if dtype == np.float16 else 1e-4, grad=dtype == np.float32 and op == "BlockLSTM" and peephole)
    weights = [small((5, 8), 3), small((2,), 4), small((2,), 5), small((2,), 6), small((8,), 7)]
    f.case("LSTMBlockCell", small((4, 3), 0), small((4, 2), 1), small((3, 2), 2), *weights, phrase="")
    f.case("LSTMBlockCell", small((4, 4), 0), small((4, 2), 1), small((4, 2), 2), *weights, phrase="")
    f.case("BlockLSTM", scalar(3, np.int64), small((3, 4, 4), 0), small((4, 2), 1), small((4, 2), 2), *weights, phrase="")
    with f.scenario("BlockLSTM/short") as s:
        out = tf.raw_ops.BlockLSTM(seq_len_max=tf.constant(2, tf.int64), x=small((3, 4, 3), 10), cs_prev=small((4, 2), 1), h_prev=small((4, 2), 2), w=weights[0], wci=weights[1], wcf=weights[2], wco=weights[3], b=weights[4])
        s.run([out.cs, out.h], tol=1e-5)


def gru(f):
    cell = [small((4, 3), 0), small((4, 2), 1), small((5, 4), 2), small((5, 2), 3), small((4,), 4), small((2,), 5)]
    f.case("GRUBlockCell", *cell, tol=1e-5)
    with f.scenario("GRUBlockCellGrad") as s:
        names = ["x", "h_prev", "w_ru", "w_c", "b_ru", "b_c"]
        inputs = dict(zip(names, cell))
        step = tf.raw_ops.GRUBlockCell(**inputs)
        s.run(list(tf.raw_ops.GRUBlockCellGrad(**inputs, r=step.r, u=step.u, c=step.c, d_h=small((4, 2), 6))), tol=1e-5)
    f.case("GRUBlockCell", *cell[:1], small((3, 2), 1), *cell[2:], phrase="")


def samplers(f):
    classes = np.array([[0], [3], [2]], np.int64)
    for unique in [False, True]:
        for unigrams in [[1.0, 2.0, 3.0, 4.0, 5.0], [0.5, 0.0, 7.0, 1.0, 1.5]]:
            with f.scenario("FixedUnigramCandidateSampler") as s:
                out = tf.raw_ops.FixedUnigramCandidateSampler(true_classes=classes, num_true=1, num_sampled=4, unique=unique, range_max=5,
                                                              unigrams=unigrams, seed=3, seed2=8)
                s.run(list(out), tol=1e-5)
                s.run(list(out), tol=1e-5)
        with f.scenario("FixedUnigramCandidateSampler/distorted", files={"words.csv": b"a,3\nb,1\nc,4\nd,1\n"}) as s:
            out = tf.raw_ops.FixedUnigramCandidateSampler(true_classes=classes, num_true=1, num_sampled=3, unique=unique, range_max=6, distortion=0.75,
                                                          num_reserved_ids=2, unigrams=[3.0, 1.0, 4.0, 1.0], seed=5, seed2=1)
            s.run(list(out), tol=1e-5)
        for op in ["LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"]:
            with f.scenario(op) as s:
                truths = v1.placeholder(tf.int64, [3, 1])
                out = getattr(tf.raw_ops, op)(true_classes=truths, num_true=1, num_sampled=4, unique=unique, range_max=7, seed=3, seed2=8)
                for _ in range(4):
                    s.run(list(out), {truths: classes}, tol=1e-5)
    with f.scenario("FixedUnigramCandidateSampler/wrong") as s:
        out = tf.raw_ops.FixedUnigramCandidateSampler(true_classes=classes, num_true=1, num_sampled=3, unique=True, range_max=4, unigrams=[1.0, 1.0], seed=5, seed2=1)
        s.run(list(out), phrase="")
