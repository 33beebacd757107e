"""The Python worker of a job that it shares with others, under the real TensorFlow or under our Python package: the graph is that
of the Rust worker in `tests/src/shared_worker.rs`.

usage, for our package: shared_worker.py TARGET TASK ref|resource async|sync
"""

import sys

STEPS = 20
RATE = 0.125


def variables(v1, resource):
    zeros = v1.zeros_initializer()
    w = v1.get_variable("w", [2], initializer=zeros, use_resource=resource)
    table = v1.get_variable("table", [4, 2], initializer=zeros, use_resource=resource)
    return w, table, v1.train.get_or_create_global_step()


def python_worker(v1, target, task, resource, sync):
    with v1.Graph().as_default():
        worker = f"/job:worker/task:{task}"
        with v1.device(v1.train.replica_device_setter(ps_tasks=2, worker_device=worker)):
            w, table, step = variables(v1, resource)
            x = v1.constant([1.0, 3.0] if task == 0 else [3.0, 5.0])
            loss = v1.reduce_sum(w * x) + v1.reduce_sum(v1.gather(table, v1.constant([0, 1, 1])))
            hooks = []
            if sync:
                optimizer = v1.train.SyncReplicasOptimizer(v1.train.AdamOptimizer(0.01), 2)
                train = optimizer.minimize(loss, global_step=step)
                hooks = [optimizer.make_session_run_hook(task == 0), v1.train.StopAtStepHook(last_step=STEPS)]
            else:
                train = v1.train.GradientDescentOptimizer(RATE).minimize(loss, global_step=step)
        config = v1.ConfigProto(device_filters=["/job:ps", worker])
        made = 0
        # TensorFlow's chief cannot end its queue runner, which waits for gradients: it only stops waiting for it.
        options = dict(hooks=hooks, config=config, stop_grace_period_secs=2)
        with v1.train.MonitoredTrainingSession(target, is_chief=task == 0, **options) as session:
            while not session.should_stop() and (sync or made < STEPS):
                session.run(train)
                made += 1
        return made


if __name__ == "__main__":
    import tensorfleet.v1

    target, task, kind, mode = sys.argv[1:]
    if kind == "resource":
        tensorfleet.v1.enable_resource_variables()
    print(python_worker(tensorfleet.v1, target, int(task), kind == "resource", mode == "sync"))
