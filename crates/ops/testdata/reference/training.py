"""The ops that optimizers apply, for both kinds of variables, dense and sparse; and the optimizers themselves."""

import numpy as np
from judge import tf

from .scenario import *

# name: slots, then the other inputs in order. 'g' is the gradient, a number is a scalar.
DENSE = {
    "GradientDescent": ([], [0.1, "g"], {}),
    "Adagrad": (["accum"], [0.1, "g"], {}),
    "AdagradV2": (["accum"], [0.1, 1e-7, "g"], {}),
    "Momentum": (["accum"], [0.1, "g", 0.9], {}),
    "Adam": (["m", "v"], [0.9, 0.999, 0.01, 0.9, 0.999, 1e-8, "g"], {}),
    "AdaMax": (["m", "v"], [0.9, 0.01, 0.9, 0.999, 1e-8, "g"], {}),
    "RMSProp": (["ms", "mom"], [0.01, 0.9, 0.5, 1e-10, "g"], {}),
    "CenteredRMSProp": (["mg", "ms", "mom"], [0.01, 0.9, 0.5, 0.1, "g"], {}),
    "Adadelta": (["accum", "accum_update"], [1.0, 0.95, 1e-6, "g"], {}),
    "Ftrl": (["accum", "linear"], ["g", 0.1, 0.01, 0.02, -0.5], {}),
    "FtrlV2": (["accum", "linear"], ["g", 0.1, 0.01, 0.02, 0.03, -0.5], {}),
    "AdagradDA": (["gradient_accumulator", "gradient_squared_accumulator"], ["g", 0.1, 0.01, 0.02, np.int64(3)], {}),
    "ProximalAdagrad": (["accum"], [0.1, 0.01, 0.02, "g"], {}),
    "ProximalGradientDescent": ([], [0.1, 0.01, 0.02, "g"], {}),
    "AddSign": (["m"], [0.1, 0.5, 0.9, 0.8, "g"], {}),
    "PowerSign": (["m"], [0.1, 0.5, 0.9, 0.8, "g"], {}),
}
SPARSE = {
    "Adagrad": (["accum"], [0.1, "g", "i"], {}),
    "Momentum": (["accum"], [0.1, "g", "i", 0.9], {}),
    "RMSProp": (["ms", "mom"], [0.01, 0.9, 0.5, 1e-10, "g", "i"], {}),
    "CenteredRMSProp": (["mg", "ms", "mom"], [0.01, 0.9, 0.5, 0.1, "g", "i"], {}),
    "Adadelta": (["accum", "accum_update"], [1.0, 0.95, 1e-6, "g", "i"], {}),
    "Ftrl": (["accum", "linear"], ["g", "i", 0.1, 0.01, 0.02, -0.5], {}),
    "FtrlV2": (["accum", "linear"], ["g", "i", 0.1, 0.01, 0.02, 0.03, -0.5], {}),
    "AdagradDA": (["gradient_accumulator", "gradient_squared_accumulator"], ["g", "i", 0.1, 0.01, 0.02, np.int64(3)], {}),
    "ProximalAdagrad": (["accum"], [0.1, 0.01, 0.02, "g", "i"], {}),
    "ProximalGradientDescent": ([], [0.1, 0.01, 0.02, "g", "i"], {}),
}


def record(f):
    for name, spec in DENSE.items():
        for dtype in [np.float32, np.float64, np.float16, bfloat16]:
            dense(f, name, spec, dtype)
    for name in ["Momentum"]:
        dense(f, name, DENSE[name], np.float32, use_nesterov=True)
        sparse(f, name, SPARSE[name], np.float32, use_nesterov=True)
    dense(f, "Adam", DENSE["Adam"], np.float32, use_nesterov=True)
    dense(f, "Adagrad", DENSE["Adagrad"], np.float32, update_slots=False)
    dense(f, "FtrlV2", DENSE["FtrlV2"], np.float32, multiply_linear_by_lr=True)
    sparse(f, "Adagrad", SPARSE["Adagrad"], np.float32, update_slots=False)
    for name, spec in SPARSE.items():
        for dtype in [np.float32, np.float64]:
            sparse(f, name, spec, dtype)
    sparse(f, "Adagrad", SPARSE["Adagrad"], np.float32, indices=np.int64)
    optimizers(f)


class Slots:
    """A variable and its slots, as references or resources."""

    def __init__(self, names, shape, dtype, use_resource):
        self.names, self.use_resource, self.dtype = ["var", *names], use_resource, tf.as_dtype(dtype)
        make = tf.raw_ops.VarHandleOp if use_resource else tf.raw_ops.VariableV2
        self.handles = [make(shape=shape, dtype=self.dtype, shared_name=name, name=name) for name in self.names]
        start = [values(shape, dtype, seed=k, low=1, high=2) * np.dtype(dtype).type(0.5) for k in range(len(self.names))]
        if use_resource:
            self.init = tf.group(*(tf.raw_ops.AssignVariableOp(resource=h, value=x) for h, x in zip(self.handles, start)))
        else:
            self.init = tf.group(*(v1.assign(h, x).op for h, x in zip(self.handles, start)))

    def read(self):
        if self.use_resource:
            return [tf.raw_ops.ReadVariableOp(resource=h, dtype=self.dtype) for h in self.handles]
        return [tf.identity(h) for h in self.handles]


def build(prefix, name, slots, rest, feeds, dtype, attrs):
    inputs = list(slots.handles)
    for item in rest:
        if isinstance(item, str):
            inputs.append(feeds[item])
        elif isinstance(item, np.int64):
            inputs.append(tf.constant(item))
        else:
            inputs.append(tf.constant(item, tf.as_dtype(dtype)))
    made = node_of(prefix + name, inputs, **attrs)[0]
    return made if isinstance(made, tf.Operation) else made.op


def dense(f, name, spec, dtype, **attrs):
    slots, rest, _ = spec
    for use_resource in [False, True]:
        prefix = "ResourceApply" if use_resource else "Apply"
        with f.scenario(f"{prefix}{name}/{tf.as_dtype(dtype).name}") as s:
            state = Slots(slots, [3], dtype, use_resource)
            g = v1.placeholder(tf.as_dtype(dtype), name="g")
            op = build(prefix, name, state, rest, {"g": g}, dtype, attrs)
            read = state.read()
            tol = None if dtype in (np.float32, np.float64) else 3e-2 if dtype is bfloat16 else 1e-2
            if not use_resource:
                s.run([], {g: values((3,), dtype)}, targets=[op], phrase="")
            s.run([], targets=[state.init])
            for step in range(3):
                s.run([], {g: values((3,), dtype, step)}, targets=[op])
                s.run(read, tol=tol)
            s.run([], {g: np.zeros(3, dtype)}, targets=[op])
            s.run(read, tol=tol)
            s.run([], {g: values((2,), dtype)}, targets=[op], phrase="")
            s.run(read, tol=tol)


def sparse(f, name, spec, dtype, indices=np.int32, **attrs):
    slots, rest, _ = spec
    for use_resource in [False, True]:
        prefix = "ResourceSparseApply" if use_resource else "SparseApply"
        with f.scenario(f"{prefix}{name}/{tf.as_dtype(dtype).name}") as s:
            state = Slots(slots, [4, 2], dtype, use_resource)
            g = v1.placeholder(tf.as_dtype(dtype), name="g")
            i = v1.placeholder(tf.as_dtype(indices), name="i")
            op = build(prefix, name, state, rest, {"g": g, "i": i}, dtype, attrs)
            read = state.read()
            s.run([], targets=[state.init])
            for rows in [[2, 0], [1], [], [3, 3, 1]]:
                s.run([], {g: values((len(rows), 2), dtype, len(rows)), i: np.array(rows, indices)}, targets=[op])
                s.run(read)
            s.run([], {g: values((1, 2), dtype), i: np.array([4], indices)}, targets=[op], phrase="")
            s.run([], {g: values((1, 2), dtype), i: np.array([-1], indices)}, targets=[op], phrase="")
            s.run([], {g: values((2, 2), dtype), i: np.array([1], indices)}, targets=[op], phrase="")


def optimizers(f):
    train = v1.train
    makers = {
        "GradientDescent": lambda: train.GradientDescentOptimizer(0.1),
        "Adagrad": lambda: train.AdagradOptimizer(0.1),
        "Momentum": lambda: train.MomentumOptimizer(0.1, 0.9),
        "Nesterov": lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "Adam": lambda: train.AdamOptimizer(0.05),
        "RMSProp": lambda: train.RMSPropOptimizer(0.05, momentum=0.3),
        "CenteredRMSProp": lambda: train.RMSPropOptimizer(0.05, momentum=0.3, centered=True),
        "Adadelta": lambda: train.AdadeltaOptimizer(0.5),
        "Ftrl": lambda: train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    }
    for name, make in makers.items():
        for use_resource in [False, True]:
            with f.scenario(f"{name}Optimizer/{'resource' if use_resource else 'ref'}") as s:
                v1.set_random_seed(3)
                w = v1.get_variable("w", [2, 1], initializer=v1.truncated_normal_initializer(), use_resource=use_resource)
                b = v1.get_variable("b", initializer=[0.5], use_resource=use_resource)
                step = v1.train.get_or_create_global_step()
                x, y = v1.placeholder(tf.float32, [None, 2], name="x"), v1.placeholder(tf.float32, [None, 1], name="y")
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
                op = make().minimize(loss, global_step=step)
                s.run([], targets=[v1.global_variables_initializer()])
                for k in range(4):
                    s.run([loss], {x: values((4, 2), seed=k), y: values((4, 1), seed=k)}, targets=[op], tol=1e-4)
                s.run([w, b, step], tol=1e-4)
    for name in ["Adagrad", "Momentum", "Adam", "GradientDescent"]:
        for use_resource in [False, True]:
            with f.scenario(f"{name}Optimizer/embedding_{'resource' if use_resource else 'ref'}") as s:
                table = v1.get_variable("table", initializer=values((5, 2)), use_resource=use_resource)
                ids = v1.placeholder(tf.int32, [None], name="ids")
                loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, ids)))
                op = makers[name]().minimize(loss)
                s.run([], targets=[v1.global_variables_initializer()])
                for rows in [[0, 2, 2], [4], [1, 0]]:
                    s.run([loss], {ids: np.array(rows, np.int32)}, targets=[op], tol=1e-4)
                s.run([table], tol=1e-4)
