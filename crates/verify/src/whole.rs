//! Results of a whole program by the bytes of its files: a second run on unchanged files neither parses them nor
//! makes conditions.
//!
//! | in the key | why |
//! |---|---|
//! | the build of Stet | another build may read the same text differently |
//! | prover, prover options | as for single implementations |
//! | every option that changes conditions, results or which implementations are selected | likewise |
//! | the texts of the files, in order | positions are part of the results |
//!
//! Time and resource limits are not: only programs all of whose implementations were decided are kept, and more time
//! does not change a verdict. Programs with messages of the front end are not kept, as those would be lost.

use crate::cfg::CheckKind;
use crate::options::{Caching, Options};
use crate::result::{
    ImplementationResult, Obligation, Origin, Outcome, Priority, TraceStep, Verdict,
    VerificationError,
};
use crate::task::ENGINE_VERSION;
use stet_base::{FileId, Index, Span};
use stet_boogie::ast::ImplId;
use stet_key::{DecodeError, Decoder, Digest, Encoder, KeyBuilder, KeyParts};
use stet_store::{Entry, Provenance, Store};

/// The kind of whole programs in the store.
pub const PROGRAM_KIND: &str = "verify/program";

/// The key of a program's results.
pub struct ProgramKey {
    key: Digest,
    parts: KeyParts,
    files: Vec<FileId>,
}

impl ProgramKey {
    /// The key of these files; `None` if such results are not to be reused with these options. `build` identifies the
    /// running build of Stet.
    pub fn new(build: &str, files: &[(FileId, &str)], options: &Options) -> Option<ProgramKey> {
        let reused = options.caching != Caching::Off && !options.check_cache;
        if !reused || options.want_models {
            return None;
        }
        let mut builder = KeyBuilder::new(PROGRAM_KIND);
        builder.part("build", |e| {
            e.str(ENGINE_VERSION);
            e.str(build);
        });
        builder.part("prover", |e| {
            e.str(options.identity.kind.name());
            e.str(&options.identity.version);
        });
        builder.part("options", |e| encode_options(e, options));
        builder.part("files", |e| {
            e.sequence(files, |e, (_, text)| {
                e.digest(&Digest::of_bytes(text.as_bytes()))
            });
        });
        let (key, parts) = builder.finish();
        Some(ProgramKey {
            key,
            parts,
            files: files.iter().map(|(file, _)| *file).collect(),
        })
    }

    /// The results, if they are known; all of them count as reused.
    pub fn recall(&self, store: &Store) -> Option<Vec<ImplementationResult>> {
        let entry = store.get(PROGRAM_KIND, &self.key)?;
        let mut reader = Reader {
            decoder: Decoder::new(&entry.evidence),
            files: &self.files,
            recorded: entry.provenance.created,
        };
        let results = reader.results().ok()?;
        reader.decoder.finish().ok()?;
        Some(results)
    }

    /// Keeps results if all of them are verdicts.
    pub fn remember(&self, store: &Store, options: &Options, results: &[ImplementationResult]) {
        let decided =
            |r: &ImplementationResult| matches!(r.outcome, Outcome::Verified | Outcome::Errors);
        let complete = |r: &ImplementationResult| {
            let unknown = |o: &Obligation| o.verdict == Verdict::Unknown;
            r.errors.len() == options.error_limit || !r.obligations.iter().any(unknown)
        };
        if !results.iter().all(|r| decided(r) && complete(r)) {
            return;
        }
        let mut encoder = Encoder::new();
        if write_results(&mut encoder, &self.files, results).is_none() {
            return;
        }
        let failed = results.iter().any(|r| r.outcome == Outcome::Errors);
        store.put(Entry {
            key: self.key,
            kind: PROGRAM_KIND.into(),
            subject: None,
            outcome: if failed {
                stet_store::Outcome::Fails
            } else {
                stet_store::Outcome::Holds
            },
            evidence: encoder.bytes().to_vec(),
            provenance: Provenance::now("verify", ENGINE_VERSION, &options.identity.version),
            parts: self.parts.clone(),
        });
    }
}

fn encode_options(e: &mut Encoder, options: &Options) {
    e.u64(options.error_limit as u64);
    e.u8(options.subsumption);
    e.bool(options.infer_intervals);
    e.option(options.loop_unroll, Encoder::u32);
    e.bool(options.sound_unrolling);
    e.bool(options.coalesce_blocks);
    e.bool(options.inline_calls);
    e.bool(options.arrays);
    e.sequence(&options.procedures, |e, pattern| e.str(pattern));
    e.sequence(&options.prover_options, |e, (name, value)| {
        e.str(name);
        e.str(value);
    });
}

/// Writes results; `None` if one of them cannot be written.
fn write_results(
    e: &mut Encoder,
    files: &[FileId],
    results: &[ImplementationResult],
) -> Option<()> {
    let spans = |span: Span| {
        let file = files.iter().position(|&file| file == span.file)?;
        Some((file as u32, span))
    };
    let span = |e: &mut Encoder, span: Span| {
        let (file, span) = spans(span)?;
        e.u32(file);
        e.u32(span.start);
        e.u32(span.end);
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
        e.u32(result.implementation.index() as u32);
        e.str(&result.name);
        span(e, result.span)?;
        e.bool(result.outcome == Outcome::Errors);
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
        }
    }
    Some(())
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
    files: &'a [FileId],
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
        let outcome = if self.decoder.bool()? {
            Outcome::Errors
        } else {
            Outcome::Verified
        };
        let key = self.decoder.str()?.to_owned();
        let count = self.decoder.u32()?;
        let obligations = (0..count).map(|_| self.obligation());
        let obligations = obligations.collect::<Read<Vec<_>>>()?;
        let count = self.decoder.u32()?;
        let errors = (0..count).map(|_| self.error());
        let errors = errors.collect::<Read<Vec<_>>>()?;
        Ok(ImplementationResult {
            implementation,
            name,
            span,
            outcome,
            errors,
            obligations,
            priority: Priority::Highest,
            cached: true,
            recorded: Some(self.recorded),
            key,
            caching_trace: Vec::new(),
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
        Ok(VerificationError {
            kind,
            span,
            related,
            message,
            trace,
            model: None,
            origin: Origin::Cached,
            obligation,
        })
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
        let file = self.decoder.u32()? as usize;
        let file = *self.files.get(file).ok_or(DecodeError::OutOfRange)?;
        let (start, end) = (self.decoder.u32()?, self.decoder.u32()?);
        if start > end {
            return Err(DecodeError::OutOfRange);
        }
        Ok(Span { file, start, end })
    }
}
