#!/usr/bin/env python3
"""The command line prints the same bytes in every process.

compare_processes.py TOOL PROCESSES FILE...

Runs `simplify`, `inverse` and `image` on a list of maps and `maps` on the files, each in so many processes
that differ in what could leak into a result: where memory lies, what fresh memory holds, how the heap
grows, the size of the environment. Compares standard output, standard error and the exit status.
"""
import concurrent.futures
import os
import subprocess
import sys

NUM_MAPS = 200
DIVISORS = [2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 31, 60, 97, 128]


class Choices:
    """A seeded source of numbers that are the same for every version of Python (Knuth's MMIX constants)."""

    def __init__(self, seed):
        self.state = seed

    def between(self, low, high):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return low + (self.state >> 33) % (high - low + 1)

    def pick(self, values):
        return values[self.between(0, len(values) - 1)]


def random_expression(choices, names, depth):
    if depth == 0 or choices.between(1, 6) == 1:
        return choices.pick(names)
    operand = random_expression(choices, names, depth - 1)
    kind = choices.pick(["+", "-", "*", "floordiv", "ceildiv", "mod", "floordiv", "mod"])
    if kind in "+-":
        return f"({operand} {kind} {random_expression(choices, names, depth - 1)})"
    return f"({operand} {kind} {choices.pick(DIVISORS)})"


def random_map(choices):
    dimensions = [f"d{i}" for i in range(choices.between(1, 3))]
    ranges = [f"s{i}" for i in range(choices.between(0, 2))]
    runtime = [f"rt{i}" for i in range(1 if choices.between(1, 5) == 1 else 0)]
    names = dimensions + ranges + runtime
    results = [random_expression(choices, names, 4) for _ in range(choices.between(1, 3))]
    domain = [f"{name} in [0, {choices.between(1, 12)}]" for name in names]
    for _ in range(choices.between(0, 3)):
        lower = choices.between(0, 8)
        constraint = random_expression(choices, names, 2)
        domain.append(f"{constraint} in [{lower}, {lower + choices.between(0, 9)}]")
    head = f"({', '.join(dimensions)})"
    head += f"[{', '.join(ranges)}]" if ranges else ""
    head += f"{{{', '.join(runtime)}}}" if runtime else ""
    return f"{head} -> ({', '.join(results)}), domain: {', '.join(domain)}"


def can_disable_randomization():
    """Whether `setarch -R` is there and allowed; containers may forbid it."""
    try:
        done = subprocess.run(["setarch", "-R", "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return done.returncode == 0


def environment(number):
    """What process `number` runs in; the first one is plain."""
    variables = {"PATH": os.environ.get("PATH", "")}
    if number % 2 == 1:
        variables["MALLOC_PERTURB_"] = str(1 + number % 255)
    if number % 3 == 1:
        variables["MALLOC_MMAP_THRESHOLD_"] = str(4096 * (1 + number % 7))
    if number % 5 == 1:
        variables["MALLOC_TOP_PAD_"] = str(65536 * number)
    # Moves the stack, also where addresses are not random.
    variables["PADDING"] = "x" * (number * 53 % 4096)
    return variables


def run(command, text, number, fixed_addresses):
    prefix = ["setarch", "-R"] if fixed_addresses and number % 4 == 3 else []
    done = subprocess.run(prefix + command, input=text, env=environment(number), capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def first_difference(expected, found):
    names = ["exit status", "standard output", "standard error"]
    for name, a, b in zip(names, expected, found):
        if a == b:
            continue
        if name == "exit status":
            return f"{name}: {a}, then {b}"
        lines = zip(a.split(b"\n") + [b""], b.split(b"\n") + [b""])
        for i, (line_a, line_b) in enumerate(lines, 1):
            if line_a != line_b:
                return f"{name}, line {i}:\n  {line_a.decode()}\n  {line_b.decode()}"
    return "one is the beginning of the other"


def check(pool, command, text, processes, min_lines, fixed_addresses):
    """The number of processes that printed something else than the first."""
    jobs = [pool.submit(run, command, text, n, fixed_addresses) for n in range(processes)]
    expected = jobs[0].result()
    name = " ".join(command[1:])
    if expected[0] != 0 or expected[1].count(b"\n") < min_lines:
        sys.exit(f"{name}: exit status {expected[0]}, {expected[1].count(10)} lines; {expected[2].decode()}")
    different = 0
    for number, job in enumerate(jobs):
        if job.result() == expected:
            continue
        if different == 0:
            print(f"{name}: process {number} differs from process 0; {first_difference(expected, job.result())}")
        different += 1
    print(f"{name}: {processes} processes, {len(expected[1])} bytes, {different} differ")
    return different


def main():
    tool, processes, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    choices = Choices(1)
    maps = "".join(random_map(choices) + "\n" for _ in range(NUM_MAPS)).encode()
    fixed_addresses = can_disable_randomization()
    print(f"setarch -R is {'' if fixed_addresses else 'not '}available")
    questions = [([tool, command, "--format=json"], maps, NUM_MAPS) for command in ["simplify", "inverse", "image"]]
    questions.append(([tool, "maps", "--format=json"] + files, b"", len(files)))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        different = [check(pool, *question[:2], processes, question[2], fixed_addresses) for question in questions]
    sys.exit(1 if any(different) else 0)


if __name__ == "__main__":
    main()
