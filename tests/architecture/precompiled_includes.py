#!/usr/bin/env python3
"""Checks that sources include what they use of libraries whose headers the build precompiles.

    precompiled_includes.py ROOT

A precompiled header hides an include that was forgotten; a build without it, as users may make, then
fails. A name that a source uses must come with a header of this table, which the source includes itself
or by headers of the project.
"""

import pathlib
import re
import sys

# What a source uses, and the headers that have it.
RULES = [
    (re.compile(r"\b(TEST|TEST_F|TEST_P|EXPECT_(TRUE|FALSE|EQ|NE|LT|LE|GT|GE)|ASSERT_(TRUE|FALSE|EQ))\("),
     {"gtest/gtest.h", "gmock/gmock.h"}),
    (re.compile(r"\b(EXPECT|ASSERT)_THAT\(|::testing::(HasSubstr|ElementsAre)"), {"gmock/gmock.h"}),
    (re.compile(r"\babsl::(StrCat|StrAppend)\("),
     {"absl/strings/str_cat.h", "absl/strings/str_join.h", "absl/strings/str_format.h"}),
    (re.compile(r"\babsl::StatusOr<"), {"absl/status/statusor.h"}),
    (re.compile(r"\bllvm::(DenseMap)<"), {"llvm/ADT/DenseMap.h"}),
    (re.compile(r"\bllvm::(StringMap)<"), {"llvm/ADT/StringMap.h"}),
]
FOLDERS = ("support", "simplifier", "layout", "hlo", "indexing_analysis", "codegen", "tools", "tests",
           "bench", "examples")
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.M)
FEWEST = 300


def without_comments_and_strings(text):
    text = re.sub(r'R"(\w*)\((.*?)\)\1"', '""', text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"//[^\n]*", "", text)


def main():
    root = pathlib.Path(sys.argv[1])
    texts = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cc", ".h") and "build" not in path.parts:
                texts[str(path.relative_to(root))] = path.read_text(encoding="utf-8")
    if len(texts) < FEWEST:
        sys.exit(f"only {len(texts)} sources are there: the check looks at nothing")

    def included_by(source):
        """All headers that a source includes, through those of the project."""
        seen = set()
        pending = [source]
        while pending:
            for header in INCLUDE.findall(texts[pending.pop()]):
                if header not in seen:
                    seen.add(header)
                    if header in texts:
                        pending.append(header)
        return seen

    mistakes = []
    for source, text in texts.items():
        code = without_comments_and_strings(text)
        headers = included_by(source)
        for used, providers in RULES:
            found = used.search(code)
            if found and not providers & headers:
                mistakes.append(f"{source}: uses {found.group(0).rstrip('(<')}, and nothing includes "
                                f"{' or '.join(sorted(providers))}")
    if mistakes:
        sys.exit("\n".join(mistakes))
    print(f"{len(texts)} sources")


if __name__ == "__main__":
    main()
