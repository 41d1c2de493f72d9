//! Boogie's command line: `/name`, `-name`, `/name:value`, values in the next argument where there is no colon.
//!
//! Every option of Boogie 2.4.1 is known, so that scripts keep working; those without a meaning here are accepted and have no effect.

use std::collections::BTreeMap;

/// What an option takes.
#[derive(Clone, Copy)]
enum Takes {
    Nothing,
    /// A number, below the limit if there is one.
    Number(Option<i64>),
    /// A number with a fraction.
    Fraction,
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any of these letters.
    Letters(&'static str),
}

/// A command line that was understood.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// The input files.
    pub(super) files: Vec<String>,
    values: BTreeMap<&'static str, Vec<String>>,
    /// All arguments as given, for the header of printed programs.
    pub(super) raw: Vec<String>,
}

/// Reads the arguments; the messages of all that are wrong otherwise.
pub(super) fn parse(arguments: Vec<String>) -> Result<Arguments, Vec<String>> {
    let mut result = Arguments {
        raw: arguments.clone(),
        ..Arguments::default()
    };
    let mut problems = Vec::new();
    let mut rest = arguments.into_iter().peekable();
    while let Some(argument) = rest.next() {
        if !argument.starts_with(['-', '/']) {
            result.files.push(argument);
            continue;
        }
        let (switch, colon) = match argument.split_once(':') {
            Some((switch, value)) => (switch, Some(value.to_owned())),
            None => (argument.as_str(), None),
        };
        let Some(&(name, takes)) = OPTIONS.iter().find(|o| o.0 == &switch[1..]) else {
            if argument.starts_with('/') {
                result.files.push(argument);
            } else {
                problems.push(format!("unknown switch: {switch}"));
            }
            continue;
        };
        if matches!(takes, Takes::Nothing) {
            if colon.is_some() {
                problems.push(format!("\"{switch}\" cannot take a colon argument"));
                problems.push(format!("unknown switch: {switch}"));
            } else {
                result.values.entry(name).or_default().push(String::new());
            }
            continue;
        }
        let Some(value) = colon.or_else(|| rest.next()) else {
            problems.push(format!("\"{switch}\" expects 1 argument"));
            continue;
        };
        match check(takes, &value) {
            Ok(()) => result.values.entry(name).or_default().push(value),
            Err(quote) => problems.push(format!(
                "Invalid argument {quote}{value}{quote} to option {switch}"
            )),
        }
    }
    if problems.is_empty() {
        Ok(result)
    } else {
        Err(problems)
    }
}

/// Whether a value fits; the quotation mark of the message if not.
fn check(takes: Takes, value: &str) -> Result<(), char> {
    let fits = match takes {
        Takes::Nothing | Takes::Text => true,
        Takes::Number(limit) => match value.parse::<i64>() {
            Ok(number) => number >= 0 && limit.is_none_or(|l| number < l),
            Err(_) => false,
        },
        Takes::Fraction => value.parse::<f64>().is_ok(),
        Takes::Word(words) => return words.contains(&value).then_some(()).ok_or('\''),
        Takes::Letters(letters) => {
            let fits = value.chars().all(|c| letters.contains(c));
            return fits.then_some(()).ok_or('\'');
        }
    };
    fits.then_some(()).ok_or('"')
}

impl Arguments {
    /// Whether a switch was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The last value of an option.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.last().map(String::as_str)
    }

    /// All values of an option.
    pub(super) fn texts(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// The last value of a numeric option.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// Options for analyses that Stet does not have, which would give other verdicts.
    pub(super) fn other_analyses(&self) -> impl Iterator<Item = &'static str> {
        OTHER_ANALYSES.iter().copied().filter(|name| self.has(name))
    }

    /// A file name with `@PREFIX@` and `@FILE@` replaced.
    pub(super) fn file_name(&self, name: &str) -> Option<String> {
        let text = self.text(name)?;
        let prefix = self.texts("logPrefix").concat();
        let file = self.files.last().map_or("", String::as_str);
        let file = file.replace(['/', ':'], "-");
        Some(text.replace("@PREFIX@", &prefix).replace("@FILE@", &file))
    }
}

const TWO: Takes = Takes::Number(Some(2));
const THREE: Takes = Takes::Number(Some(3));
const FOUR: Takes = Takes::Number(Some(4));
const NUMBER: Takes = Takes::Number(None);

const OTHER_ANALYSES: &[&str] = &[
    "contractInfer",
    "abstractHoudini",
    "stagedHoudini",
    "concurrentHoudini",
    "stratifiedInline",
    "lazyInline",
    "fixedPointEngine",
    "fixedPointInfer",
    "extractLoops",
    "deterministicExtractLoops",
    "interprocInfer",
    "kInductionDepth",
    "secure",
    "printSplit",
];

const OPTIONS: &[(&str, Takes)] = &[
    ("help", Takes::Nothing),
    ("?", Takes::Nothing),
    ("attrHelp", Takes::Nothing),
    ("nologo", Takes::Nothing),
    ("env", THREE),
    ("break", Takes::Nothing),
    ("launch", Takes::Nothing),
    ("wait", Takes::Nothing),
    ("trace", Takes::Nothing),
    ("traceTimes", Takes::Nothing),
    ("tracePOs", Takes::Nothing),
    ("traceverify", Takes::Nothing),
    ("proc", Takes::Text),
    ("xml", Takes::Text),
    ("print", Takes::Text),
    ("pretty", TWO),
    ("printUnstructured", Takes::Nothing),
    ("printDesugared", Takes::Nothing),
    ("printLambdaLifting", Takes::Nothing),
    ("printInstrumented", Takes::Nothing),
    ("printInlined", Takes::Nothing),
    ("printWithUniqueIds", Takes::Nothing),
    ("printCFG", Takes::Text),
    ("noResolve", Takes::Nothing),
    ("noTypecheck", Takes::Nothing),
    ("overlookTypeErrors", Takes::Nothing),
    ("noVerify", Takes::Nothing),
    ("useBaseNameForFileName", Takes::Nothing),
    ("infer", Takes::Letters("tcsjdp0123456789h")),
    ("noinfer", Takes::Nothing),
    // Of later versions: they change what is sent to the prover or how long it may take, not what holds.
    ("normalizeNames", TWO),
    ("normalizeDeclarationOrder", TWO),
    ("useArrayAxioms", Takes::Nothing),
    ("prune", TWO),
    ("inferModifies", Takes::Nothing),
    ("lib", Takes::Word(&["base", "node", "set_size"])),
    ("printSplit", Takes::Text),
    ("printSplitDeclarations", Takes::Nothing),
    ("printPassive", Takes::Text),
    ("printPruned", Takes::Text),
    ("warnVacuousProofs", Takes::Nothing),
    ("emitDebugInformation", TWO),
    ("relaxFocus", Takes::Nothing),
    ("randomizeVcIterations", NUMBER),
    ("randomSeedIterations", NUMBER),
    ("keepQuantifier", Takes::Nothing),
    ("vcsSeqNum", NUMBER),
    ("allowWarnings", Takes::Nothing),
    ("trustMoverTypes", Takes::Nothing),
    ("trustNoninterference", Takes::Nothing),
    ("trustRefinement", Takes::Nothing),
    ("civlDesugaredFile", Takes::Text),
    ("processTimeLimit", NUMBER),
    ("randomSeed", NUMBER),
    ("trackVerificationCoverage", Takes::Nothing),
    ("checkInfer", Takes::Nothing),
    ("interprocInfer", Takes::Nothing),
    ("instrumentInfer", Takes::Word(&["e", "h"])),
    ("contractInfer", Takes::Nothing),
    ("loopUnroll", NUMBER),
    ("soundLoopUnrolling", Takes::Nothing),
    ("inline", Takes::Word(&["none", "assert", "assume", "spec"])),
    ("inlineDepth", NUMBER),
    ("lazyInline", NUMBER),
    ("recursionBound", NUMBER),
    ("stackDepthBound", NUMBER),
    ("stratifiedInline", Takes::Text),
    ("stratifiedInlineOption", NUMBER),
    ("subsumption", THREE),
    ("liveVariableAnalysis", THREE),
    ("removeEmptyBlocks", TWO),
    ("coalesceBlocks", TWO),
    ("noPruneInfeasibleEdges", Takes::Nothing),
    ("alwaysAssumeFreeLoopInvariants", Takes::Nothing),
    ("doModSetAnalysis", Takes::Nothing),
    ("smoke", Takes::Nothing),
    ("smokeTimeout", NUMBER),
    ("errorTrace", THREE),
    ("errorLimit", NUMBER),
    ("enhancedErrorMessages", TWO),
    ("printModel", FOUR),
    ("printModelToFile", Takes::Text),
    ("mv", Takes::Text),
    ("printVerifiedProceduresCount", TWO),
    ("timeLimit", NUMBER),
    ("rlimit", NUMBER),
    ("timeLimitPerAssertionInPercent", NUMBER),
    ("verifySnapshots", FOUR),
    ("traceCaching", FOUR),
    ("verifySeparately", Takes::Nothing),
    (
        "vc",
        Takes::Word(&[
            "s",
            "structured",
            "b",
            "block",
            "l",
            "local",
            "n",
            "nested",
            "m",
            "r",
            "d",
            "dag",
            "doomed",
        ]),
    ),
    ("vcBrackets", TWO),
    ("vcsCores", NUMBER),
    ("vcsLoad", Takes::Fraction),
    ("vcsMaxCost", Takes::Fraction),
    ("vcsMaxSplits", NUMBER),
    ("vcsSplitOnEveryAssert", Takes::Nothing),
    ("vcsMaxKeepGoingSplits", NUMBER),
    ("vcsKeepGoingTimeout", NUMBER),
    ("vcsFinalAssertTimeout", NUMBER),
    ("vcsPathJoinMult", Takes::Fraction),
    ("vcsPathCostMult", Takes::Fraction),
    ("vcsAssumeMult", Takes::Fraction),
    ("vcsPathSplitMult", Takes::Fraction),
    ("vcsDumpSplits", Takes::Nothing),
    (
        "typeEncoding",
        Takes::Word(&[
            "n",
            "none",
            "p",
            "predicates",
            "a",
            "arguments",
            "m",
            "monomorphic",
        ]),
    ),
    ("monomorphize", Takes::Nothing),
    ("useArrayTheory", Takes::Nothing),
    ("weakArrayTheory", Takes::Nothing),
    ("causalImplies", Takes::Nothing),
    ("reflectAdd", Takes::Nothing),
    ("z3types", Takes::Nothing),
    ("z3lets", FOUR),
    ("z3multipleErrors", Takes::Nothing),
    ("z3opt", Takes::Text),
    ("z3exe", Takes::Text),
    ("z3name", Takes::Text),
    ("cvc4exe", Takes::Text),
    ("cvc5exe", Takes::Text),
    ("prover", Takes::Text),
    ("proverOpt", Takes::Text),
    ("p", Takes::Text),
    ("proverLog", Takes::Text),
    ("proverLogAppend", Takes::Nothing),
    ("proverPreamble", Takes::Text),
    ("proverWarnings", THREE),
    ("proverMemoryLimit", NUMBER),
    ("proverShutdownLimit", NUMBER),
    ("restartProver", Takes::Nothing),
    ("logPrefix", Takes::Text),
    ("useSmtOutputFormat", Takes::Nothing),
    ("simplifyMatchDepth", NUMBER),
    ("platform", Takes::Text),
    ("dbgRefuted", Takes::Nothing),
    ("doNotUseLabels", Takes::Nothing),
    ("boolControlVC", Takes::Nothing),
    ("runDiagnosticsOnTimeout", Takes::Nothing),
    ("traceDiagnosticsOnTimeout", Takes::Nothing),
    ("freeVarLambdaLifting", Takes::Nothing),
    ("warnNotEliminatedVars", Takes::Nothing),
    ("printNecessaryAssumes", Takes::Nothing),
    ("printAssignment", Takes::Nothing),
    ("useProverEvaluate", Takes::Nothing),
    ("useUnsatCoreForContractInfer", Takes::Nothing),
    ("enableUnSatCoreExtraction", TWO),
    ("explainHoudini", Takes::Nothing),
    ("reverseHoudiniWorklist", Takes::Nothing),
    ("crossDependencies", Takes::Nothing),
    ("abstractHoudini", Takes::Text),
    ("stagedHoudini", Takes::Text),
    ("stagedHoudiniThreads", NUMBER),
    ("stagedHoudiniReachabilityAnalysis", Takes::Nothing),
    ("stagedHoudiniMergeIgnoredAnnotations", Takes::Nothing),
    ("debugStagedHoudini", Takes::Nothing),
    ("concurrentHoudini", Takes::Nothing),
    ("debugConcurrentHoudini", Takes::Nothing),
    ("modifyTopologicalSorting", Takes::Nothing),
    ("variableDependenceIgnore", Takes::Text),
    ("extractLoops", Takes::Nothing),
    ("deterministicExtractLoops", Takes::Nothing),
    ("fixedPointEngine", Takes::Text),
    ("fixedPointInfer", Takes::Text),
    ("printFixedPoint", Takes::Text),
    ("printConjectures", Takes::Text),
    ("siVerbose", NUMBER),
    ("inferLeastForUnsat", Takes::Text),
    ("nonUniformUnfolding", Takes::Nothing),
    ("kInductionDepth", NUMBER),
    ("secure", Takes::Text),
    ("CivlDesugaredFile", Takes::Text),
    ("trustLayersUpto", NUMBER),
    ("trustLayersDownto", NUMBER),
    ("trustAtomicityTypes", Takes::Nothing),
    ("trustNonInterference", Takes::Nothing),
    ("DoomStrategy", NUMBER),
    ("DoomRestartTP", Takes::Nothing),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, Vec<String>> {
        parse(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn values_follow_a_colon_or_the_option() {
        let arguments = read("/nologo -errorLimit:3 /proc P a.bpl -inline:spec").unwrap();
        assert_eq!(arguments.number("errorLimit"), Some(3));
        assert_eq!(arguments.text("proc"), Some("P"));
        assert_eq!(arguments.files, ["a.bpl"]);
        assert!(arguments.has("nologo") && !arguments.has("noVerify"));
    }

    #[test]
    fn mistakes_are_told_in_boogies_words() {
        let problems = read("-foo -errorLimit:x -nologo:1 -infer:q -inline:all -xml").unwrap_err();
        assert_eq!(
            problems,
            [
                "unknown switch: -foo",
                "Invalid argument \"x\" to option -errorLimit",
                "\"-nologo\" cannot take a colon argument",
                "unknown switch: -nologo",
                "Invalid argument 'q' to option -infer",
                "Invalid argument 'all' to option -inline",
                "\"-xml\" expects 1 argument",
            ]
        );
        assert_eq!(
            read("/foo").unwrap().files,
            ["/foo"],
            "a path, as on any Unix"
        );
    }
}
