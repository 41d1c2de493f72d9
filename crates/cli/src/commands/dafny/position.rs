//! `--filter-position`: what is verified is what stands in some lines of a file.

use stet_base::SourceMap;

/// Lines of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Position {
    /// The end of the file's name; empty for every file.
    file: String,
    first: u32,
    last: u32,
}

impl std::str::FromStr for Position {
    type Err = String;

    /// `file:line`, `file:first-last`, `file:first-`, `:line`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`--filter-position {text}`: a place such as a.dfy:12 is expected");
        let (file, lines) = text.rsplit_once(':').ok_or_else(wrong)?;
        let (first, last) = match lines.split_once('-') {
            Some((first, "")) => (first, None),
            Some((first, last)) => (first, Some(last)),
            None => (lines, Some(lines)),
        };
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        Ok(Position {
            file: file.to_owned(),
            first: match first {
                "" => 1,
                first => number(first)?,
            },
            last: match last {
                Some(last) => number(last)?,
                None => u32::MAX,
            },
        })
    }
}

impl Position {
    /// The implementations of what stands in these lines: a member reaches from its name to the next one's.
    pub(super) fn implementations(
        &self,
        sources: &SourceMap,
        program: &stet_boogie::Program,
    ) -> Vec<String> {
        let mut starts: Vec<(u32, String)> = Vec::new();
        for (_, implementation) in program.impls.iter() {
            let span = implementation.span;
            let is_there = !stet_boogie::is_nowhere(span)
                && sources.file(span.file).name().ends_with(&self.file);
            if is_there {
                let line = sources.start_of(span).line;
                starts.push((line, program.name(implementation.name).to_owned()));
            }
        }
        let before = starts.iter().filter(|(line, _)| *line <= self.first);
        let from = before.map(|(line, _)| *line).max().unwrap_or(self.first);
        let inside = starts.into_iter();
        let inside = inside.filter(|(line, _)| (from..=self.last).contains(line));
        inside.map(|(_, name)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn places_are_lines_and_ranges_of_lines() {
        let lines = |text: &str| text.parse::<Position>().map(|p| (p.first, p.last)).ok();
        assert_eq!(lines("a.dfy:12"), Some((12, 12)));
        assert_eq!(lines(":3-9"), Some((3, 9)));
        assert_eq!(lines("a.dfy:3-"), Some((3, u32::MAX)));
        assert_eq!(lines("a.dfy"), None);
        assert_eq!(lines("a.dfy:x"), None);
    }
}
