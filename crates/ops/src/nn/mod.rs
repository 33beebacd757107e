//! Neural network layers.

op_list! {
    activation, bias_add, conv2d, conv3d, cross_entropy, depthwise_conv2d, fused_batch_norm, gru_cell, in_top_k, l2_loss, lrn, lstm_cell, pool, pool3d, softmax,
    top_k, volume, window,
}
