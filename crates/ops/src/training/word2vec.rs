//! `Skipgram` and `NegTrain`: pairs of words that stand near each other in a text, and a step of training word vectors with
//! them, as the first programs for word2vec had it.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, Variable};
use graph::{Node, ReadAttrs};
use math::random::Words;
use parking_lot::Mutex;
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use crate::io::{path_from, read_file};

pub(crate) fn register(r: &mut Registry) {
    let outputs = "vocab_word: string, vocab_freq: int32, words_per_epoch: int64, current_epoch: int32, \
                   total_words_processed: int64, examples: int32, labels: int32";
    r.op("Skipgram", &format!("-> {outputs}"))
        .attr("filename: string")
        .attr("batch_size: int")
        .attr("window_size: int = 5")
        .attr("min_count: int = 5")
        .attr("subsample: float = 0.001")
        .stateful()
        .shape(skipgram_shape)
        .any_kernel(skipgram_kernel)
        .not_differentiable();
    r.op("NegTrain", "w_in: Ref(float), w_out: Ref(float), examples: int32, labels: int32, lr: float ->")
        .attr("vocab_count: list(int)")
        .attr("num_negative_samples: int")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(train_kernel)
        .not_differentiable();
}

fn skipgram_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let batch = PartialShape::vector(Some(cx.attr_int("batch_size")?));
    cx.set(0, PartialShape::vector(None));
    cx.set(1, PartialShape::vector(None));
    for index in 2..5 {
        cx.set(index, PartialShape::scalar());
    }
    cx.set(5, batch.clone());
    cx.set(6, batch);
    Ok(())
}

/// Random numbers that nobody can foresee: these ops have no seeds.
struct Dice(Words);

impl Dice {
    fn new() -> Dice {
        use std::hash::{BuildHasher, RandomState};
        Dice(Words::seeded((RandomState::new().hash_one(0u8) as i64, 1)))
    }

    /// From 0 up to 1.
    fn fraction(&mut self) -> f32 {
        (self.0.next() >> 8) as f32 / (1 << 24) as f32
    }

    fn below(&mut self, limit: usize) -> usize {
        ((u64::from(self.0.next()) * limit as u64) >> 32) as usize
    }
}

/// A text as numbers of words, and where in it we are.
struct Corpus {
    words: Tensor,
    counts: Tensor,
    text: Vec<i32>,
    frequencies: Vec<i32>,
    next: usize,
    epoch: i32,
    processed: i64,
    /// The words of the sentence that is being gone through, the place in it and what of its window is left.
    sentence: Vec<i32>,
    place: usize,
    window: Vec<usize>,
    dice: Dice,
}

/// Words that are looked at together.
const SENTENCE: usize = 1000;

impl Corpus {
    fn read(contents: &[u8], window: usize, least: i64, name: &str) -> Result<Corpus> {
        let words: Vec<&[u8]> = contents.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        ensure!(
            words.len() >= window.saturating_mul(10),
            InvalidArgument,
            "The text file {name} contains too little data: {} words",
            words.len()
        );
        let mut counted: HashMap<&[u8], i32> = HashMap::new();
        for word in &words {
            *counted.entry(word).or_default() += 1;
        }
        let mut kept: Vec<(&[u8], i32)> = counted.into_iter().filter(|(_, count)| i64::from(*count) >= least).collect();
        kept.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let known: i32 = kept.iter().map(|(_, count)| count).sum();
        let numbers: HashMap<&[u8], i32> = kept.iter().zip(1..).map(|((word, _), number)| (*word, number)).collect();
        let mut vocabulary = vec![Bytes::from_static(b"UNK")];
        let mut frequencies = vec![words.len() as i32 - known];
        for (word, count) in kept {
            vocabulary.push(Bytes::copy_from_slice(word));
            frequencies.push(count);
        }
        let text = words.iter().map(|word| numbers.get(word).copied().unwrap_or(0)).collect();
        Ok(Corpus {
            words: Tensor::string_vector(vocabulary),
            counts: Tensor::vector(&frequencies),
            text,
            frequencies,
            next: 0,
            epoch: 0,
            processed: 0,
            sentence: Vec::new(),
            place: 0,
            window: Vec::new(),
            dice: Dice::new(),
        })
    }

    /// The next sentence, with frequent words left out at random.
    fn next_sentence(&mut self, subsample: f32) {
        self.sentence.clear();
        self.place = 0;
        for _ in 0..self.text.len().max(SENTENCE) {
            if self.sentence.len() == SENTENCE {
                break;
            }
            if self.next == self.text.len() {
                self.next = 0;
                self.epoch = self.epoch.saturating_add(1);
                if self.sentence.len() > 1 {
                    break;
                }
            }
            let word = self.text[self.next];
            self.next += 1;
            self.processed += 1;
            if subsample > 0.0 {
                let (frequency, limit) = (self.frequencies[word as usize] as f32, subsample * self.text.len() as f32);
                let keep = ((frequency / limit).sqrt() + 1.0) * limit / frequency;
                if self.dice.fraction() > keep.min(1.0) {
                    continue;
                }
            }
            self.sentence.push(word);
        }
    }

    /// A word and one that stands near it.
    fn pair(&mut self, window: usize, subsample: f32) -> Option<(i32, i32)> {
        for _ in 0..2 * SENTENCE {
            if let Some(near) = self.window.pop() {
                return Some((self.sentence[self.place], self.sentence[near]));
            }
            self.place += 1;
            if self.place >= self.sentence.len() {
                self.next_sentence(subsample);
            }
            let reach = 1 + self.dice.below(window);
            let last = (self.place + reach + 1).min(self.sentence.len());
            let (from, here) = (self.place.saturating_sub(reach), self.place);
            self.window = (from..last).rev().filter(|near| *near != here).collect();
        }
        None
    }
}

fn skipgram_kernel(node: &Node) -> Result<Kernel> {
    let (file, batch) = (node.attr_bytes("filename")?.clone(), node.attr_int("batch_size")?);
    let (window, least) = (node.attr_int("window_size")?, node.attr_int("min_count")?);
    let subsample = node.attr_float("subsample")?;
    ensure!((0..=1 << 24).contains(&batch), InvalidArgument, "a batch of {batch} pairs");
    ensure!((1..=1 << 16).contains(&window), InvalidArgument, "a window of {window} words");
    let corpus: Arc<Mutex<Option<Corpus>>> = Arc::default();
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let mut corpus = corpus.lock();
        let corpus = match &mut *corpus {
            Some(corpus) => corpus,
            none => {
                let contents = read_file(&path_from(&*cx.step.files, &file)?)?;
                let name = String::from_utf8_lossy(&file).into_owned();
                none.insert(Corpus::read(&contents, window as usize, least, &name)?)
            }
        };
        let (mut examples, mut labels) = (Vec::new(), Vec::new());
        for _ in 0..batch {
            let Some((example, label)) = corpus.pair(window as usize, subsample) else {
                bail!(FailedPrecondition, "the text holds no two words that are kept")
            };
            examples.push(example);
            labels.push(label);
        }
        cx.set_output(0, corpus.words.clone());
        cx.set_output(1, corpus.counts.clone());
        cx.set_output(2, corpus.text.len() as i64);
        cx.set_output(3, corpus.epoch);
        cx.set_output(4, corpus.processed);
        cx.set_output(5, Tensor::vector(&examples));
        cx.set_output(6, Tensor::vector(&labels));
        Ok(())
    }))
}

/// A step down the slope of the sampled loss, for each pair: the label is to be told from words drawn by their frequency.
fn train_kernel(node: &Node) -> Result<Kernel> {
    let samples = node.attr_int("num_negative_samples")?;
    ensure!((0..=1 << 20).contains(&samples), InvalidArgument, "{samples} words to draw for each pair");
    // Frequencies to the power of three quarters, summed up.
    let mut sums = Vec::new();
    for count in node.attr_ints("vocab_count")? {
        sums.push(sums.last().copied().unwrap_or(0.0) + (*count as f64).max(0.0).powf(0.75));
    }
    let dice = Mutex::new(Dice::new());
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (examples, labels, rate) = (cx.input(2)?, cx.input(3)?, cx.input(4)?);
        ensure!(examples.shape().rank() == 1, InvalidArgument, "Must be a vector: {}", examples.shape());
        ensure!(
            examples.shape() == labels.shape(),
            InvalidArgument,
            "examples.shape() == {} but labels.shape() == {}",
            examples.shape(),
            labels.shape()
        );
        ensure!(rate.shape().is_scalar(), InvalidArgument, "Must be a scalar: {}", rate.shape());
        let (examples, labels, rate) =
            (examples.as_slice::<i32>()?, labels.as_slice::<i32>()?, rate.to_scalar::<f32>()?);
        let total = sums.last().copied().unwrap_or(0.0);
        Variable::update_all([cx.variable(0)?, cx.variable(1)?], |[w_in, w_out]| {
            let &[rows, width] = w_in.dims() else { bail!(InvalidArgument, "Must be a matrix: {}", w_in.shape()) };
            ensure!(
                w_in.shape() == w_out.shape() && rows as usize == sums.len(),
                InvalidArgument,
                "vectors of shapes {} and {} for {} words",
                w_in.shape(),
                w_out.shape(),
                sums.len()
            );
            let fits = |word: &i32| (0..rows).contains(&i64::from(*word));
            ensure!(
                examples.iter().chain(labels).all(fits),
                InvalidArgument,
                "a word that is not among {rows} is to be trained"
            );
            let width = width as usize;
            let (inputs, outputs, mut dice) = (w_in.make_mut::<f32>()?, w_out.make_mut::<f32>()?, dice.lock());
            for (example, label) in examples.iter().zip(labels) {
                let own = *example as usize * width;
                let mut change = vec![0f32; width];
                let mut toward = |word: usize, wanted: f32| {
                    let (own, other) = (&inputs[own..own + width], &mut outputs[word * width..(word + 1) * width]);
                    let product: f32 = own.iter().zip(&*other).map(|(a, b)| a * b).sum();
                    let step = rate * (wanted - 1.0 / (1.0 + (-product).exp()));
                    for ((change, own), other) in change.iter_mut().zip(own).zip(other) {
                        *change += step * *other;
                        *other += step * own;
                    }
                };
                toward(*label as usize, 1.0);
                for _ in 0..samples {
                    let at = f64::from(dice.fraction()) * total;
                    let drawn = sums.partition_point(|sum| *sum <= at).min(sums.len().saturating_sub(1));
                    if drawn != *label as usize {
                        toward(drawn, 0.0);
                    }
                }
                for (own, change) in inputs[own..own + width].iter_mut().zip(change) {
                    *own += change;
                }
            }
            Ok(())
        })
    }))
}

#[cfg(test)]
mod tests {
    use graph::AttrValue;
    use graph::op::Value;
    use tensor::DType;

    use super::*;
    use crate::testing::{Bench, Folder, tensor, val};

    #[test]
    fn words_come_with_their_neighbours() {
        let (bench, folder) = (Bench::new(), Folder::new("skipgram"));
        let path = folder.path("text");
        std::fs::write(&path, "a b ".repeat(20) + "c").unwrap();
        let attrs: [(&str, AttrValue); 5] = [
            ("filename", path.clone().into()),
            ("batch_size", 6i64.into()),
            ("window_size", 1i64.into()),
            ("min_count", 2i64.into()),
            ("subsample", 0f32.into()),
        ];
        let node = bench.node("Skipgram", &attrs);
        let out: Vec<Tensor> = node.run(&bench, vec![]).unwrap().iter().map(tensor).collect();
        assert_eq!((&out[0], &out[1]), (&Tensor::string_vector(["UNK", "a", "b"]), &Tensor::from([1i32, 20, 20])));
        assert_eq!(out[2], Tensor::from(41i64));
        // The neighbours of each word are the other one, but for the end of the text.
        let (words, near) = (out[5].as_slice::<i32>().unwrap(), out[6].as_slice::<i32>().unwrap());
        assert!(words.iter().zip(near).all(|(word, near)| word + near == 3), "{words:?} {near:?}");
        std::fs::write(&path, "a b").unwrap();
        assert!(bench.run("Skipgram", &attrs, vec![]).err().unwrap().message().contains("too little data"));
    }

    #[test]
    fn a_label_comes_nearer() {
        let bench = Bench::new();
        let variable = |first: [[f32; 2]; 3]| {
            let variable = Variable::new("w", DType::Float, PartialShape::from([3, 2]));
            variable.set(Tensor::from(first));
            Arc::new(variable)
        };
        let (w_in, w_out) = (variable([[1.0, 0.0]; 3]), variable([[0.0, 0.0]; 3]));
        let attrs: [(&str, AttrValue); 2] =
            [("vocab_count", vec![1i64, 1, 1].into()), ("num_negative_samples", 0i64.into())];
        let inputs = vec![Value::Ref(w_in.clone()), Value::Ref(w_out.clone()), val([0i32]), val([2i32]), val(0.5f32)];
        bench.run("NegTrain", &attrs, inputs).unwrap();
        // The slope at 0 is 1/2, the rate 1/2; the input moves by the label's vector, which was zero.
        assert_eq!(w_out.read().unwrap(), Tensor::from([[0f32, 0.0], [0.0, 0.0], [0.25, 0.0]]));
        assert_eq!(w_in.read().unwrap(), Tensor::from([[1f32, 0.0]; 3]));
        let wrong = vec![Value::Ref(w_in), Value::Ref(w_out), val([9i32]), val([2i32]), val(0.5f32)];
        assert_eq!(bench.run("NegTrain", &attrs, wrong).err().unwrap().code(), tensor::Code::InvalidArgument);
    }
}
