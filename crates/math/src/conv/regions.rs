//! Which parts of an output lie under the same taps of a filter.
//!
//! Near the border of an image some taps lie outside. Outputs that have the same taps inside form rectangles; each
//! is computed from those taps alone, so that a border is neither copied nor multiplied.

use std::ops::Range;

/// One axis of a filter that slides over an image.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Size of the image.
    pub input: usize,
    /// Taps of the filter.
    pub taps: usize,
    pub stride: usize,
    pub dilation: usize,
    /// How far the first tap of the first output lies before the image; below zero, inside it.
    pub before: isize,
}

impl Axis {
    /// The taps that lie inside the image for an output.
    pub fn taps_inside(&self, output: usize) -> Range<usize> {
        let first = (output * self.stride) as isize - self.before;
        // The least tap at or behind the start, and the least at or behind the end.
        let reach = |place: isize| (place - first).max(0) as usize;
        let (start, end) = (reach(0).div_ceil(self.dilation), reach(self.input as isize).div_ceil(self.dilation));
        start.min(self.taps)..end.min(self.taps).max(start.min(self.taps))
    }

    /// The outputs, of so many, for which a tap lies inside the image.
    pub fn outputs_inside(&self, tap: usize, outputs: usize) -> Range<usize> {
        let at = (tap * self.dilation) as isize - self.before;
        let reach = |place: isize| (place - at).max(0) as usize;
        let (start, end) = (reach(0).div_ceil(self.stride), reach(self.input as isize).div_ceil(self.stride));
        start.min(outputs)..end.min(outputs).max(start.min(outputs))
    }

    /// Where a tap lies in the image for an output; only for taps inside.
    pub fn place(&self, output: usize, tap: usize) -> usize {
        ((output * self.stride + tap * self.dilation) as isize - self.before) as usize
    }

    /// Ranges of outputs, in order, with the taps that lie inside for all of a range.
    pub fn stretches(&self, outputs: usize) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::new();
        for output in 0..outputs {
            let taps = self.taps_inside(output);
            match stretches.last_mut() {
                Some(last) if last.taps == taps => last.outputs.end += 1,
                _ => stretches.push(Stretch { outputs: output..output + 1, taps }),
            }
        }
        stretches
    }
}

/// Outputs side by side with the same taps inside the image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub outputs: Range<usize>,
    pub taps: Range<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_and_outputs_are_those_inside() {
        for (input, taps, stride, dilation) in [(5, 3, 1, 1), (7, 5, 2, 1), (6, 3, 1, 3), (9, 2, 4, 2), (1, 4, 1, 2)] {
            for before in -3..6 {
                let axis = Axis { input, taps, stride, dilation, before };
                let outputs = 7;
                let inside = |output: usize, tap: usize| {
                    let place = (output * stride + tap * dilation) as isize - before;
                    (0..input as isize).contains(&place)
                };
                for output in 0..outputs {
                    let found = axis.taps_inside(output);
                    assert!((0..taps).all(|tap| inside(output, tap) == found.contains(&tap)), "{axis:?} {output}");
                }
                for tap in 0..taps {
                    let found = axis.outputs_inside(tap, outputs);
                    assert!(
                        (0..outputs).all(|output| inside(output, tap) == found.contains(&output)),
                        "{axis:?} {tap}"
                    );
                }
            }
        }
    }

    #[test]
    fn stretches_cover_all_outputs() {
        let axis = Axis { input: 6, taps: 3, stride: 1, dilation: 1, before: 1 };
        let stretch = |outputs, taps| Stretch { outputs, taps };
        assert_eq!(axis.stretches(6), [stretch(0..1, 1..3), stretch(1..5, 0..3), stretch(5..6, 0..2)]);
    }
}
