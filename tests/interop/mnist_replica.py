"""The documents' distributed MNIST program: one hidden layer, Adam, variables on parameter servers, a client a worker.

It trains asynchronously or with SyncReplicasOptimizer, under a Supervisor or a MonitoredTrainingSession, on servers that
exist already or on one that it starts in its own process, as the documents' script does.

usage: mnist_replica.py --ps_hosts=HOST:PORT,.. --worker_hosts=HOST:PORT,.. --task_index=N --folder=FOLDER [...]
"""

import argparse
import dataclasses
import json
import math
import os
import sys
import time

import numpy as np

from mnist_data import batches, digits
from server import tf

v1 = tf.compat.v1


@dataclasses.dataclass
class Settings:
    cluster: dict
    # Checkpoints and events go there; workers meet there, too.
    folder: str
    task: int = 0
    # How many replicas are aggregated; 0 trains asynchronously.
    sync: int = 0
    # Tokens that workers may take before the first update; None leaves it to TensorFlow.
    tokens: int | None = None
    resource: bool = False
    monitored: bool = False
    steps: int = 100
    target: str | None = None

    @property
    def chief(self):
        return self.task == 0

    @property
    def workers(self):
        return len(self.cluster["worker"])


@dataclasses.dataclass
class Outcome:
    first_step: int
    losses: list
    accuracy: float
    # The variables as the session has them in the end.
    values: dict


class Model:
    def __init__(self, settings):
        v1.set_random_seed(7)
        setter = v1.train.replica_device_setter(
            worker_device=f"/job:worker/task:{settings.task}/gpu:0",
            ps_device="/job:ps/cpu:0",
            cluster=tf.train.ClusterSpec(settings.cluster),
        )
        with v1.device(setter):

            def variable(initial, name):
                return v1.Variable(initial, name=name, use_resource=settings.resource)

            if settings.monitored:
                self.global_step = v1.train.get_or_create_global_step()
            else:
                self.global_step = v1.Variable(0, name="global_step", trainable=False, use_resource=settings.resource)
            hid_w = variable(v1.truncated_normal([784, 100], stddev=1.0 / 28), "hid_w")
            hid_b = variable(tf.zeros([100]), "hid_b")
            sm_w = variable(v1.truncated_normal([100, 10], stddev=1.0 / math.sqrt(100)), "sm_w")
            sm_b = variable(tf.zeros([10]), "sm_b")
            self.variables = {"hid_w": hid_w, "hid_b": hid_b, "sm_w": sm_w, "sm_b": sm_b, "global_step": self.global_step}
            self.x, self.y_ = v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])
            hid = tf.nn.relu(v1.nn.xw_plus_b(self.x, hid_w, hid_b))
            y = tf.nn.softmax(v1.nn.xw_plus_b(hid, sm_w, sm_b))
            self.loss = -tf.reduce_sum(self.y_ * v1.log(tf.clip_by_value(y, 1e-10, 1.0)))
            self.accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(self.y_, 1)), tf.float32))
            v1.summary.scalar("cross_entropy", self.loss)
            v1.summary.histogram("biases", hid_b)
            self.summary = v1.summary.merge_all()
            self.optimizer = v1.train.AdamOptimizer(0.01)
            if settings.sync:
                self.optimizer = v1.train.SyncReplicasOptimizer(
                    self.optimizer,
                    replicas_to_aggregate=settings.sync,
                    total_num_replicas=settings.workers,
                    name="mnist_sync_replicas",
                )
            self.train = self.optimizer.minimize(self.loss, global_step=self.global_step)
        with v1.device(self.global_step.device):
            # The queue from which workers of a synchronous training take their permission for the next step. One that
            # has finished gives its permission to the others, with a number that is never too old.
            tokens = tf.queue.FIFOQueue(-1, [self.global_step.dtype.base_dtype], shapes=[[]], shared_name="sync_token_q")
            self.pass_on = tokens.enqueue(self.global_step + 1_000_000)


def train(settings):
    """One worker's part of the training."""
    with tf.Graph().as_default():
        model = Model(settings)
        config = v1.ConfigProto(
            allow_soft_placement=True,
            log_device_placement=False,
            device_filters=["/job:ps", f"/job:worker/task:{settings.task}"],
        )
        target = settings.target or "grpc://" + settings.cluster["worker"][settings.task]
        return (monitored if settings.monitored else supervised)(settings, model, target, config)


def supervised(settings, model, target, config):
    tokens = -1 if settings.tokens is None else settings.tokens
    if settings.sync and settings.chief:
        queue_runner = model.optimizer.get_chief_queue_runner()
        init_tokens = model.optimizer.get_init_tokens_op(tokens)
    supervisor = v1.train.Supervisor(
        is_chief=settings.chief,
        logdir=settings.folder,
        init_op=v1.global_variables_initializer(),
        summary_op=None,
        recovery_wait_secs=1,
        global_step=model.global_step,
        save_model_secs=0,
    )
    session = supervisor.prepare_or_wait_for_session(target, config=config)
    if settings.sync and settings.chief:
        supervisor.start_queue_runners(session, [queue_runner])
        session.run(init_tokens)

    def summarize(feed):
        supervisor.summary_computed(session, session.run(model.summary, feed))

    outcome = loop(settings, model, session, session, summarize if settings.chief else None)
    if settings.chief:
        supervisor.saver.save(session, supervisor.save_path, global_step=int(outcome.values["global_step"]))
    # The queue runner waits for gradients that will not come; closing the session ends its step.
    supervisor.request_stop()
    session.close()
    supervisor.stop()
    return outcome


def monitored(settings, model, target, config):
    if not settings.chief:
        # Otherwise a worker that finds nothing initialized looks again only after half a minute.
        meet(settings, "ready-0")
    hooks = []
    if settings.sync:
        tokens = -1 if settings.tokens is None else settings.tokens
        hooks.append(model.optimizer.make_session_run_hook(settings.chief, num_tokens=tokens))
    training = v1.train.MonitoredTrainingSession(
        master=target,
        is_chief=settings.chief,
        checkpoint_dir=settings.folder,
        hooks=hooks,
        save_checkpoint_secs=None,
        save_checkpoint_steps=40,
        save_summaries_steps=20,
        log_step_count_steps=20,
        stop_grace_period_secs=1,
        config=config,
    )
    with training as session:
        raw = session._tf_sess()
        return loop(settings, model, session, raw, None)


def loop(settings, model, session, plain, summarize):
    """Trains; `plain` is the session without hooks."""
    show(settings, f"ready-{settings.task}")
    first_step = int(plain.run(model.global_step))
    data = batches(digits("train", 20000), 100, begin=settings.task * 100)
    losses = []
    for local_step in range(settings.steps):
        images, labels = next(data)
        feed = {model.x: images, model.y_: labels}
        _, loss = session.run([model.train, model.loss], feed)
        losses.append(float(loss))
        if summarize and local_step % 20 == 0:
            summarize(feed)
    if settings.sync:
        plain.run(model.pass_on)
    # The chief serves the others until all are done.
    show(settings, f"trained-{settings.task}")
    for task in range(settings.workers):
        meet(settings, f"trained-{task}")
    if settings.sync and settings.chief:
        settle(plain, model.global_step)
    images, labels = digits("t10k", 1000)
    feed = {model.x: images, model.y_: labels}
    accuracy = plain.run(model.accuracy, feed)
    return Outcome(first_step, losses, float(accuracy), plain.run(model.variables))


def settle(session, global_step):
    """Waits until the chief's queue runner has applied the last gradients."""
    last, since = None, time.monotonic()
    while time.monotonic() - since < 0.3:
        step = session.run(global_step)
        if step != last:
            last, since = step, time.monotonic()
        time.sleep(0.02)


def show(settings, sign):
    open(os.path.join(settings.folder, f"sign-{sign}"), "w").close()


def meet(settings, sign):
    deadline = time.monotonic() + 60
    while not os.path.exists(os.path.join(settings.folder, f"sign-{sign}")):
        if time.monotonic() > deadline:
            raise TimeoutError(f"worker {settings.task} waited in vain for '{sign}'")
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ps_hosts", required=True)
    parser.add_argument("--worker_hosts", required=True)
    parser.add_argument("--job_name", default="worker")
    parser.add_argument("--task_index", type=int, required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--existing_servers", action="store_true")
    parser.add_argument("--sync_replicas", action="store_true")
    parser.add_argument("--replicas_to_aggregate", type=int)
    parser.add_argument("--tokens", type=int)
    parser.add_argument("--resource", action="store_true")
    parser.add_argument("--monitored", action="store_true")
    parser.add_argument("--train_steps", type=int, default=100)
    flags = parser.parse_args()
    cluster = {"ps": flags.ps_hosts.split(","), "worker": flags.worker_hosts.split(",")}
    target = None
    if not flags.existing_servers:
        server = tf.distribute.Server(cluster, job_name=flags.job_name, task_index=flags.task_index)
        target = server.target
        if flags.job_name == "ps":
            server.join()
    aggregate = flags.replicas_to_aggregate or len(cluster["worker"])
    outcome = train(
        Settings(
            cluster,
            flags.folder,
            task=flags.task_index,
            sync=aggregate if flags.sync_replicas else 0,
            tokens=flags.tokens,
            resource=flags.resource,
            monitored=flags.monitored,
            steps=flags.train_steps,
            target=target,
        )
    )
    answer = {"first_step": outcome.first_step, "losses": outcome.losses, "accuracy": outcome.accuracy}
    answer["global_step"] = int(np.asarray(outcome.values["global_step"]))
    print(json.dumps(answer), flush=True)
    # A TensorFlow server cannot be stopped, so the interpreter would not end by itself; and others may still need it.
    show(Settings(cluster, flags.folder, task=flags.task_index), f"over-{flags.task_index}")
    for task in range(len(cluster["worker"])):
        meet(Settings(cluster, flags.folder, task=flags.task_index), f"over-{task}")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
