"""Writes a module that takes a tuple of so many arrays apart and puts it together in another order."""

import sys

count = int(sys.argv[1])
shape = "(" + ", ".join(["f32[4]"] * count) + ")"
print(f"HloModule m\nENTRY e {{\np = {shape} parameter(0)")
for i in range(count):
    print(f"g{i} = f32[4] get-tuple-element(p), index={i}")
elements = ", ".join(f"g{i}" for i in reversed(range(count)))
print(f"ROOT r = {shape} tuple({elements})\n}}")
