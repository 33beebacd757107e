//! MNIST: handwritten digits, split into training, validation and test images as TensorFlow's tutorials do.

use std::path::{Path, PathBuf};

use tensor::{Result, Shape, Tensor, ensure, err};

/// The three parts of MNIST.
///
/// ```no_run
/// use tensorfleet::datasets::mnist::Mnist;
///
/// let mut mnist = Mnist::read("data/mnist")?;
/// assert_eq!((mnist.train.len(), mnist.validation.len(), mnist.test.len()), (55_000, 5_000, 10_000));
/// let (images, labels) = mnist.train.next_batch(100)?;
/// assert_eq!((images.dims(), labels.dims()), (&[100, 784][..], &[100, 10][..]));
/// # Ok::<(), tensorfleet::Status>(())
/// ```
pub struct Mnist {
    pub train: DataSet,
    pub validation: DataSet,
    pub test: DataSet,
}

/// Images with labels, given out in batches.
///
/// ```no_run
/// use tensorfleet::datasets::mnist::Mnist;
///
/// let test = Mnist::read("data/mnist")?.test.with_seed(7);
/// assert!(!test.is_empty());
/// assert_eq!(test.images()?.dims(), [10_000, 784]);
/// assert_eq!(test.labels().dims(), [10_000]);
/// assert_eq!(test.one_hot_labels()?.dims(), [10_000, 10]);
/// # Ok::<(), tensorfleet::Status>(())
/// ```
pub struct DataSet {
    /// Pixels from 0 to 1, 784 an image.
    images: Vec<f32>,
    labels: Vec<u8>,
    order: Vec<u32>,
    position: usize,
    random: u64,
}

const PIXELS: usize = 784;
const CLASSES: usize = 10;
const VALIDATION: usize = 5000;

impl Mnist {
    /// Reads the four IDX files, plain or gzip'd, from a folder. The first 5,000 training images are for validation.
    ///
    /// # Errors
    /// `NotFound` if a file is missing, naming it; `DataLoss` or `InvalidArgument` if one is damaged.
    pub fn read(folder: impl AsRef<Path>) -> Result<Mnist> {
        let folder = folder.as_ref();
        let (images, labels) = read_pair(folder, "train")?;
        ensure!(
            labels.len() > VALIDATION,
            InvalidArgument,
            "{}: {} training images are too few",
            folder.display(),
            labels.len()
        );
        let (test_images, test_labels) = read_pair(folder, "t10k")?;
        let (validation, training) = labels.split_at(VALIDATION);
        Ok(Mnist {
            train: DataSet::new(images[VALIDATION * PIXELS..].to_vec(), training.to_vec()),
            validation: DataSet::new(images[..VALIDATION * PIXELS].to_vec(), validation.to_vec()),
            test: DataSet::new(test_images, test_labels),
        })
    }
}

fn read_pair(folder: &Path, part: &str) -> Result<(Vec<f32>, Vec<u8>)> {
    let images = files::idx::read_file(&find(folder, &format!("{part}-images-idx3-ubyte"))?)?;
    let labels = files::idx::read_file(&find(folder, &format!("{part}-labels-idx1-ubyte"))?)?;
    let (pixels, labels) = (images.as_slice::<u8>()?, labels.as_slice::<u8>()?);
    ensure!(
        pixels.len() == labels.len() * PIXELS,
        InvalidArgument,
        "{}: {} images of shape {} and {} labels do not belong together",
        folder.display(),
        part,
        images.shape(),
        labels.len()
    );
    ensure!(
        labels.iter().all(|label| (*label as usize) < CLASSES),
        InvalidArgument,
        "{}: a label is above 9",
        folder.display()
    );
    Ok((pixels.iter().map(|pixel| *pixel as f32 / 255.0).collect(), labels.to_vec()))
}

fn find(folder: &Path, name: &str) -> Result<PathBuf> {
    let candidates = [folder.join(name), folder.join(format!("{name}.gz"))];
    let missing = || err!(NotFound, "neither {} nor {} exists", candidates[0].display(), candidates[1].display());
    candidates.iter().find(|path| path.exists()).cloned().ok_or_else(missing)
}

impl DataSet {
    fn new(images: Vec<f32>, labels: Vec<u8>) -> DataSet {
        let order = (0..labels.len() as u32).collect();
        DataSet { images, position: labels.len(), labels, order, random: 0x9E37_79B9_7F4A_7C15 }
    }

    /// Batches come in another order, always the same for a seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> DataSet {
        self.random = seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.position = self.labels.len();
        self
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// All images, `[n, 784]`.
    ///
    /// # Errors
    /// `ResourceExhausted` if there is no memory for a copy.
    pub fn images(&self) -> Result<Tensor> {
        Tensor::from_slice(&Shape::new(&[self.len() as i64, PIXELS as i64])?, &self.images)
    }

    /// All labels as numbers, `[n]`.
    pub fn labels(&self) -> Tensor {
        Tensor::vector(&self.labels.iter().map(|label| *label as i64).collect::<Vec<_>>())
    }

    /// All labels one-hot, `[n, 10]`.
    ///
    /// # Errors
    /// `ResourceExhausted` if there is no memory for it.
    pub fn one_hot_labels(&self) -> Result<Tensor> {
        self.one_hot(0..self.len())
    }

    /// The next images `[count, 784]` and one-hot labels `[count, 10]`. Every epoch has a new order.
    ///
    /// # Errors
    /// `InvalidArgument` if there are fewer images than that.
    pub fn next_batch(&mut self, count: usize) -> Result<(Tensor, Tensor)> {
        ensure!(count <= self.len(), InvalidArgument, "a batch of {count} images out of {}", self.len());
        if self.position + count > self.len() {
            self.shuffle();
        }
        let chosen = self.position..self.position + count;
        self.position += count;
        let images = Tensor::build(Shape::new(&[count as i64, PIXELS as i64])?, |out: &mut [f32]| {
            for (row, at) in out.chunks_exact_mut(PIXELS).zip(chosen.clone()) {
                let image = self.order[at] as usize * PIXELS;
                row.copy_from_slice(&self.images[image..image + PIXELS]);
            }
            Ok(())
        })?;
        Ok((images, self.one_hot(chosen)?))
    }

    fn one_hot(&self, chosen: std::ops::Range<usize>) -> Result<Tensor> {
        Tensor::build(Shape::new(&[chosen.len() as i64, CLASSES as i64])?, |out: &mut [f32]| {
            out.fill(0.0);
            for (row, at) in out.chunks_exact_mut(CLASSES).zip(chosen) {
                row[self.labels[self.order[at] as usize] as usize] = 1.0;
            }
            Ok(())
        })
    }

    fn shuffle(&mut self) {
        self.position = 0;
        for i in (1..self.order.len()).rev() {
            // A multiplicative generator is random enough for the order of images.
            self.random = self.random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            self.order.swap(i, (self.random >> 33) as usize % (i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_gives_every_image_once() {
        let labels: Vec<u8> = (0..10).collect();
        let images = labels.iter().flat_map(|label| vec![*label as f32; PIXELS]).collect();
        let mut data = DataSet::new(images, labels).with_seed(7);
        let mut seen = Vec::new();
        for _ in 0..5 {
            let (images, labels) = data.next_batch(2).unwrap();
            let (images, labels) = (images.as_slice::<f32>().unwrap(), labels.as_slice::<f32>().unwrap());
            for row in 0..2 {
                let label = labels[row * CLASSES..][..CLASSES].iter().position(|value| *value == 1.0).unwrap();
                assert_eq!(images[row * PIXELS], label as f32);
                seen.push(label);
            }
        }
        seen.sort();
        assert_eq!(seen, (0..10).collect::<Vec<_>>());
        assert!(data.next_batch(11).is_err());
    }
}
