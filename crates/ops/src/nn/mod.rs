//! Neural network layers.

mod pool;
mod volume;
mod window;

pub use pool::PoolOps;
pub use window::{DataFormat, Padding};

op_list! {
    activation, approx_top_k, avg_pool, batch_norm_with_global_normalization, bias_add, block_lstm, conv, conv2d, conv2d_backprop, conv3d, cross_entropy, ctc_decoder, ctc_loss,
    depthwise_conv2d, fractional_pool, fused_batch_norm, fused_pad_conv2d, gru_cell, in_top_k, l2_loss, log_of_softmax_grad, lrn, lstm_cell, max_pool,
    max_pool_argmax, max_pool_v2, nth_element, pool3d, softmax, top_k,
}
