//! Every `unsafe` block and implementation says on what it relies: a comment that starts with `SAFETY:` before it, or before
//! the statement it is part of.

/// How many lines of a statement may stand between the comment and the block.
const STATEMENT: usize = 3;

/// The line numbers of blocks without such a comment.
pub(super) fn undocumented(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let mut in_text = false;
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let was_in_text = in_text;
        in_text = ends_in_text(line, in_text);
        let opens = line.contains("unsafe {") || line.starts_with("unsafe impl");
        if opens && !was_in_text && !line.starts_with("//") && !is_documented(&lines, number) {
            found.push(number + 1);
        }
    }
    found
}

/// Whether a line ends inside a string literal that goes on with a backslash.
fn ends_in_text(line: &str, was_in_text: bool) -> bool {
    let quotes = line.replace("\\\"", "").matches('"').count();
    (was_in_text != (quotes % 2 == 1)) && line.ends_with('\\')
}

fn is_documented(lines: &[&str], number: usize) -> bool {
    let says = |line: &str| line.contains("SAFETY:");
    if says(lines[number]) {
        return true;
    }
    let before = &lines[..number];
    let mut code = 0;
    for line in before.iter().rev() {
        if says(line) {
            return true;
        }
        if !line.starts_with("//") && !line.starts_with("#[") {
            code += 1;
            if code > STATEMENT || line.is_empty() {
                return false;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::undocumented;

    #[test]
    fn blocks_say_what_they_rely_on() {
        assert_eq!(undocumented("fn f() {\n    unsafe { g() }\n}\n"), [2]);
        assert!(undocumented("// SAFETY: `g` is fine.\nunsafe { g() }\n").is_empty());
        assert!(undocumented("// SAFETY: fine.\nlet a =\n    unsafe { g() };\n").is_empty());
        assert_eq!(
            undocumented("// SAFETY: fine.\n\nunsafe impl Send for A {}\n"),
            [3]
        );
        assert!(undocumented("let text = \"a \\\n  unsafe { b }\\\n\";\n").is_empty());
    }
}
