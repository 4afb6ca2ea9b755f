#!/usr/bin/env python3
"""Runs an interpreter without the memory that it needs: out_of_memory.py HLO-INDEXING FOLDER"""
import os
import resource
import shutil
import subprocess
import sys

MODULE = """HloModule m
ENTRY e {
  p = f32[] parameter(0)
  b = f32[20000,20000] broadcast(p), dimensions={}
  ROOT n = f32[20000,20000] negate(b)
}
"""


def main():
    program, folder = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    output = os.path.join(folder, "output")
    with open(output, "w", encoding="ascii") as file:
        file.write("as before")
    limit = 1 << 30
    run = subprocess.run(
        [program, "run", "-", "-o", output], input=MODULE, text=True, capture_output=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    print("status", run.returncode)
    print(run.stderr)
    with open(output, encoding="ascii") as file:
        if file.read() == "as before" and os.listdir(folder) == ["output"]:
            print("the file is as it was, and there is no other")


if __name__ == "__main__":
    main()
