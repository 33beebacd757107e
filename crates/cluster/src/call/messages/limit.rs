//! How much one gRPC message can hold.

use tensor::{Result, Tensor, ensure};

/// Protobuf's limit, less some room for names and shapes.
const LIMIT: usize = i32::MAX as usize - (1 << 20);

/// Makes sure that tensors fit into one message, before any of them is copied.
///
/// # Errors
/// `InvalidArgument`, with the size of the largest.
pub(super) fn check_fits<'a>(tensors: impl IntoIterator<Item = &'a Tensor>) -> Result<()> {
    let (mut total, mut largest) = (0usize, None);
    for tensor in tensors {
        total = total.saturating_add(tensor.byte_size());
        if largest.is_none_or(|largest: &Tensor| largest.byte_size() < tensor.byte_size()) {
            largest = Some(tensor);
        }
    }
    ensure!(
        total <= LIMIT,
        InvalidArgument,
        "{total} bytes do not fit into a message of gRPC, which holds less than 2 GiB: the largest tensor has {} bytes and shape {}; over framed connections, between tensorfleet tasks without --transport=grpc, there is no such limit",
        largest.map_or(0, Tensor::byte_size),
        largest.map(|largest| largest.shape().to_string()).unwrap_or_default()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor::{Code, DType, Shape};

    #[test]
    fn the_sum_counts() {
        // Zeros that nobody touches take no memory.
        let gigabyte = Tensor::zeros(DType::UInt8, &Shape::new(&[1 << 30]).unwrap()).unwrap();
        assert!(check_fits([]).is_ok() && check_fits([&gigabyte]).is_ok());
        let status = check_fits([&gigabyte, &gigabyte]).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains("2147483648 bytes") && status.message().contains("1073741824"), "{status}");
    }
}
