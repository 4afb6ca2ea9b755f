#!/usr/bin/env python3
"""Crashes the program as a bug would, and prints what it says: crash.py HLO-INDEXING"""
import signal
import subprocess
import sys
import time


def waits_for_input(process):
    """Whether it sleeps, and catches crashes: sanitizers do that before the program begins."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file)
    caught = int(fields["SigCgt"], 16) >> (signal.SIGSEGV - 1) & 1
    return caught and fields["State"].split()[0] == "S"


def main():
    # It waits for its input.
    process = subprocess.Popen([sys.argv[1], "simplify"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    # Not only for a moment, as for a lock.
    times = 0
    while times < 10 and time.monotonic() < deadline:
        times = times + 1 if waits_for_input(process) else 0
        time.sleep(0.02)
    process.send_signal(signal.SIGSEGV)
    print(process.communicate(timeout=60)[1])


if __name__ == "__main__":
    main()
