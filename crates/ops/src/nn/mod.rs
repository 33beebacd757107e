//! Neural network layers.

op_list! {
    activation, bias_add, conv2d, cross_entropy, depthwise_conv2d, fused_batch_norm, in_top_k, l2_loss, lrn, pool, softmax,
    top_k, window,
}
