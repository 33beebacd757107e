"""Summaries of every kind, merged."""


def build(tf):
    x = tf.constant([1.0, 2.0], name="x")
    tf.summary.scalar("loss value", x[0])
    tf.summary.scalar("loss", x[0], family="train")
    tf.summary.histogram("h", x)
    tf.summary.image("im", tf.zeros([2, 4, 4, 1]), max_outputs=2)
    tf.summary.audio("snd", tf.zeros([1, 8, 1]), 8000.0)
    with tf.name_scope("scope"):
        tf.summary.text("words", tf.constant("hello"))
        tf.summary.tensor_summary("t", x)
    tf.summary.merge_all()
    tf.summary.merge([tf.get_collection("summaries")[0]], name="mine")
