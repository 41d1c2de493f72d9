"""Answers the scripts of a directory with one solver in process: `peers.py z3|cvc5|bitwuzla DIRECTORY`.

One line per script, in order: verdict and CPU seconds of asserting and checking; reading is not counted.
"""
import glob
import sys
import time

LIMIT_MS = 20000


def z3_runner():
    import z3

    def run(text):
        assertions = z3.parse_smt2_string(text)
        start = time.process_time()
        solver = z3.SolverFor("QF_ABV")
        solver.set("timeout", LIMIT_MS)
        solver.add(assertions)
        answer = str(solver.check())
        return answer, time.process_time() - start

    return run


def cvc5_runner():
    import cvc5

    def run(text):
        terms = cvc5.TermManager()
        solver = cvc5.Solver(terms)
        solver.setOption("tlimit-per", str(LIMIT_MS))
        solver.setOption("arrays-exp", "true")
        symbols = cvc5.SymbolManager(terms)
        parser = cvc5.InputParser(solver, symbols)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text.replace("QF_ABV", "ALL"), "query")
        commands = []
        while True:
            command = parser.nextCommand()
            if command.isNull():
                break
            if command.getCommandName() == "assert":
                commands.append(command)
            else:
                command.invoke(solver, symbols)
        start = time.process_time()
        for command in commands:
            command.invoke(solver, symbols)
        answer = str(solver.checkSat())
        return answer, time.process_time() - start

    return run


def bitwuzla_runner():
    import bitwuzla

    def run(text):
        terms = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.TIME_LIMIT_PER, LIMIT_MS)
        parser = bitwuzla.Parser(terms, options)
        parser.parse(text, False, False)
        solver = parser.bitwuzla()
        start = time.process_time()
        answer = str(solver.check_sat())
        return answer, time.process_time() - start

    return run


def main():
    runners = {"z3": z3_runner, "cvc5": cvc5_runner, "bitwuzla": bitwuzla_runner}
    run = runners[sys.argv[1]]()
    for name in sorted(glob.glob(sys.argv[2] + "/*.smt2")):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        answer, seconds = run(text)
        verdict = answer.lower().rsplit(".", 1)[-1]
        print(verdict if verdict in ("sat", "unsat") else "unknown", f"{seconds:.9f}")


main()
