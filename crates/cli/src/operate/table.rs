//! Tables for people: columns as wide as what stands in them, colours on a terminal only.

use std::io::IsTerminal;

/// What a cell is to look like on a terminal.
#[derive(Clone, Copy, PartialEq)]
pub enum Look {
    Plain,
    Good,
    Doubtful,
    Bad,
}

/// Rows under headings.
pub struct Table {
    headings: Vec<&'static str>,
    rows: Vec<Vec<(String, Look)>>,
}

impl Table {
    pub fn new(headings: &[&'static str]) -> Table {
        Table { headings: headings.to_vec(), rows: Vec::new() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.looking(cells.into_iter().map(|cell| (cell, Look::Plain)));
    }

    pub fn looking(&mut self, cells: impl IntoIterator<Item = (String, Look)>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as text, each line with its end.
    pub fn text(&self, colours: bool) -> String {
        let mut widths: Vec<usize> = self.headings.iter().map(|heading| heading.chars().count()).collect();
        for row in &self.rows {
            for (width, (cell, _)) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let headings = self.headings.iter().map(|heading| ((*heading).to_owned(), Look::Plain)).collect();
        let mut text = String::new();
        for row in std::iter::once(&headings).chain(&self.rows) {
            let mut line = String::new();
            for ((cell, look), width) in row.iter().zip(&widths) {
                let padding = " ".repeat(width - cell.chars().count() + 2);
                line.push_str(&painted(cell, *look, colours));
                line.push_str(&padding);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Whether standard output shows colours.
pub fn colours() -> bool {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !no_color
}

/// Text in the colour of its look.
pub fn painted(text: &str, look: Look, colours: bool) -> String {
    let colour = match look {
        _ if !colours => return text.to_owned(),
        Look::Plain => return text.to_owned(),
        Look::Good => "32",
        Look::Doubtful => "33",
        Look::Bad => "31",
    };
    format!("\x1b[{colour}m{text}\x1b[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_stands_in_them() {
        let mut table = Table::new(&["TASK", "UP"]);
        table.row(["ps:0".to_owned(), "1s".to_owned()]);
        table.looking([("worker:10".to_owned(), Look::Bad), (String::new(), Look::Plain)]);
        assert_eq!(table.text(false), "TASK       UP\nps:0       1s\nworker:10\n");
        assert!(table.text(true).contains("\x1b[31mworker:10\x1b[0m"));
    }
}
