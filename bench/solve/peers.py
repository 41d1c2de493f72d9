"""Answers the scripts of a directory with one solver in process: `peers.py z3|cvc5|bitwuzla fresh|incremental DIRECTORY`.

One line per query, in order: verdict and CPU seconds of asserting and checking; reading is not counted. A query over
the limit is `unknown`, with the time it took until it was stopped.

`fresh` makes a solver for each script `NUMBER.smt2`. `incremental` keeps a solver for each script `path-NUMBER.smt2`, whose
assertions are in turn a condition asked (as an assumption) and what is asserted after it.
"""
import glob
import sys
import time

LIMIT_MS = 3000


def timed(work):
    start = time.process_time()
    answer = work()
    return answer, time.process_time() - start


class Z3:
    def __init__(self):
        import z3

        self.z3 = z3

    def solver(self):
        solver = self.z3.SolverFor("QF_ABV")
        solver.set("timeout", LIMIT_MS)
        return solver

    def fresh(self, text):
        assertions = self.z3.parse_smt2_string(text)

        def work():
            solver = self.solver()
            solver.add(assertions)
            return solver.check()

        return [timed(work)]

    def incremental(self, text):
        assertions = list(self.z3.parse_smt2_string(text))
        solver = None

        def step(asked, assumed):
            nonlocal solver
            solver = solver or self.solver()
            solver.push()
            solver.add(asked)
            answer = solver.check()
            solver.pop()
            solver.add(assumed)
            return answer

        return [timed(lambda: step(*pair)) for pair in zip(assertions[::2], assertions[1::2])]


class Cvc5:
    def __init__(self):
        import cvc5

        self.cvc5 = cvc5

    def commands(self, text, incremental):
        """A solver and, in turn, the script's commands: reading one needs the earlier declarations carried out."""
        terms = self.cvc5.TermManager()
        solver = self.cvc5.Solver(terms)
        solver.setOption("tlimit-per", str(LIMIT_MS))
        solver.setOption("incremental", incremental)
        symbols = self.cvc5.SymbolManager(terms)
        parser = self.cvc5.InputParser(solver, symbols)
        parser.setStringInput(self.cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
        while not (command := parser.nextCommand()).isNull():
            yield solver, command.getCommandName(), lambda: command.invoke(solver, symbols)

    def fresh(self, text):
        spent = 0.0
        for solver, name, invoke in self.commands(text, "false"):
            if name != "check-sat":
                spent += timed(invoke)[1]
        answer, seconds = timed(solver.checkSat)
        return [(answer, spent + seconds)]

    def incremental(self, text):
        answers, spent, asked = [], 0.0, True

        def ask(solver, invoke):
            solver.push()
            invoke()
            answer = solver.checkSat()
            solver.pop()
            return answer

        for solver, name, invoke in self.commands(text, "true"):
            if name == "assert" and asked:
                answers.append(timed(lambda: ask(solver, invoke)))
            elif name != "check-sat":
                spent += timed(invoke)[1]
            asked = asked != (name == "assert")
        # Asserting belongs to the path, as with the others; the first query carries it.
        return [(answers[0][0], answers[0][1] + spent)] + answers[1:]


class Bitwuzla:
    def __init__(self):
        import bitwuzla

        self.bitwuzla = bitwuzla

    def options(self):
        options = self.bitwuzla.Options()
        options.set(self.bitwuzla.Option.TIME_LIMIT_PER, LIMIT_MS)
        return options

    def read(self, terms, text):
        parser = self.bitwuzla.Parser(terms, self.options())
        parser.parse(text, False, False)
        return parser.bitwuzla()

    def fresh(self, text):
        terms = self.bitwuzla.TermManager()
        assertions = self.read(terms, text).get_assertions()

        def work():
            solver = self.bitwuzla.Bitwuzla(terms, self.options())
            for assertion in assertions:
                solver.assert_formula(assertion)
            return solver.check_sat()

        return [timed(work)]

    def incremental(self, text):
        terms = self.bitwuzla.TermManager()
        assertions = self.read(terms, text).get_assertions()
        solver = None

        def step(asked, assumed):
            nonlocal solver
            solver = solver or self.bitwuzla.Bitwuzla(terms, self.options())
            answer = solver.check_sat(asked)
            solver.assert_formula(assumed)
            return answer

        return [timed(lambda: step(*pair)) for pair in zip(assertions[::2], assertions[1::2])]


def main():
    peer = {"z3": Z3, "cvc5": Cvc5, "bitwuzla": Bitwuzla}[sys.argv[1]]()
    run, pattern = (peer.fresh, "[0-9]*.smt2") if sys.argv[2] == "fresh" else (peer.incremental, "path-*.smt2")
    for name in sorted(glob.glob(sys.argv[3] + "/" + pattern)):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        for answer, seconds in run(text):
            verdict = str(answer).lower().rsplit(".", 1)[-1]
            print(verdict if verdict in ("sat", "unsat") else "unknown", f"{seconds:.9f}")


main()
