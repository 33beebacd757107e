//! Giving images their border of zeros.

use super::ConvGeometry;
use crate::number::Number;

/// An image with room around it: sizes and where the original lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Size of the original.
    pub height: usize,
    pub width: usize,
    pub channels: usize,
    /// Rows and columns of zeros before the original.
    pub top: usize,
    pub left: usize,
    /// Size with the border; it may also be smaller than the original on the far sides.
    pub padded_height: usize,
    pub padded_width: usize,
    /// Distance of neighbouring originals in the padded image; above 1 there are zeros between.
    pub spread: [usize; 2],
}

impl Frame {
    /// The frame of the input of a convolution.
    pub fn of(g: &ConvGeometry) -> Self {
        Self {
            height: g.in_height,
            width: g.in_width,
            channels: g.in_channels,
            top: g.pad_top,
            left: g.pad_left,
            padded_height: g.padded_height(),
            padded_width: g.padded_width(),
            spread: [1, 1],
        }
    }

    /// Elements of a padded row.
    pub fn row_len(&self) -> usize {
        self.padded_width * self.channels
    }

    /// True when the padded image is the original.
    pub fn is_original(&self) -> bool {
        self.top == 0
            && self.left == 0
            && self.padded_height == self.height
            && self.padded_width == self.width
            && self.spread == [1, 1]
    }

    /// Writes the padded rows from `first` on, as many as `rows` holds, of `image`.
    pub fn write<T: Number>(&self, image: &[T], first: usize, rows: &mut [T]) {
        let row_len = self.row_len();
        if row_len == 0 {
            return;
        }
        for (i, row) in rows.chunks_exact_mut(row_len).enumerate() {
            let inside = (first + i).checked_sub(self.top).filter(|y| y.is_multiple_of(self.spread[0]));
            match inside.map(|y| y / self.spread[0]).filter(|&y| y < self.height) {
                None => row.fill(T::ZERO),
                Some(y) => {
                    let from = &image[y * self.width * self.channels..][..self.width * self.channels];
                    self.write_row(from, row);
                }
            }
        }
    }

    fn write_row<T: Number>(&self, from: &[T], row: &mut [T]) {
        let left = (self.left * self.channels).min(row.len());
        if self.spread[1] == 1 {
            let (border, rest) = row.split_at_mut(left);
            border.fill(T::ZERO);
            let many = from.len().min(rest.len());
            rest[..many].copy_from_slice(&from[..many]);
            rest[many..].fill(T::ZERO);
            return;
        }
        row.fill(T::ZERO);
        let pixels = row[left..].chunks_exact_mut(self.channels).step_by(self.spread[1]);
        for (to, from) in pixels.zip(from.chunks_exact(self.channels)) {
            to.copy_from_slice(from);
        }
    }
}
