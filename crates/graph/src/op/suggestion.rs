//! The name that a misspelt one was meant to be.

/// Returns the name that is nearest to `wanted`, where one is near: letters that differ only in case do not count, and
/// at most a letter in four is missing, added or another one.
pub(super) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = wanted.to_lowercase();
    let allowed = lower.len() / 4;
    let near = |name: &'a str| {
        let distance = (name.len().abs_diff(lower.len()) <= allowed)
            .then(|| distance(lower.as_bytes(), name.to_lowercase().as_bytes()))
            .filter(|distance| *distance <= allowed)?;
        Some((distance, name))
    };
    names.filter_map(near).min().map(|(_, name)| name)
}

/// Returns how many letters must be put in, taken out or replaced to turn `a` into `b`.
fn distance(a: &[u8], b: &[u8]) -> usize {
    // Entry `j` of a row is the distance of the first letters of `a` to the first `j` of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["BatchMatMul", "MatMul", "Max", "Mean", "SparseMatMul"];
        let nearest = |wanted| nearest(wanted, names.into_iter());
        assert_eq!(nearest("Matmul"), Some("MatMul"));
        assert_eq!(nearest("matmull"), Some("MatMul"));
        assert_eq!(nearest("BatchMatMull"), Some("BatchMatMul"));
        assert_eq!(nearest("Maen"), None, "two letters of four");
        assert_eq!(nearest("Meann"), Some("Mean"));
        assert_eq!(nearest("Convolution"), None);
        assert_eq!(nearest(""), None);
    }

    #[test]
    fn distances() {
        for (a, b, wanted) in [("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("abc", "acb", 2)]
        {
            assert_eq!(distance(a.as_bytes(), b.as_bytes()), wanted, "{a} {b}");
        }
    }
}
