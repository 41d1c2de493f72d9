#!/usr/bin/env python3
"""explore-replay.py STET PROGRAM DIR: runs an executable on the tests of an output directory, and compares how it ends with
what each test says: the exit status of paths that ended, a fault of paths with an error. Tests in which a stream is a
terminal, an operation fails, the path was cut off by a limit, or that end otherwise after the model of the system assumed something
are counted apart; the last are shown.

  REPLAYS    at most so many tests are run, evenly chosen [5000]
  AS_ROOT    run the program with root's rights [no]"""
import os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

stet, program, folder = sys.argv[1:4]
statuses = {}
with open(os.path.join(folder, 'exits.txt')) as lines:
    for line in lines:
        name, status = line.split()
        statuses[name] = int(status)
with open(os.path.join(folder, 'assumed.txt')) as lines:
    assumed = {line.strip() for line in lines}

rights = ['--as-root'] if os.environ.get('AS_ROOT') else []

def run(test):
    stem = test.split('.')[0]
    if stem not in statuses:
        return 'cut off', test
    done = subprocess.run([stet, 'klee-replay', '--silent', '--timeout', '10', *rights, program, os.path.join(folder, test)],
                          capture_output=True, text=True)
    if 'KLEE-REPLAY: WARNING' in done.stderr:
        return 'apart', test
    match = re.search(r'EXIT STATUS: (\w+) ?(signal \d+|\d+)?', done.stderr)
    kind, detail = match.group(1), match.group(2)
    status = 0 if kind == 'NORMAL' else int(detail) if kind == 'ABNORMAL' else -1
    expected = statuses[stem]
    outcome = 'as predicted' if status == expected else 'apart' if stem in assumed else 'otherwise'
    return outcome, f'{test}: said {expected}, ended {kind} {detail or ""}'

tests = sorted(name for name in os.listdir(folder) if name.endswith('.ktest'))
most = int(os.environ.get('REPLAYS', '5000'))
if len(tests) > most:
    print(f'run: {most} of {len(tests)} tests')
    tests = [tests[k * len(tests) // most] for k in range(most)]
counts = {'as predicted': 0, 'otherwise': 0, 'apart': 0, 'cut off': 0}
with ThreadPoolExecutor(2) as pool:
    for outcome, text in pool.map(run, tests):
        counts[outcome] += 1
        if outcome == 'otherwise' or outcome == 'apart' and 'said' in text:
            print(text)
for outcome, count in counts.items():
    print(f'{outcome}: {count}')
