//! `tensorfleet train`: the MLP of the documents on MNIST, in this process.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use tensorfleet::datasets::mnist::Mnist;
use tensorfleet::prelude::*;
use tensorfleet::{Result, Status};

#[derive(Args)]
pub struct Train {
    /// The folder of the four MNIST files.
    #[arg(long = "data_dir", alias = "data-dir", default_value = "data/mnist")]
    data_dir: PathBuf,
    /// How many steps to train.
    #[arg(long = "train_steps", alias = "train-steps", default_value_t = 3000)]
    train_steps: usize,
    #[arg(long = "batch_size", alias = "batch-size", default_value_t = 100)]
    batch_size: usize,
    #[arg(long = "hidden_units", alias = "hidden-units", default_value_t = 100)]
    hidden_units: i64,
    #[arg(long = "learning_rate", alias = "learning-rate", default_value_t = 0.003)]
    learning_rate: f32,
}

impl Default for Train {
    fn default() -> Train {
        Train {
            data_dir: "data/mnist".into(),
            train_steps: 3000,
            batch_size: 100,
            hidden_units: 100,
            learning_rate: 0.003,
        }
    }
}

impl Train {
    pub fn run(self) -> Result<()> {
        let invalid = |what: &str| Status::new(Code::InvalidArgument, what);
        if self.hidden_units < 1 || self.batch_size < 1 {
            return Err(invalid("--hidden_units and --batch_size must be at least 1"));
        }
        let mut mnist = Mnist::read(&self.data_dir)?;
        println!(
            "MNIST: {} training, {} validation and {} test images",
            mnist.train.len(),
            mnist.validation.len(),
            mnist.test.len()
        );

        let g = Graph::new();
        let (x, y_) = (g.placeholder(DType::Float, [None, Some(784)]), g.placeholder(DType::Float, [None, Some(10)]));
        let hid_w = Variable::new("hid_w", g.truncated_normal([784, self.hidden_units], 1.0 / 28.0));
        let hid_b = Variable::new("hid_b", g.zeros(&[self.hidden_units], DType::Float));
        let deviation = 1.0 / (self.hidden_units as f64).sqrt();
        let sm_w = Variable::new("sm_w", g.truncated_normal([self.hidden_units, 10], deviation));
        let sm_b = Variable::new("sm_b", g.zeros(&[10], DType::Float));
        let hid = x.xw_plus_b(&hid_w, &hid_b).relu();
        let y = hid.xw_plus_b(&sm_w, &sm_b).softmax();
        let cross_entropy = -(&y_ * y.clip_by_value(1e-10, 1.0).log()).reduce_sum(..);
        let accuracy = y.argmax(1).equal(y_.argmax(1)).cast(DType::Float).reduce_mean(..);
        let global_step = Variable::untrained("global_step", g.constant(0i64));
        let train_step = Adam::new(self.learning_rate).minimize(&cross_entropy, Some(&global_step))?;
        let init = global_variables_initializer(&g);

        let session = LocalSession::new(&g)?;
        session.run(RunRequest::new().target(&init))?;
        let validation = (mnist.validation.images()?, mnist.validation.one_hot_labels()?);
        let begin = Instant::now();
        for step in 1..=self.train_steps {
            let (images, labels) = mnist.train.next_batch(self.batch_size)?;
            let request =
                RunRequest::new().feed(&x, images).feed(&y_, labels).fetch(&cross_entropy).target(&train_step);
            let loss = session.fetch(request)?[0].to_scalar::<f32>()?;
            if step % (self.train_steps / 20).max(1) == 0 || step == self.train_steps {
                let request =
                    RunRequest::new().feed(&x, validation.0.clone()).feed(&y_, validation.1.clone()).fetch(&accuracy);
                let accuracy = session.fetch(request)?[0].to_scalar::<f32>()?;
                show(step, loss / self.batch_size as f32, accuracy);
            }
        }
        let seconds = begin.elapsed().as_secs_f64();
        println!("{} steps in {seconds:.2} s ({:.0} steps/s)", self.train_steps, self.train_steps as f64 / seconds);
        let request =
            RunRequest::new().feed(&x, mnist.test.images()?).feed(&y_, mnist.test.one_hot_labels()?).fetch(&accuracy);
        println!("test accuracy: {:.4}", session.fetch(request)?[0].to_scalar::<f32>()?);
        Ok(())
    }
}

/// A line with the loss drawn as a bar, so that one sees it fall.
fn show(step: usize, loss: f32, accuracy: f32) {
    let width = ((loss * 100.0).clamp(0.0, 60.0)) as usize;
    println!("step {step:>6}   loss {loss:>7.4}   validation accuracy {accuracy:.4}   {}", "#".repeat(width));
    let _ = std::io::stdout().flush();
}
