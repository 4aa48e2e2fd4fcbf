#!/usr/bin/python3
"""Mutants of dumps: dump_mutants.py DUMP:FIRST:LAST... -- MTFC COMMAND...

Each number from FIRST to LAST - 1 is the seed of a mutant: lines, numbers and names are deleted, repeated,
exchanged and replaced. The command runs with `--start-from` the mutant. Whatever it is, it ends within ten
seconds, with a status that is documented. Mutants for which that is not so stay, and are named.
"""
import os
import random
import re
import resource
import subprocess
import sys

TOKEN = re.compile(r'%\d+|"(?:[^"\\]|\\.)*"|-?\d+\.\d+(?:e-?\d+)?|-?\d+|![a-z]+|[A-Za-z_][\w~]*|\s+|.')
NUMBERS = ['0', '1', '-1', '2', '3', '7', '2147483647', '2147483648', '-2147483648', '9223372036854775807',
           '-9223372036854775808', '0.5', '1e300', 'nan', 'inf', '99999999999999999999']
DOCUMENTED = (0, 1, 2, 3, 4, 5)


def kind(token):
    if token[0] in '%"':
        return token[0]
    if re.match(r'-?\d', token):
        return 'number'
    if re.match(r'[A-Za-z_]', token):
        return 'word'
    return 'space' if token.isspace() else 'sign'


def change_line(lines, i, how, pool, rng):
    tokens = TOKEN.findall(lines[i])
    solid = [k for k, token in enumerate(tokens) if not token.isspace()]
    if not solid:
        return
    k = rng.choice(solid)
    same = kind(tokens[k])
    if how == 3:
        del tokens[k]
    elif how == 4:
        tokens.insert(k, tokens[k])
    elif how == 5:
        other = rng.choice(solid)
        tokens[k], tokens[other] = tokens[other], tokens[k]
    elif same == 'number' and how < 9:
        tokens[k] = rng.choice(NUMBERS)
    elif how == 6:
        tokens[k] = rng.choice(pool[same])
    else:  # of a line nearby: more likely to fit
        line = lines[rng.randrange(max(0, i - 6), min(len(lines), i + 7))]
        near = [token for token in TOKEN.findall(line) if kind(token) == same]
        tokens[k] = rng.choice(near or pool[same])
    lines[i] = ''.join(tokens)


def mutant(text, seed):
    rng = random.Random(seed)
    lines = text.split('\n')[:-1]
    pool = {}
    for line in lines:
        for token in TOKEN.findall(line):
            pool.setdefault(kind(token), []).append(token)
    for _ in range(rng.choice([1, 1, 1, 1, 2, 3])):
        how, i = rng.randrange(12), rng.randrange(len(lines))
        if how == 0 and len(lines) > 1:
            del lines[i]
        elif how == 1:
            lines.insert(rng.randrange(len(lines) + 1), lines[i])
        elif how == 2:
            k = rng.randrange(len(lines))
            lines[i], lines[k] = lines[k], lines[i]
        else:
            change_line(lines, i, how, pool, rng)
    return '\n'.join(lines) + '\n'


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def wrong_mutants(dump, first, last, command):
    with open(dump) as file:
        text = file.read()
    wrong, counts = 0, {}
    for seed in range(first, last):
        name = f'mutant{seed}.dump'
        with open(name, 'w') as file:
            file.write(mutant(text, seed))
        try:
            done = subprocess.run(command + ['--start-from', name], capture_output=True, timeout=10, preexec_fn=limit)
            status, said = done.returncode, done.stderr.decode(errors='replace')
        except subprocess.TimeoutExpired:
            status, said = 'after 10 s', ''
        counts[status] = counts.get(status, 0) + 1
        if status in DOCUMENTED:
            os.remove(name)
            continue
        wrong += 1
        print(f'{os.path.abspath(name)}: status {status}: {said.strip()[-300:]}')
    print(f'{dump}: statuses {counts}')
    return wrong


def main():
    end = sys.argv.index('--')
    wrong = 0
    for dump, first, last in (one.split(':') for one in sys.argv[1:end]):
        wrong += wrong_mutants(dump, int(first), int(last), sys.argv[end + 1:])
    return wrong > 0


if __name__ == '__main__':
    sys.exit(main())
