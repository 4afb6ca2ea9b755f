"""Debug checks cost nothing where they are off: the code of tensors is that of loops by hand.

usage: debug_cost_test.py CXX PROJECT_FOLDER
"""
import pathlib
import subprocess
import sys
import tempfile


def compile_and_read(compiler, root, folder, name, options):
    """The sizes of the functions defined, and the names of those needed from elsewhere."""
    output = folder / f"{name}.o"
    source = root / "tests/layout/cute/debug_cost.cc"
    subprocess.run([compiler, "-std=c++17", "-O2", "-I", root, *options, "-c", source, "-o", output],
                   check=True)
    sizes, needed = {}, []
    for line in subprocess.run(["nm", "-S", output], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        fields = line.split()
        if fields[-2] == "U":
            needed.append(fields[-1])
        elif len(fields) == 4 and fields[2] in "Tt":
            sizes[fields[3]] = int(fields[1], 16)
    return sizes, needed


def main():
    compiler, root = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        off, needed_off = compile_and_read(compiler, root, folder, "off", ["-DNDEBUG"])
        on, needed_on = compile_and_read(compiler, root, folder, "on",
                                         ["-DHLO_INDEXING_CUTE_DEBUG=1"])
    print(f"off: {off}, needs {needed_off}\non: {on}, needs {needed_on}")
    # A register more or less moves a few bytes; a check is a compare, a jump and a call at least.
    assert abs(off["by_tensors"] - off["by_hand"]) <= 32, "the code is not that of loops by hand"
    assert not needed_off, "code without checks calls something"
    assert on["by_tensors"] > on["by_hand"] + 32 and needed_on, "the checks are not there when on"


main()
