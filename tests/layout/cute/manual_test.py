#!/usr/bin/env python3
"""Runs the examples of the manual and of the headers' comments.

    manual_test.py COMPILER PROJECT_FOLDER

An example is a call in the notation of the manual and what it gives, in docs/cute.md

    `composition((_4,_6):(_1,_9), _2:_5)` = `_2:_10`

and in the comments of layout/cute/ `/// Example: complement(4:2, 24) -> (2,3):(1,8)`. All integers of a call are static, and
texts are compared without the underscores. The blocks of C++ in the manual that include layout/cute/tensor.h are
compiled, and what a statement says of itself in a comment is compared with what it makes.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import check_facts

CALL = re.compile(r"(?<![\w:])([a-z][a-z_0-9]*(?:<[^<>()]*(?:<[^<>]*>)?[^<>()]*>)?)\(")
FEWEST = 41


def arguments(text, at):
    """The arguments of a call that begins before `at`, and where it ends."""
    found, depth, begin = [], 0, at
    for i in range(at, len(text)):
        if text[i] in "(<":
            depth += 1
        elif text[i] in ")>" and depth > 0:
            depth -= 1
        elif text[i] == ")":
            return found + [text[begin:i]], i + 1
        elif text[i] == "," and depth == 0:
            found.append(text[begin:i])
            begin = i + 1
    return [], at


def examples_of(text, arrow):
    """(C++, expected text) of each example that the notation can say."""
    for match in CALL.finditer(text):
        args, end = arguments(text, match.end())
        if not args or not text.startswith(arrow, end):
            continue
        parser = check_facts.Parser(text[end + len(arrow):].replace(", ", ","))
        try:
            parser.layout()
            values = [check_facts.parse(arg.strip()) for arg in args]
        except (ValueError, IndexError, AttributeError):
            continue  # letters, or words: said of anything
        result = parser.text[:parser.at]
        codes = [check_facts.code(v, True) for v in values]
        if match.group(1) in check_facts.PARTITIONS:
            partition = f"{match.group(1)}(make_tensor(counting_iterator<int>{{0}}, {codes[0]}), {', '.join(codes[1:])})"
            offset = re.match(r" at offset (\d+)", parser.text[parser.at:])
            yield f"{partition}.layout()", result
            if offset:
                yield f"*{partition}.data()", offset.group(1)
        else:
            yield f"{match.group(1)}({', '.join(codes)})", result


def comments_of(header):
    """The paragraphs of a header's documenting comments."""
    return re.sub(r"\n\s*/// ?", " ", "\n".join(re.findall(r"(?:^\s*///.*\n)+", header.read_text(), re.M)))


def blocks_of(manual):
    """Functions from the blocks of C++: each statement with a comment of the form `// TEXT` prints what it made."""
    functions = []
    for block in re.findall(r"```cpp\n(.*?)```", manual, re.S):
        if "layout/cute/tensor.h" not in block:
            continue
        lines = []
        for line in block.splitlines():
            made = re.match(r"\s*Tensor (\w+) = .*;\s*// (?:.*?: )?(\S*:\S*)$", line)
            if not line.startswith(("#include", "namespace", "using")):
                lines.append(line)
            if made:
                text = made.group(2)
                lines.append(f'Compare("{made.group(1)}", TextOf({made.group(1)}.layout()), "{text}");')
        functions.append("\n".join(lines))
    return functions


def main():
    compiler, root = sys.argv[1], pathlib.Path(sys.argv[2])
    manual = (root / "docs/cute.md").read_text()
    examples = list(examples_of(manual, "` = `"))
    for header in sorted((root / "layout/cute").glob("*.h")):
        examples += examples_of(comments_of(header), " -> ")
    blocks = blocks_of(manual)
    program = ['#include "tests/layout/cute/text_of.h"', "using namespace hlo_indexing::layout::cute;",
               "using cute_test::TextOf;", "int failures = 0;",
               "std::string Plain(std::string const& text) { std::string plain; for (char c : text) if (c != '_') plain += c; "
               "return plain; }",
               "void Compare(const char* what, std::string const& got, std::string const& wanted) {",
               "  if (Plain(got) == Plain(wanted)) return;", "  ++failures;",
               '  printf("%s gives %s instead of %s\\n", what, got.c_str(), wanted.c_str());', "}"]
    program += [f"void Block{i}(float* p) {{\n{block}\n}}" for i, block in enumerate(blocks)]
    program.append("int main() {\nalignas(16) static float storage[4096];")
    program += [f"Block{i}(storage);" for i in range(len(blocks))]
    program += [f'Compare("{call}", TextOf({call}), "{result}");' for call, result in examples]
    program.append("return failures == 0 ? 0 : 1;\n}")
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "manual.cc"
        source.write_text("\n".join(program) + "\n")
        subprocess.run([compiler, "-std=c++17", "-O0", "-w", f"-I{root}", source, "-o", source.with_suffix("")], check=True)
        done = subprocess.run([source.with_suffix("")], capture_output=True, text=True)
    print(done.stdout + done.stderr, end="")
    print(f"{len(examples)} examples and {len(blocks)} blocks of code")
    sys.exit(1 if done.returncode != 0 or len(examples) < FEWEST or not blocks else 0)


if __name__ == "__main__":
    main()
