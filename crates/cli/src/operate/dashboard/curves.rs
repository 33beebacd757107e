//! Values over steps, of which memory keeps a bounded number and a picture shows fewer, with every peak.

use serde_json::{Value, json};

/// So many points of a curve are kept; beyond it every second one goes.
const KEPT: usize = 8192;
/// A picture has so many points of a curve at most.
const DRAWN: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub step: i64,
    pub wall: f64,
    pub value: f64,
}

/// A curve that grows at its end.
pub struct Curve {
    points: Vec<Point>,
    /// The newest, which may not be among those that are kept.
    last: Option<Point>,
    /// One of so many new points is kept.
    stride: usize,
    skipped: usize,
}

impl Default for Curve {
    fn default() -> Curve {
        Curve { points: Vec::new(), last: None, stride: 1, skipped: 0 }
    }
}

impl Curve {
    pub fn add(&mut self, point: Point) {
        self.last = Some(point);
        self.skipped += 1;
        if self.skipped < self.stride {
            return;
        }
        self.skipped = 0;
        self.points.push(point);
        if self.points.len() > KEPT {
            let mut index = 0;
            self.points.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// Forgets what a run that began again at this step had gone beyond.
    pub fn forget_from(&mut self, step: i64) {
        self.points.retain(|point| point.step < step);
        self.last = self.points.last().copied();
    }

    #[cfg(test)]
    pub fn last(&self) -> Option<Point> {
        self.last
    }

    /// All points that are kept, if they are few; else the lowest and the highest of each stretch.
    pub fn drawn(&self) -> Vec<Point> {
        if self.points.len() <= DRAWN {
            return self.up_to_now(self.points.clone());
        }
        let stretch = self.points.len().div_ceil(DRAWN / 2);
        let mut drawn = Vec::with_capacity(DRAWN + 2);
        for points in self.points.chunks(stretch) {
            // What is no number is neither lowest nor highest, and is shown where nothing else is.
            let numbers = || points.iter().enumerate().filter(|(_, point)| point.value.is_finite());
            let low = numbers().min_by(|one, other| one.1.value.total_cmp(&other.1.value));
            let high = numbers().max_by(|one, other| one.1.value.total_cmp(&other.1.value));
            match (low, high) {
                (Some((low, a)), Some((high, b))) if low < high => drawn.extend([*a, *b]),
                (Some((low, a)), Some((high, b))) if low > high => drawn.extend([*b, *a]),
                (Some((_, one)), _) => drawn.push(*one),
                _ => drawn.extend(points.first().copied()),
            }
        }
        self.up_to_now(drawn)
    }

    /// Lets some points of the curve go on to its newest.
    fn up_to_now(&self, mut points: Vec<Point>) -> Vec<Point> {
        points.extend(self.last.filter(|last| points.last().is_none_or(|point| point.step != last.step)));
        points
    }

    /// Steps, times and values in three lists; a value that is no number is null.
    pub fn to_json(&self) -> Value {
        let drawn = self.drawn();
        let list = |of: fn(&Point) -> Value| drawn.iter().map(of).collect::<Vec<_>>();
        json!({
            "steps": list(|point| json!(point.step)),
            "walls": list(|point| json!(point.wall)),
            "values": list(|point| json!(point.value)),
        })
    }
}

/// Counts between limits, as a summary of many values has them.
#[derive(Clone, Debug)]
pub struct Counts {
    pub step: i64,
    pub wall: f64,
    pub least: f64,
    /// Where each bucket ends.
    pub limits: Vec<f64>,
    pub counts: Vec<f64>,
}

impl Counts {
    /// The end of the last bucket.
    pub fn most(&self) -> f64 {
        self.limits.last().copied().unwrap_or(self.least)
    }

    /// The same counts in buckets of equal width, as if the values of a bucket lay evenly in it.
    pub fn in_buckets(&self, from: f64, to: f64, buckets: usize) -> Vec<f64> {
        let mut even = vec![0.0; buckets];
        let width = (to - from) / buckets as f64;
        if !(width > 0.0 && width.is_finite()) {
            if let Some(first) = even.get_mut(buckets / 2) {
                *first = self.counts.iter().sum();
            }
            return even;
        }
        let mut left = self.least;
        for (right, count) in self.limits.iter().zip(&self.counts) {
            let (low, high) = (left.max(from), right.min(to));
            left = *right;
            if *count <= 0.0 || low > high {
                continue;
            }
            let place = |value: f64| (((value - from) / width) as usize).min(buckets - 1);
            let (first, last) = (place(low), place(high));
            for (bucket, sum) in even.iter_mut().enumerate().take(last + 1).skip(first) {
                let (begin, end) = (from + width * bucket as f64, from + width * (bucket + 1) as f64);
                let share = if high > low { (high.min(end) - low.max(begin)).max(0.0) / (high - low) } else { 1.0 };
                *sum += count * share;
            }
        }
        even
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(values: impl IntoIterator<Item = f64>) -> Curve {
        let mut curve = Curve::default();
        for (step, value) in values.into_iter().enumerate() {
            curve.add(Point { step: step as i64, wall: 0.0, value });
        }
        curve
    }

    #[test]
    fn a_long_curve_keeps_its_peak_and_its_end_within_bounds() {
        let long = curve((0..6000).map(|step| if step == 4321 { 100.0 } else { f64::from(step % 7) }));
        let drawn = long.drawn();
        assert!(drawn.len() <= DRAWN + 1, "{}", drawn.len());
        assert!(drawn.iter().any(|point| point.step == 4321 && point.value == 100.0));
        assert_eq!(drawn.last().map(|point| point.step), Some(5999));
        let longer = curve((0..100_000).map(f64::from));
        assert!(longer.points.len() <= KEPT && longer.drawn().len() <= DRAWN + 1);
        assert_eq!(longer.drawn().last().map(|point| point.step), Some(99_999));
        assert!(drawn.windows(2).all(|pair| pair[0].step < pair[1].step));
    }

    #[test]
    fn what_a_restarted_run_had_gone_beyond_is_forgotten_and_no_number_is_null() {
        let mut again = curve([1.0, 2.0, f64::NAN, 4.0]);
        assert_eq!(again.to_json()["values"], json!([1.0, 2.0, null, 4.0]));
        again.forget_from(2);
        assert_eq!(again.to_json()["steps"], json!([0, 1]));
    }

    #[test]
    fn counts_are_spread_over_even_buckets() {
        let counts =
            Counts { step: 0, wall: 0.0, least: 0.0, limits: vec![1.0, 2.0, 4.0], counts: vec![4.0, 0.0, 2.0] };
        assert_eq!(counts.in_buckets(0.0, 4.0, 4), [4.0, 0.0, 1.0, 1.0]);
        let one = Counts { step: 0, wall: 0.0, least: 3.0, limits: vec![3.0], counts: vec![7.0] };
        assert_eq!(one.in_buckets(3.0, 3.0, 3).iter().sum::<f64>(), 7.0);
        assert_eq!(one.in_buckets(0.0, 4.0, 4), [0.0, 0.0, 0.0, 7.0]);
    }
}
