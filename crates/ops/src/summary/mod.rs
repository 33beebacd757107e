//! Ops that make the summaries of event files.

op_list! {
    audio_summary, histogram_summary, image_summary, merge_summary, scalar_summary, summary_writer, tensor_summary,
}
