//! Expressions as the program would write them, and what Dafny proposes in its messages.

use crate::cx::Cx;
use crate::wf::Reader;
use stet_dafny::tree::{ExprId, ExprKind, PatternKind};

impl Cx<'_> {
    /// What would allow reading `e`: a selection of a field or an element, or the array of a range.
    pub(crate) fn reads_hint(&mut self, e: ExprId, reader: Reader) -> String {
        let (object, field) = match self.p.exprs[e].kind {
            ExprKind::Field { object, field, .. } => (object, Some(field)),
            ExprKind::ArrayIndex(array, _) => (array, None),
            _ => (e, None),
        };
        let enclosing = match reader {
            Reader::Closed => {
                let subject = if field.is_some() {
                    "Mutable fields"
                } else {
                    "Array elements"
                };
                return format!(
                    "; {subject} cannot be accessed within certain scopes, such as default values, the right-hand side of constants, or co-recursive calls"
                );
            }
            Reader::Lambda => "lambda",
            Reader::Function => "function",
            Reader::TwostateFunction => "twostate function",
        };
        let Some(text) = self.source(object) else {
            return String::new();
        };
        let name = field.map(|f| self.p.text(self.p.members[f].name).to_owned());
        match (reader, name) {
            (Reader::Lambda, name) => {
                let name = name.unwrap_or_else(|| text.clone());
                format!(
                    "; Consider extracting {name} to a local variable before the lambda expression, or adding 'reads {text}' in the enclosing lambda specification for resolution"
                )
            }
            (_, Some(name)) => format!(
                "; Consider adding 'reads {text}' or 'reads {text}`{name}' in the enclosing {enclosing} specification for resolution"
            ),
            (_, None) => format!(
                "; Consider adding 'reads {text}' in the enclosing {enclosing} specification for resolution"
            ),
        }
    }

    /// A simple expression as the program would write it; nothing for others.
    pub(crate) fn source(&mut self, e: ExprId) -> Option<String> {
        let expr = &self.p.exprs[e];
        match &expr.kind {
            ExprKind::Var(v) => Some(self.p.text(self.p.vars[*v].name).to_owned()),
            ExprKind::This => Some("this".into()),
            ExprKind::Int(n) => Some(n.to_string()),
            ExprKind::Field { object, field, .. } => {
                let object = self.source(*object)?;
                Some(format!(
                    "{object}.{}",
                    self.p.text(self.p.members[*field].name)
                ))
            }
            ExprKind::Index(of, at) => {
                Some(format!("{}[{}]", self.source(*of)?, self.source(*at)?))
            }
            ExprKind::ArrayIndex(array, indices) => {
                let mut texts = Vec::new();
                for &i in indices {
                    texts.push(self.source(i)?);
                }
                Some(format!("{}[{}]", self.source(*array)?, texts.join(", ")))
            }
            ExprKind::Let {
                patterns,
                values,
                body,
                ghost,
                ..
            } => {
                let ([pattern], [value]) = (&patterns[..], &values[..]) else {
                    return None;
                };
                let PatternKind::Var(v) = pattern.kind else {
                    return None;
                };
                let (value, body) = (self.source(*value)?, self.source(*body)?);
                let ty = self.type_text(self.p.vars[v].ty);
                let name = self.p.text(self.p.vars[v].name);
                let ghost = if *ghost { "ghost " } else { "" };
                Some(format!("{ghost}var {name}: {ty} := {value}; {body}"))
            }
            _ => None,
        }
    }
}
