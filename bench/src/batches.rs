//! What models are fed with: the same hundred batches of MNIST over and over, as the other side feeds them.

use tensorfleet::datasets::mnist::{self, Mnist};
use tensorfleet::prelude::*;

const BATCHES: i64 = 100;

/// Batches of images and labels, for ever.
pub struct Batches {
    batches: Vec<(Tensor, Tensor)>,
    next: usize,
}

impl Batches {
    /// The first batches of the training images, in the files' order.
    pub fn of_mnist(size: i64) -> Result<Batches> {
        let train = Mnist::read_with(mnist::folder(None)?, 0)?.train;
        let (images, labels) = (train.images()?, train.one_hot_labels()?);
        let (images, labels) = (images.as_slice::<f32>()?, labels.as_slice::<f32>()?);
        let rows = |all: &[f32], width: i64, batch: i64| {
            let (begin, count) = ((batch * size * width) as usize, (size * width) as usize);
            Tensor::new([size, width], all[begin..begin + count].to_vec())
        };
        let batch = |batch| Ok((rows(images, 784, batch)?, rows(labels, 10, batch)?));
        Ok(Batches { batches: (0..BATCHES).map(batch).collect::<Result<_>>()?, next: 0 })
    }

    /// One made-up batch.
    pub fn constant(size: i64) -> Result<Batches> {
        let pixels: Vec<f32> = (0..size * 784).map(|i| (i * 7919 % 256) as f32 / 255.0).collect();
        let mut labels = vec![0f32; size as usize * 10];
        for row in 0..size as usize {
            labels[row * 10 + row % 10] = 1.0;
        }
        Ok(Batches { batches: vec![(Tensor::new([size, 784], pixels)?, Tensor::new([size, 10], labels)?)], next: 0 })
    }

    /// The next batch; the last one is followed by the first.
    pub fn next(&mut self) -> (Tensor, Tensor) {
        let batch = self.batches[self.next].clone();
        self.next = (self.next + 1) % self.batches.len();
        batch
    }
}
