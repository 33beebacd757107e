//! Histograms as TensorBoard shows them: counts in buckets whose limits grow by a tenth, on both sides of zero.

use std::sync::OnceLock;

/// Counts values in TensorFlow's buckets. It can be collected from an iterator over numbers.
///
/// ```
/// use tensorfleet_files::Histogram;
///
/// let mut histogram = Histogram::default();
/// histogram.add(1.0);
/// histogram.add(2.0);
/// let message = histogram.to_proto();
/// assert_eq!((message.num, message.min, message.max, message.sum), (2.0, 1.0, 2.0, 3.0));
/// ```
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Vec<f64>,
    min: f64,
    max: f64,
    num: f64,
    sum: f64,
    sum_squares: f64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            counts: vec![0.0; limits().len()],
            min: f64::MAX,
            max: f64::MIN,
            num: 0.0,
            sum: 0.0,
            sum_squares: 0.0,
        }
    }
}

impl Histogram {
    /// Counts a value. TensorFlow refuses values that are not finite before it gets here; they would land in an outermost
    /// bucket.
    pub fn add(&mut self, value: f64) {
        // A bucket holds the values below its limit, so the first greater limit is that of the value's bucket.
        let bucket = limits().partition_point(|limit| *limit <= value).min(self.counts.len() - 1);
        self.counts[bucket] += 1.0;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.num += 1.0;
        self.sum += value;
        self.sum_squares += value * value;
    }

    /// Returns the message that TensorBoard reads. Of neighbouring empty buckets it has only the last.
    pub fn to_proto(&self) -> wire::HistogramProto {
        let mut bucket_limit = Vec::new();
        let mut bucket: Vec<f64> = Vec::new();
        for (limit, count) in limits().iter().zip(&self.counts) {
            match (bucket_limit.last_mut(), bucket.last()) {
                (Some(last_limit), Some(&0.0)) if *count == 0.0 => *last_limit = *limit,
                _ => {
                    bucket_limit.push(*limit);
                    bucket.push(*count);
                }
            }
        }
        let Histogram { min, max, num, sum, sum_squares, .. } = *self;
        wire::HistogramProto { min, max, num, sum, sum_squares, bucket_limit, bucket }
    }
}

impl FromIterator<f64> for Histogram {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Histogram {
        let mut histogram = Histogram::default();
        values.into_iter().for_each(|value| histogram.add(value));
        histogram
    }
}

/// Where each bucket ends: 0, and to both sides 1e-12 times the powers of 1.1 below 1e20, and the largest number.
fn limits() -> &'static [f64] {
    static LIMITS: OnceLock<Vec<f64>> = OnceLock::new();
    LIMITS.get_or_init(|| {
        let mut positive = Vec::new();
        let mut limit = 1e-12;
        while limit < 1e20 {
            positive.push(limit);
            limit *= 1.1;
        }
        positive.push(f64::MAX);
        let negative = positive.iter().rev().map(|limit| -limit);
        negative.chain([0.0]).chain(positive.iter().copied()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tf.compat.v1.summary.histogram("h", [-1.0, 0.0, 0.0, 0.5, 2.0, 2.0])` in TensorFlow 2.21.
    #[test]
    fn the_buckets_are_those_of_tensorflow() {
        let proto: wire::HistogramProto = [-1.0, 0.0, 0.0, 0.5, 2.0, 2.0].into_iter().collect::<Histogram>().to_proto();
        assert_eq!((proto.min, proto.max, proto.num, proto.sum, proto.sum_squares), (-1.0, 2.0, 6.0, 3.5, 9.25));
        let limits = [
            -1.0089710279437536,
            -0.917246389039776,
            0.0,
            1e-12,
            0.47069243095356195,
            0.5177616740489182,
            1.9661990955585713,
            2.1628190051144287,
            f64::MAX,
        ];
        assert_eq!(proto.bucket_limit, limits);
        assert_eq!(proto.bucket, [0.0, 1.0, 0.0, 2.0, 0.0, 1.0, 0.0, 2.0, 0.0]);
    }

    #[test]
    fn an_empty_histogram_has_one_empty_bucket() {
        let proto = Histogram::default().to_proto();
        assert_eq!((proto.bucket_limit, proto.bucket), (vec![f64::MAX], vec![0.0]));
        assert_eq!((proto.min, proto.max), (f64::MAX, f64::MIN));
    }

    #[test]
    fn extreme_values_have_a_bucket() {
        let proto = [f64::MIN, f64::MAX, f64::INFINITY].into_iter().collect::<Histogram>().to_proto();
        assert_eq!(proto.bucket.iter().sum::<f64>(), 3.0);
    }
}
