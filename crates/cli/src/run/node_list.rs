//! The lists in Slurm's environment: names of nodes in brackets, and how many tasks are on each.

use tensor::{Result, ensure, err};

/// More machines than this are a mistake.
const MOST: usize = 100_000;

/// Slurm's `node[01-03,7],rack[1-2]n[1-4]`, spelt out in its order.
///
/// # Errors
/// `InvalidArgument` if the list is empty, malformed or longer than any machine room.
pub fn nodes(list: &str) -> Result<Vec<String>> {
    let malformed = |what: &str| err!(InvalidArgument, "the list of nodes '{list}' cannot be understood: {what}");
    let (mut all, mut rest) = (Vec::new(), list);
    loop {
        // One item: text and brackets in turn, up to a comma outside of brackets.
        let mut names = vec![String::new()];
        loop {
            let end = rest.find([',', '[', ']']).unwrap_or(rest.len());
            let (text, after) = rest.split_at(end);
            ensure_plain(text).map_err(|what| malformed(&what))?;
            names.iter_mut().for_each(|name| name.push_str(text));
            rest = after;
            let Some(inside) = after.strip_prefix('[') else { break };
            let (ranges, after) = inside.split_once(']').ok_or_else(|| malformed("a bracket is not closed"))?;
            let room = MOST / names.len();
            let numbers = numbers(ranges, room).map_err(|what| malformed(&what))?;
            names = names.iter().flat_map(|name| numbers.iter().map(move |number| format!("{name}{number}"))).collect();
            rest = after;
        }
        if names.iter().any(String::is_empty) {
            return Err(malformed("a name is empty"));
        }
        all.append(&mut names);
        ensure!(all.len() <= MOST, InvalidArgument, "the list of nodes '{list}' has more than {MOST} names");
        rest = match rest.strip_prefix(',') {
            Some(after) => after,
            None if rest.is_empty() => return Ok(all),
            None => return Err(malformed("a bracket is closed that was not opened")),
        };
    }
}

/// Names are for addresses: nothing in them that no address has.
fn ensure_plain(text: &str) -> Result<(), String> {
    match text.chars().find(|c| !(c.is_ascii_alphanumeric() || "-_.:".contains(*c))) {
        Some(c) => Err(format!("no name has {c:?}")),
        None => Ok(()),
    }
}

/// `01-03,7`: the numbers, as wide as the first of their range is written.
fn numbers(ranges: &str, room: usize) -> Result<Vec<String>, String> {
    let number = |text: &str| match text.bytes().all(|digit| digit.is_ascii_digit()) {
        true => text.parse::<u64>().map_err(|_| format!("'{text}' is not a number")),
        false => Err(format!("'{text}' is not a number")),
    };
    let mut all = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (from, to) = (number(first)?, number(last)?);
        if to < from {
            return Err(format!("{range} ends before it begins"));
        }
        if to - from >= (room - all.len()) as u64 {
            return Err(format!("{range} gives more than {MOST} names"));
        }
        all.extend((from..=to).map(|number| format!("{number:0width$}", width = first.len())));
    }
    Ok(all)
}

/// Slurm's `2(x3),1`: how many tasks are on each node.
///
/// # Errors
/// `InvalidArgument` if the text is malformed.
pub fn counts(text: &str) -> Result<Vec<u32>> {
    let malformed = || err!(InvalidArgument, "the tasks of nodes '{text}' cannot be understood");
    let mut counts = Vec::new();
    for item in text.split(',') {
        let (count, times) = match item.split_once("(x") {
            Some((count, times)) => (count, times.strip_suffix(')').ok_or_else(malformed)?),
            None => (item, "1"),
        };
        let (count, times): (u32, usize) =
            (count.parse().map_err(|_| malformed())?, times.parse().map_err(|_| malformed())?);
        if count as usize > MOST || times > MOST - counts.len() {
            return Err(malformed());
        }
        counts.extend(std::iter::repeat_n(count, times));
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_nodes_are_spelt_out() {
        assert_eq!(nodes("a").unwrap(), ["a"]);
        assert_eq!(nodes("node[01-03,7]").unwrap(), ["node01", "node02", "node03", "node7"]);
        assert_eq!(nodes("a-1,b[2,4-5],c").unwrap(), ["a-1", "b2", "b4", "b5", "c"]);
        assert_eq!(nodes("n[9-11].east").unwrap(), ["n9.east", "n10.east", "n11.east"]);
        assert_eq!(nodes("r[1-2]n[1-2],x").unwrap(), ["r1n1", "r1n2", "r2n1", "r2n2", "x"]);
        for bad in
            ["", ",", "a,", "a[1", "a]", "a[1]]", "a[[1]]", "a[x]", "a[]", "a[1,]", "a[2-1]", "a[-1]", "a b", "a[+1]"]
        {
            let error = nodes(bad).expect_err(bad);
            assert!(error.message().starts_with(&format!("the list of nodes '{bad}' cannot be")), "{error}");
        }
        for large in ["a[0-99999999]", "a[0-999]b[0-999]", "a[1-60000],b[1-60000]", "a[0-18446744073709551615]"] {
            assert!(nodes(large).is_err(), "{large}");
        }
    }

    #[test]
    fn tasks_of_nodes_are_counted() {
        assert_eq!(counts("2(x3),1").unwrap(), [2, 2, 2, 1]);
        assert_eq!(counts("4").unwrap(), [4]);
        for bad in ["", "1,", "x", "1(x", "1(x2", "1(x99999999999)", "99999999999", "1(2)"] {
            assert!(counts(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn damaged_lists_are_refused() {
        let seeds = ["node[01-03,7],rack[1-2]n[1-4]", "2(x3),1"].map(|seed| seed.as_bytes().to_vec());
        testkit::fuzz("node_list", &seeds, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let told = |outcome: Result<usize>| outcome.map_or_else(|status| status.to_string(), |n| n.to_string());
            told(nodes(&text).map(|nodes| nodes.len())) + &told(counts(&text).map(|counts| counts.len()))
        });
    }
}
