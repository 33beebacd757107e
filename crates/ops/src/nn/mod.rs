//! Neural network layers.

op_list! { activation, bias_add, cross_entropy, l2_loss, softmax }
