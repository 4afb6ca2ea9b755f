#!/usr/bin/env python3
"""Crashes the program as a bug would, and prints what it says: crash.py HLO-INDEXING"""
import signal
import subprocess
import sys
import time


def catches_crashes(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        caught = next(line.split()[1] for line in file if line.startswith("SigCgt"))
    return int(caught, 16) >> (signal.SIGSEGV - 1) & 1


def main():
    # It waits for its input.
    process = subprocess.Popen([sys.argv[1], "simplify"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not catches_crashes(process) and time.monotonic() < deadline:
        time.sleep(0.01)
    # Not within the handler's own set-up.
    time.sleep(0.1)
    process.send_signal(signal.SIGSEGV)
    print(process.communicate(timeout=60)[1])


if __name__ == "__main__":
    main()
