//! Neural network layers.

op_list! { activation, bias_add, conv2d, cross_entropy, in_top_k, l2_loss, pool, softmax, window }
