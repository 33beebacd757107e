"""Synchronous steps on two parameter servers, as the chief builds them."""


def build(tf):
    cluster = {"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]}
    with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:0/gpu:0", ps_device="/job:ps/cpu:0",
                                                  cluster=cluster)):
        step = tf.Variable(0, name="global_step", trainable=False)
        w = tf.Variable([1.0, 2.0], name="w")
        table = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="table")
        loss = tf.reduce_sum(w * w) + tf.reduce_sum(tf.gather(table, [1, 1]))
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.AdamOptimizer(0.01), replicas_to_aggregate=2, total_num_replicas=3, name="mnist_sync_replicas")
        pairs = optimizer.compute_gradients(loss, gate_gradients=tf.train.Optimizer.GATE_NONE)
        optimizer.apply_gradients(pairs, global_step=step)
        optimizer.get_chief_queue_runner()
        optimizer.get_init_tokens_op()
        tf.global_variables_initializer()
        tf.train.Saver(sharded=True)
