"""The documents' distributed MNIST program with clients of the real TensorFlow on clusters of our servers.

usage: replica.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import concurrent.futures
import dataclasses
import glob
import json
import os
import shutil
import sys
import tempfile

import numpy as np

from checks import run_cases
from mnist_replica import Outcome, Settings, train
from server import reference_cluster, serving_cluster, start, tf

v1 = tf.compat.v1
BINARY = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
# The loss of a batch of 100 when nothing is known yet. A worker that comes late may never see it.
UNTRAINED = 100 * np.log(10)


def trained(settings):
    """Trains with all workers of the cluster, each in a thread of its own; gives what the chief and the others got."""
    with concurrent.futures.ThreadPoolExecutor(settings.workers) as pool:
        parts = [pool.submit(train, dataclasses.replace(settings, task=task)) for task in range(settings.workers)]
        return [part.result() for part in parts]


def case(wanted_accuracy, ps=1, workers=2, **options):
    """Trains, checks what was learnt, what was saved and what was summarized, and goes on from the checkpoint."""

    def check():
        folder = tempfile.mkdtemp(prefix="replica-")
        try:
            with serving_cluster(BINARY, ps=ps, worker=workers) as cluster:
                settings = Settings(cluster, folder, **options)
                outcomes = trained(settings)
            chief = outcomes[0]
            assert np.mean(chief.losses[-5:]) < 0.35 * UNTRAINED, chief.losses
            for outcome in outcomes:
                assert outcome.accuracy >= wanted_accuracy, outcome.accuracy
            check_global_step(settings, chief)
            check_checkpoint(folder, chief)
            check_summaries(folder, settings)
            check_recovery(settings, chief)
            return f"accuracy {chief.accuracy:.3f} after {chief.values['global_step']} steps"
        finally:
            shutil.rmtree(folder)

    return check


def check_global_step(settings, chief):
    steps, total = int(chief.values["global_step"]), settings.workers * settings.steps
    if settings.sync == 0:
        assert steps == total, steps
    elif settings.sync == settings.workers:
        assert steps == settings.steps, steps
    else:
        # Late gradients are dropped, and every update takes at least the wanted number.
        assert settings.steps // 2 <= steps <= total // settings.sync, steps


def check_checkpoint(folder, chief):
    reader = tf.train.load_checkpoint(folder)
    names = set(reader.get_variable_to_shape_map())
    assert {"hid_w", "hid_w/Adam", "sm_b/Adam_1", "beta1_power", "global_step"} <= names, names
    for name, value in chief.values.items():
        saved = reader.get_tensor(name)
        assert saved.dtype == value.dtype and np.array_equal(saved, value), name


def check_summaries(folder, settings):
    """Events as TensorFlow's reader sees them: the graph, the loss and the histogram."""
    losses, histograms, graphs = [], [], 0
    for path in glob.glob(os.path.join(folder, "events.*")):
        for event in v1.train.summary_iterator(path):
            graphs += event.HasField("graph_def")
            for value in event.summary.value:
                if value.tag == "cross_entropy":
                    losses.append(value.simple_value)
                elif value.tag == "biases":
                    histograms.append(value.histo)
    assert graphs >= 1, graphs
    assert len(losses) >= 2 and np.isfinite(losses).all() and min(losses) < 0.6 * UNTRAINED, losses
    assert all(histogram.num == 100 for histogram in histograms) and len(histograms) == len(losses), histograms


def check_recovery(settings, before):
    """A new cluster, which knows nothing, goes on from the checkpoint; one worker is enough to show it."""
    for sign in glob.glob(os.path.join(settings.folder, "sign-*")):
        os.remove(sign)
    with serving_cluster(BINARY, ps=len(settings.cluster["ps"]), worker=1) as cluster:
        again = dataclasses.replace(settings, cluster=cluster, sync=min(settings.sync, 1), steps=5)
        (outcome,) = trained(again)
    assert outcome.first_step == before.values["global_step"], outcome.first_step
    assert outcome.losses[0] < 0.5 * UNTRAINED, outcome.losses


def same_as_reference(**options):
    """Where nothing is left to chance, our servers give the losses of TensorFlow's."""

    def check():
        results = []
        for cluster in (serving_cluster(BINARY, ps=2, worker=1), reference_cluster(ps=2, worker=1)):
            with cluster as cluster, tempfile.TemporaryDirectory() as folder:
                results.append(train(Settings(cluster, folder, steps=25, **options)))
        ours, theirs = results
        assert isinstance(ours, Outcome) and len(ours.losses) == 25
        np.testing.assert_allclose(ours.losses, theirs.losses, rtol=2e-3)
        np.testing.assert_allclose(ours.values["sm_w"], theirs.values["sm_w"], atol=2e-3)
        assert ours.values["global_step"] == theirs.values["global_step"] == 25
        return f"last loss {ours.losses[-1]:.4f}, TensorFlow's {theirs.losses[-1]:.4f}"

    return check


def separate_processes():
    """A client process for each worker, as in production."""
    with serving_cluster(BINARY, ps=2, worker=2) as cluster, tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, os.path.join(HERE, "mnist_replica.py"), "--existing_servers", "--folder", folder]
        command += ["--ps_hosts", ",".join(cluster["ps"]), "--worker_hosts", ",".join(cluster["worker"])]
        clients = [start([*command, "--task_index", str(task)]) for task in range(2)]
        answers = [json.loads(client.communicate(timeout=60)[0]) for client in clients]
    assert all(answer["accuracy"] >= 0.88 for answer in answers), answers
    assert answers[0]["global_step"] == 200, answers
    return f"accuracy {answers[0]['accuracy']:.3f}"


CASES = [
    ("async, Supervisor, ref", case(0.88)),
    ("async, MonitoredTrainingSession, resource", case(0.88, ps=2, monitored=True, resource=True)),
    ("async, MonitoredTrainingSession, ref", case(0.88, ps=2, monitored=True)),
    ("sync 2 of 2, Supervisor, ref", case(0.88, sync=2, tokens=0)),
    ("sync 2 of 2, Supervisor, resource", case(0.88, ps=2, sync=2, tokens=0, resource=True)),
    ("sync 1 of 2, Supervisor, ref", case(0.85, sync=1)),
    ("sync 2 of 2, MonitoredTrainingSession, ref", case(0.88, sync=2, tokens=0, monitored=True)),
    ("sync 1 of 2, MonitoredTrainingSession, resource", case(0.85, sync=1, monitored=True, resource=True)),
    ("same losses, async, ref", same_as_reference()),
    ("same losses, async, MonitoredTrainingSession, resource", same_as_reference(resource=True, monitored=True)),
    ("same losses, sync 1 of 1, ref", same_as_reference(sync=1, tokens=0)),
    ("same losses, sync 1 of 1, resource", same_as_reference(sync=1, tokens=0, resource=True)),
    ("clients in processes of their own", separate_processes),
]

if __name__ == "__main__":
    run_cases("replica", CASES, seconds=240)
