//! MNIST: handwritten digits, split into training, validation and test images as TensorFlow's tutorials do.

mod folder;

use std::path::{Path, PathBuf};

use tensor::{Result, Shape, Tensor, ensure, err};

pub use folder::folder;

/// The three parts of MNIST.
///
/// ```no_run
/// use tensorfleet::datasets::mnist::{Mnist, folder};
///
/// let mut mnist = Mnist::read(folder(None)?)?;
/// assert_eq!((mnist.train.len(), mnist.validation.len(), mnist.test.len()), (55_000, 5_000, 10_000));
/// let (images, labels) = mnist.train.next_batch(100)?;
/// assert_eq!((images.dims(), labels.dims()), (&[100, 784][..], &[100, 10][..]));
/// # Ok::<(), tensorfleet::Status>(())
/// ```
pub struct Mnist {
    /// The images to train with: 55,000 of the 60,000 training images, unless another number was asked for.
    pub train: DataSet,
    /// The images to choose between models with: the other training images.
    pub validation: DataSet,
    /// The 10,000 test images.
    pub test: DataSet,
}

/// Images with labels, returned in batches.
///
/// ```no_run
/// use tensorfleet::datasets::mnist::{Mnist, folder};
///
/// let test = Mnist::read(folder(None)?)?.test.with_seed(7);
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
    started: bool,
    epochs: usize,
}

/// The file of the training images, with or without `.gz`.
const TRAIN_IMAGES: &str = "train-images-idx3-ubyte";
const PIXELS: usize = 784;
const CLASSES: usize = 10;
const VALIDATION: usize = 5000;

impl Mnist {
    /// Reads the four IDX files, plain or gzip'd, from a folder. The first 5,000 training images are for validation.
    ///
    /// ```no_run
    /// use tensorfleet::datasets::mnist::Mnist;
    /// let mnist = Mnist::read("data/mnist")?;
    /// assert_eq!((mnist.train.len(), mnist.validation.len(), mnist.test.len()), (55_000, 5_000, 10_000));
    /// # Ok::<(), tensorfleet::Status>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` if a file is missing, naming it; `DataLoss` or `InvalidArgument` if one is damaged.
    pub fn read(folder: impl AsRef<Path>) -> Result<Mnist> {
        Mnist::read_with(folder, VALIDATION)
    }

    /// Reads as [`read`](Mnist::read) does, with `validation_size` images for validation.
    ///
    /// ```no_run
    /// use tensorfleet::datasets::mnist::Mnist;
    /// let mnist = Mnist::read_with("data/mnist", 10_000)?;
    /// assert_eq!((mnist.train.len(), mnist.validation.len()), (50_000, 10_000));
    /// # Ok::<(), tensorfleet::Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Mnist::read); `InvalidArgument` if there are not more training images than that.
    pub fn read_with(folder: impl AsRef<Path>, validation_size: usize) -> Result<Mnist> {
        let folder = folder.as_ref();
        ensure!(folder.is_dir(), NotFound, "there is no folder {} with MNIST's files", folder.display());
        let (images, labels) = read_pair(folder, "train")?;
        ensure!(
            labels.len() > validation_size,
            InvalidArgument,
            "{}: Validation size should be between 0 and {}. Received: {validation_size}.",
            folder.display(),
            labels.len()
        );
        let (test_images, test_labels) = read_pair(folder, "t10k")?;
        let (validation, training) = labels.split_at(validation_size);
        Ok(Mnist {
            train: DataSet::new(images[validation_size * PIXELS..].to_vec(), training.to_vec()),
            validation: DataSet::new(images[..validation_size * PIXELS].to_vec(), validation.to_vec()),
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
        let position = labels.len();
        DataSet { images, labels, order, position, random: 0x9E37_79B9_7F4A_7C15, started: false, epochs: 0 }
    }

    /// Returns the same images, whose batches come in another order: always the same for a seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> DataSet {
        self.random = seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.position = self.labels.len();
        self
    }

    /// Returns how many images there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Returns whether there are no images.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Returns all images, `[n, 784]`, as numbers from 0 to 1.
    ///
    /// ```no_run
    /// use tensorfleet::datasets::mnist::{Mnist, folder};
    /// let test = Mnist::read(folder(None)?)?.test;
    /// assert_eq!((test.images()?.dims(), test.labels().dims()), (&[10_000, 784][..], &[10_000][..]));
    /// # Ok::<(), tensorfleet::Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if there is no memory for a copy.
    pub fn images(&self) -> Result<Tensor> {
        Tensor::from_slice(&Shape::new(&[self.len() as i64, PIXELS as i64])?, &self.images)
    }

    /// Returns all labels as numbers, `[n]`.
    pub fn labels(&self) -> Tensor {
        Tensor::vector(&self.labels.iter().map(|label| *label as i64).collect::<Vec<_>>())
    }

    /// Returns all labels one-hot, `[n, 10]`.
    ///
    /// ```no_run
    /// use tensorfleet::datasets::mnist::{Mnist, folder};
    /// let test = Mnist::read(folder(None)?)?.test;
    /// assert_eq!(test.one_hot_labels()?.dims(), [10_000, 10]);
    /// # Ok::<(), tensorfleet::Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if there is no memory for it.
    pub fn one_hot_labels(&self) -> Result<Tensor> {
        self.one_hot(&(0..self.len() as u32).collect::<Vec<_>>())
    }

    /// Returns the next images `[count, 784]` and one-hot labels `[count, 10]`. Every epoch has each image once, in a new order;
    /// a batch may reach into the next epoch.
    ///
    /// ```no_run
    /// use tensorfleet::datasets::mnist::{Mnist, folder};
    /// let mut train = Mnist::read(folder(None)?)?.train.with_seed(7);
    /// let (images, labels) = train.next_batch(100)?;
    /// assert_eq!((images.dims(), labels.dims()), (&[100, 784][..], &[100, 10][..]));
    /// # Ok::<(), tensorfleet::Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if there are fewer images than that.
    pub fn next_batch(&mut self, count: usize) -> Result<(Tensor, Tensor)> {
        let chosen = self.choose(count)?;
        Ok((self.images_of(&chosen)?, self.one_hot(&chosen)?))
    }

    /// Returns the next images as [`next_batch`](DataSet::next_batch) does, with labels as numbers, `[count]`.
    ///
    /// ```no_run
    /// use tensorfleet::datasets::mnist::{Mnist, folder};
    /// let mut train = Mnist::read(folder(None)?)?.train;
    /// let (_images, labels) = train.next_sparse_batch(100)?;
    /// assert_eq!((labels.dims(), train.epochs_completed()), (&[100][..], 0));
    /// # Ok::<(), tensorfleet::Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`next_batch`](DataSet::next_batch).
    pub fn next_sparse_batch(&mut self, count: usize) -> Result<(Tensor, Tensor)> {
        let chosen = self.choose(count)?;
        let labels: Vec<i64> = chosen.iter().map(|at| i64::from(self.labels[*at as usize])).collect();
        Ok((self.images_of(&chosen)?, Tensor::vector(&labels)))
    }

    /// Returns how many epochs were returned to the end.
    pub fn epochs_completed(&self) -> usize {
        self.epochs
    }

    /// The places of the next images.
    fn choose(&mut self, count: usize) -> Result<Vec<u32>> {
        ensure!(count <= self.len(), InvalidArgument, "a batch of {count} images out of {}", self.len());
        let end = (self.position + count).min(self.len());
        let mut chosen = self.order[self.position..end].to_vec();
        self.position = end;
        if chosen.len() < count {
            self.epochs += usize::from(self.started);
            self.shuffle();
            self.position = count - chosen.len();
            chosen.extend_from_slice(&self.order[..self.position]);
        }
        self.started = true;
        Ok(chosen)
    }

    fn images_of(&self, chosen: &[u32]) -> Result<Tensor> {
        Tensor::build(Shape::new(&[chosen.len() as i64, PIXELS as i64])?, |out: &mut [f32]| {
            for (row, at) in out.chunks_exact_mut(PIXELS).zip(chosen) {
                let image = *at as usize * PIXELS;
                row.copy_from_slice(&self.images[image..image + PIXELS]);
            }
            Ok(())
        })
    }

    fn one_hot(&self, chosen: &[u32]) -> Result<Tensor> {
        Tensor::build(Shape::new(&[chosen.len() as i64, CLASSES as i64])?, |out: &mut [f32]| {
            out.fill(0.0);
            for (row, at) in out.chunks_exact_mut(CLASSES).zip(chosen) {
                row[self.labels[*at as usize] as usize] = 1.0;
            }
            Ok(())
        })
    }

    fn shuffle(&mut self) {
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
        // Ten batches of three reach across epochs of ten images.
        for _ in 0..10 {
            let (images, labels) = data.next_batch(3).unwrap();
            let (images, labels) = (images.as_slice::<f32>().unwrap(), labels.as_slice::<f32>().unwrap());
            for row in 0..3 {
                let label = labels[row * CLASSES..][..CLASSES].iter().position(|value| *value == 1.0).unwrap();
                assert_eq!(images[row * PIXELS], label as f32);
                seen.push(label);
            }
        }
        for epoch in seen.chunks_mut(10) {
            epoch.sort();
            assert_eq!(epoch, (0..10).collect::<Vec<_>>());
        }
        assert_eq!(data.epochs_completed(), 2, "the third epoch is given out, but the fourth not begun");
        let (images, labels) = data.next_sparse_batch(10).unwrap();
        assert_eq!(images.as_slice::<f32>().unwrap()[PIXELS] as i64, labels.as_slice::<i64>().unwrap()[1]);
        assert!(data.next_batch(11).is_err());
    }

    #[test]
    fn a_missing_folder_or_file_is_named() {
        let status = Mnist::read("/nonexistent/mnist").err().unwrap();
        assert_eq!(status.code(), tensor::Code::NotFound);
        assert!(status.message().contains("/nonexistent/mnist"), "{status}");
        let status = Mnist::read(std::env::temp_dir()).err().unwrap();
        assert!(status.message().contains("train-images-idx3-ubyte.gz"), "{status}");
    }

    #[test]
    fn the_split_is_that_of_the_tutorials() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/mnist");
        let mnist = Mnist::read(folder).unwrap();
        assert_eq!((mnist.train.len(), mnist.validation.len(), mnist.test.len()), (55_000, 5_000, 10_000));
        // The first labels of the validation and test images, as TensorFlow's read_data_sets gives them.
        assert_eq!(mnist.validation.labels().as_slice::<i64>().unwrap()[..4], [5, 0, 4, 1]);
        assert_eq!(mnist.test.labels().as_slice::<i64>().unwrap()[..4], [7, 2, 1, 0]);
    }
}
