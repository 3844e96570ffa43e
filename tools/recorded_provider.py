#!/usr/bin/env python3
"""A provider of kernels that replays answers, for tests and demonstrations without a service; or records those of another provider.

usage: recorded_provider.py FOLDER [--record COMMAND]

The prompt comes as JSON on standard input, the answer goes to standard output. The answer to try A (from 0) is FOLDER/NAME.A.json,
NAME being v2 for version 2 of `assay optimize`, softmax.v1_baseline for that variant of `assay generate`. Where a file says
"source_file", its source is read from that file, a path from FOLDER on. {"replay": "hang"} never answers, {"replay": "exit"} fails,
{"replay": "garbage"} prints no JSON. With --record the command answers, and what it says is kept under that name."""

import json
import pathlib
import subprocess
import sys
import time


def name_of(prompt):
    attempt = prompt.get("repair", {}).get("attempt", 0)
    if prompt["task"] == "optimize":
        return f"v{prompt['iteration']}.{attempt}"
    return f"{prompt['op']['name']}.{prompt['variant']}.{attempt}"


def replay(folder, path):
    if not path.exists():
        sys.exit(f"there is no recorded answer {path}")
    answer = json.loads(path.read_text())
    what = answer.get("replay")
    if what == "hang":
        time.sleep(3600)
    elif what == "exit":
        sys.exit("a recorded failure")
    elif what == "garbage":
        print("Here is your kernel:\n```cuda")
        return
    if "source_file" in answer:
        answer["source"] = (folder / answer.pop("source_file")).read_text()
    answer.setdefault("provider", "recorded")
    json.dump(answer, sys.stdout)


def record(command, text, path):
    done = subprocess.run(command, shell=True, input=text, capture_output=True, text=True)
    sys.stderr.write(done.stderr)
    sys.stdout.write(done.stdout)
    if done.returncode == 0:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        temporary.write_text(done.stdout)
        temporary.rename(path)
    sys.exit(done.returncode)


def main():
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[2] != "--record"):
        sys.exit(__doc__)
    folder, text = pathlib.Path(sys.argv[1]), sys.stdin.read()
    path = folder / (name_of(json.loads(text)) + ".json")
    if len(sys.argv) == 4:
        record(sys.argv[3], text, path)
    replay(folder, path)


main()
