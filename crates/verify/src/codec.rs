//! Results in a form that outlives the process. Positions are written relative to regions of the text that the caller
//! knows again: files, or declarations and bodies.

use crate::cfg::CheckKind;
use crate::result::{
    Conclusion, ImplementationResult, MergedExit, Obligation, Origin, Priority, TraceStep, Verdict,
    VerificationError,
};
use stet_base::{Index, Span};
use stet_boogie::ast::ImplId;
use stet_key::{DecodeError, Decoder, Encoder};

/// Writes results; `None` if one of them cannot be written.
pub(crate) fn write(
    results: &[ImplementationResult],
    place: &dyn Fn(Span) -> Option<(u32, u32, u32)>,
) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new();
    let e = &mut encoder;
    let span = |e: &mut Encoder, span: Span| {
        let (region, start, end) = place(span)?;
        e.u32(region);
        e.u32(start);
        e.u32(end);
        Some(())
    };
    let optional = |e: &mut Encoder, place: Option<Span>| {
        e.bool(place.is_some());
        match place {
            Some(place) => span(e, place),
            None => Some(()),
        }
    };
    e.u32(results.len() as u32);
    for result in results {
        debug_assert!(
            result.unreachable.is_empty(),
            "what the form has no place for is not written"
        );
        debug_assert!(
            is_consistent(&result.conclusion, &result.errors, &result.obligations),
            "the conclusion is what the checks say"
        );
        e.u32(result.implementation.index() as u32);
        e.str(&result.name);
        span(e, result.span)?;
        e.bool(result.conclusion == Conclusion::Errors);
        e.str(&result.key);
        e.u32(result.obligations.len() as u32);
        for obligation in &result.obligations {
            e.u8(kind_tag(obligation.kind));
            span(e, obligation.span)?;
            optional(e, obligation.related)?;
            e.u8(match obligation.verdict {
                Verdict::Verified => 0,
                Verdict::Failed => 1,
                Verdict::Unknown => 2,
            });
        }
        e.u32(result.errors.len() as u32);
        for error in &result.errors {
            if error.model.is_some() {
                return None;
            }
            e.u8(kind_tag(error.kind));
            span(e, error.span)?;
            optional(e, error.related)?;
            e.option(error.message.as_deref(), Encoder::str);
            e.u32(error.obligation as u32);
            e.u32(error.trace.len() as u32);
            for step in &error.trace {
                optional(e, step.span)?;
                e.str(&step.label);
                e.bool(step.silent);
            }
            optional(e, error.merged_exit.place)?;
            let step = error.merged_exit.step.as_ref();
            e.bool(step.is_some());
            if let Some(step) = step {
                optional(e, step.span)?;
                e.str(&step.label);
            }
        }
    }
    Some(encoder.bytes().to_vec())
}

/// Reads results; all of them count as reused.
pub(crate) fn read(
    bytes: &[u8],
    recorded: u64,
    place: &dyn Fn(u32, u32, u32) -> Option<Span>,
) -> Result<Vec<ImplementationResult>, DecodeError> {
    let mut reader = Reader {
        decoder: Decoder::new(bytes),
        place,
        recorded,
    };
    let results = reader.results()?;
    reader.decoder.finish()?;
    Ok(results)
}

/// Whether a conclusion is what the checks say: verified if all are, errors only about checks that fail.
fn is_consistent(
    conclusion: &Conclusion,
    errors: &[VerificationError],
    obligations: &[Obligation],
) -> bool {
    let is_proved = |o: &Obligation| o.verdict == Verdict::Verified;
    let fails = |e: &VerificationError| {
        obligations
            .get(e.obligation)
            .is_some_and(|o| o.verdict == Verdict::Failed)
    };
    match conclusion {
        Conclusion::Verified => errors.is_empty() && obligations.iter().all(is_proved),
        Conclusion::Errors => !errors.is_empty() && errors.iter().all(fails),
        _ => false,
    }
}
fn kind_tag(kind: CheckKind) -> u8 {
    match kind {
        CheckKind::Assert => 0,
        CheckKind::Requires => 1,
        CheckKind::Ensures => 2,
        CheckKind::InvariantEntry => 3,
        CheckKind::InvariantMaintained => 4,
    }
}

struct Reader<'a> {
    decoder: Decoder<'a>,
    place: &'a dyn Fn(u32, u32, u32) -> Option<Span>,
    recorded: u64,
}

type Read<T> = Result<T, DecodeError>;

impl Reader<'_> {
    fn results(&mut self) -> Read<Vec<ImplementationResult>> {
        let count = self.decoder.u32()?;
        (0..count).map(|_| self.result()).collect()
    }

    fn result(&mut self) -> Read<ImplementationResult> {
        let implementation = ImplId::from_index(self.decoder.u32()? as usize);
        let name = self.decoder.str()?.to_owned();
        let span = self.span()?;
        let conclusion = if self.decoder.bool()? {
            Conclusion::Errors
        } else {
            Conclusion::Verified
        };
        let key = self.decoder.str()?.to_owned();
        let count = self.decoder.u32()?;
        let obligations = (0..count).map(|_| self.obligation());
        let obligations = obligations.collect::<Read<Vec<_>>>()?;
        let count = self.decoder.u32()?;
        let errors = (0..count).map(|_| self.error());
        let errors = errors.collect::<Read<Vec<_>>>()?;
        if !is_consistent(&conclusion, &errors, &obligations) {
            return Err(DecodeError::OutOfRange);
        }
        Ok(ImplementationResult {
            implementation,
            name,
            span,
            conclusion,
            errors,
            obligations,
            priority: Priority::Highest,
            cached: true,
            recorded: Some(self.recorded),
            key,
            time: std::time::Duration::ZERO,
            resources: 0,
            unreachable: Vec::new(),
        })
    }

    fn obligation(&mut self) -> Read<Obligation> {
        Ok(Obligation {
            kind: self.kind()?,
            span: self.span()?,
            related: self.optional()?,
            verdict: match self.decoder.u8()? {
                0 => Verdict::Verified,
                1 => Verdict::Failed,
                2 => Verdict::Unknown,
                _ => return Err(DecodeError::OutOfRange),
            },
            origin: Origin::Cached,
            condition: None,
        })
    }

    fn error(&mut self) -> Read<VerificationError> {
        let kind = self.kind()?;
        let span = self.span()?;
        let related = self.optional()?;
        let message = self.decoder.option(|d| Ok(d.str()?.to_owned()))?;
        let obligation = self.decoder.u32()? as usize;
        let count = self.decoder.u32()?;
        let trace = (0..count).map(|_| {
            Ok(TraceStep {
                span: self.optional()?,
                label: self.decoder.str()?.to_owned(),
                silent: self.decoder.bool()?,
            })
        });
        let trace = trace.collect::<Read<Vec<_>>>()?;
        let merged_exit = self.merged_exit()?;
        Ok(VerificationError {
            kind,
            span,
            related,
            message,
            trace,
            model: None,
            origin: Origin::Cached,
            // Asked only of what was computed afresh.
            is_certain: false,
            obligation,
            merged_exit,
        })
    }

    fn merged_exit(&mut self) -> Read<MergedExit> {
        let place = self.optional()?;
        let mut step = None;
        if self.decoder.bool()? {
            step = Some(TraceStep {
                span: self.optional()?,
                label: self.decoder.str()?.to_owned(),
                silent: false,
            });
        }
        Ok(MergedExit { place, step })
    }

    fn kind(&mut self) -> Read<CheckKind> {
        Ok(match self.decoder.u8()? {
            0 => CheckKind::Assert,
            1 => CheckKind::Requires,
            2 => CheckKind::Ensures,
            3 => CheckKind::InvariantEntry,
            4 => CheckKind::InvariantMaintained,
            _ => return Err(DecodeError::OutOfRange),
        })
    }

    fn optional(&mut self) -> Read<Option<Span>> {
        if self.decoder.bool()? {
            return self.span().map(Some);
        }
        Ok(None)
    }

    fn span(&mut self) -> Read<Span> {
        let region = self.decoder.u32()?;
        let (start, end) = (self.decoder.u32()?, self.decoder.u32()?);
        let span = (self.place)(region, start, end);
        span.filter(|span| span.start <= span.end)
            .ok_or(DecodeError::OutOfRange)
    }
}
