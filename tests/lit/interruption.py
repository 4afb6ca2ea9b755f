#!/usr/bin/env python3
"""Ctrl-C ends long work with what it has, and long work shows progress on a terminal.

usage: interruption.py HLO-INDEXING FOLDER
"""
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time

INTERRUPTED = 130


def wide_module(count):
    names = "\n".join(f"n{i} = f32[8,8] transpose(p), dimensions={{1,0}}" for i in range(count))
    return f"ENTRY e {{ p = f32[8,8] parameter(0)\n{names}\nROOT r = f32[8,8] negate(p) }}\n"


# 2^60 iterations: it ends by the limit of steps, or by Ctrl-C.
ENDLESS = """
cond { i = s64[] parameter(0) n = s64[] constant(1152921504606846976)
  ROOT l = pred[] compare(i, n), direction=LT }
body { i = s64[] parameter(0) one = s64[] constant(1) ROOT s = s64[] add(i, one) }
ENTRY e { z = s64[] constant(0) ROOT w = s64[] while(z), condition=cond, body=body }
"""


def with_interrupts():
    # Who started the test may ignore Ctrl-C, and processes inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def check_maps(program, folder):
    count = 20000
    path = os.path.join(folder, "wide.hlo")
    with open(path, "w", encoding="utf-8") as file:
        file.write(wide_module(count))
    command = [program, "maps", "--format=json", path]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=with_interrupts, text=True)
    # It writes until the pipe is full: far from the end, and far behind the start.
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    messages = process.stderr.read()
    process.wait(timeout=60)
    records = [json.loads(line) for line in rest.splitlines()]
    assert process.returncode == INTERRUPTED, process.returncode
    assert 0 < len(records) < count, len(records)
    assert rest.endswith("\n") and all(record["maps"] for record in records)
    assert f"interrupted in '{path}' behind {len(records) + 1} of {count + 2} instructions" in messages, \
        (len(records), messages)


def check_lines(program):
    """Maps from standard input."""
    count = 20000
    process = subprocess.Popen([program, "simplify", "--format=json"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=with_interrupts, text=True)
    process.stdin.write("(d0) -> (d0 mod 8), domain: d0 in [0, 15]\n" * count)
    process.stdin.close()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    records = process.stdout.read().splitlines()
    messages = process.stderr.read()
    assert process.wait(timeout=60) == INTERRUPTED, process.returncode
    assert 0 < len(records) < count and all(json.loads(record)["map"] for record in records)
    assert f"interrupted behind {len(records)} of {count} maps" in messages, (len(records), messages)


def interrupt_behind(shown_first, command, with_signal=signal.SIGINT):
    """Runs the command with messages on a terminal, and Ctrl-C once it has shown a text.

    Returns its status and the messages.
    """
    parent, child = pty.openpty()
    process = subprocess.Popen(command, stderr=child, stdout=subprocess.DEVNULL,
                               preexec_fn=with_interrupts)
    os.close(child)
    shown = b""
    deadline = time.monotonic() + 60
    while shown_first not in shown:
        assert time.monotonic() < deadline, shown
        if select.select([parent], [], [], 1)[0]:
            shown += os.read(parent, 4096)
    process.send_signal(with_signal)
    status = process.wait(timeout=60)
    while select.select([parent], [], [], 0.2)[0]:
        try:
            shown += os.read(parent, 4096)
        except OSError:
            break
    os.close(parent)
    return status, shown


def check_run(program, folder):
    """Progress, then Ctrl-C: the file of -o gets the results of the module before."""
    path = os.path.join(folder, "endless.hlo")
    target = os.path.join(folder, "result.txt")
    first = os.path.join(folder, "first.hlo")
    with open(path, "w", encoding="utf-8") as file:
        file.write(ENDLESS)
    with open(first, "w", encoding="utf-8") as file:
        file.write("ENTRY e { ROOT c = s32[] constant(7) }\n")
    status, shown = interrupt_behind(b"million steps, now",
                                     [program, "run", first, path, "-o", target])
    assert status == INTERRUPTED, status
    assert b"endless.hlo: " in shown and b"stopped after" in shown, shown
    with open(target, encoding="utf-8") as file:
        assert file.read() == "output 0: s32[] 7\n"
    assert not [name for name in os.listdir(folder) if name.endswith(".tmp")]


def check_other_signals(program, folder):
    """They end the program as they do any: no talk of a bug, no temporary file."""
    path = os.path.join(folder, "endless.hlo")
    target = os.path.join(folder, "unwritten.txt")
    for other in (signal.SIGQUIT, signal.SIGXCPU, signal.SIGTERM, signal.SIGPIPE):
        status, shown = interrupt_behind(b"million steps, now",
                                         [program, "run", path, "-o", target], other)
        assert status == -other, (status, other)
        assert b"bug" not in shown, shown
        assert not [name for name in os.listdir(folder) if name.startswith("unwritten.txt")]
    # Whoever starts it may ignore them: it ends as if there had been none.
    ignoring = subprocess.Popen([program, "simplify"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                preexec_fn=lambda: signal.signal(signal.SIGQUIT, signal.SIG_IGN))
    ignoring.stdin.write("(d0) -> (d0 mod 8), domain: d0 in [0, 15]\n")
    ignoring.stdin.flush()
    time.sleep(0.5)
    ignoring.send_signal(signal.SIGQUIT)
    output, _ = ignoring.communicate(timeout=60)
    assert ignoring.returncode == 0 and "d0 mod 8" in output, (ignoring.returncode, output)


def check_gpu(program, folder):
    """A loop whose launches are many."""
    path = os.path.join(folder, "endless.hlo")
    status, shown = interrupt_behind(
        b" of the program", [program, "run", "--backend=virtual-gpu", "--max-steps=1000000000", path])
    assert status == INTERRUPTED, status
    # Between two launches, or within one.
    assert b"stopped after" in shown or b"the launch was interrupted" in shown, shown


ENDLESS_KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry forever(.param .u64 out) {
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [out];
  st.global.u32 [%rd0], 7;
again:
  bra again;
}
"""


def check_ptx(program, folder):
    """One launch that never ends: what it has stored until then is printed."""
    path = os.path.join(folder, "forever.ptx")
    target = os.path.join(folder, "forever.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(ENDLESS_KERNEL)
    status, shown = interrupt_behind(
        b" of 64 blocks",
        [program, "ptx", path, "--grid=64", "--arg=zeros:u32[2]", "--max-instructions=1000000000000",
         "-o", target])
    assert status == INTERRUPTED, status
    assert b"interrupted in" in shown, shown
    with open(target, encoding="utf-8") as file:
        text = file.read()
    assert "ended early: the launch was interrupted" in text and "argument 0: 7 0\n" in text, text


def many_kernels(count):
    lines = "\n".join(f"p{i} = f32[8,{i}] parameter({i - 1})\n"
                      f"n{i} = f32[{i},8] transpose(p{i}), dimensions={{1,0}}"
                      for i in range(1, count + 1))
    return f"ENTRY e {{\n{lines}\nROOT r = f32[1,8] negate(n1) }}\n"


def check_report(program, folder):
    """The page has the kernels so far; what has none yet leaves the file of -o as it was."""
    path = os.path.join(folder, "kernels.hlo")
    target = os.path.join(folder, "kernels.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(many_kernels(30000))
    status, shown = interrupt_behind(b"% of ", [program, "report", path, "-o", target])
    assert status == INTERRUPTED and b"interrupted in" in shown, (status, shown)
    small = os.path.join(folder, "small.hlo")
    with open(small, "w", encoding="utf-8") as file:
        file.write(many_kernels(1))
    of_one = subprocess.run([program, "report", small], capture_output=True, check=True).stdout
    with open(target, "rb") as file:
        page = file.read()
    # Data is compressed.
    assert b"</html>" in page and len(page) > len(of_one) + 10000, (len(page), len(of_one))
    with open(target, "w", encoding="utf-8") as file:
        file.write("old\n")
    status, shown = interrupt_behind(
        b"% of ", [program, "explain", f"--before={path}", path, "-o", target])
    assert status == INTERRUPTED and b"interrupted in" in shown, (status, shown)
    with open(target, encoding="utf-8") as file:
        assert file.read() == "old\n"


# The start of a slice that never comes.
ENDLESS_START = ENDLESS.replace("ENTRY e {", """ENTRY e { x = f32[4096] parameter(0)
  unused = s64[1] parameter(1)""").replace("ROOT w = s64[] while", "w = s64[] while").replace(
    "body=body }", """body=body
  ROOT d = f32[1024] dynamic-slice(x, w), dynamic_slice_sizes={1024} }""")


def check_values(program, folder):
    """Values that decide what is accessed."""
    path = os.path.join(folder, "start.hlo")
    values = os.path.join(folder, "unused.npy")
    with open(path, "w", encoding="utf-8") as file:
        file.write(ENDLESS_START)
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }"
    header += b" " * (117 - len(header)) + b"\n"
    with open(values, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8))
    process = subprocess.Popen([program, "explain", "--instruction=d", f"--input=1={values}", path],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=with_interrupts, text=True)
    # Once it is there, it evaluates: reading the module takes no time.
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    shown, messages = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED, (process.returncode, messages)
    assert "stopped after" in shown, shown
    assert "interrupted in" in messages, messages


def main():
    program, folder = sys.argv[1:3]
    check_values(program, folder)
    check_maps(program, folder)
    check_lines(program)
    check_run(program, folder)
    check_other_signals(program, folder)
    check_gpu(program, folder)
    check_ptx(program, folder)
    check_report(program, folder)
    print("interrupted")


if __name__ == "__main__":
    main()
