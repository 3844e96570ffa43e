#!/usr/bin/env python3
"""Lets calls of the harness fail, one after the other, and looks at what is left.

sweep.py ASSAY LIBRARY BUILD SCRATCH [--full] [--only COMMAND] [--seed N]

ASSAY runs in a workspace of its own with the op `add` (its modules are BUILD's). Each command is run once to count its calls of each
kind (fail_calls.c), then again and again with the first, the second ... of them failing, alone or with all that follow, or ended by
kill -9 there. Without --full a sample of them. Afterwards must hold:
  - the status is a documented one, never a signal's; what is not 0 has a line on stderr
  - 0 is told only where everything is there that a run without faults leaves, and the output is the same
  - no file is partial: each .json can be read, each .md and .svg ends as it should, and nothing has a temporary name (kill -9 excepted)
  - the history passes PRAGMA integrity_check and has all rows of a file or none
  - the command run again without faults does what it did without them"""
import argparse
import array
import collections
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import time

KINDS = ["alloc", "write", "open", "rename", "fsync", "fork", "dlopen", "thread", "pipe", "read", "device"]
DOCUMENTED = {0, 1, 2, 3, 77, 130}
CASE = ["add", "--variant", "v1_baseline", "--dtype", "f32", "--size", "small"]


class Sweep:
    def __init__(self, options):
        self.assay, self.library = os.path.abspath(options.assay), os.path.abspath(options.library)
        self.scratch, self.build = os.path.abspath(options.scratch), options.build
        self.start, self.work = os.path.join(self.scratch, "start"), os.path.join(self.scratch, "work")
        self.full, self.random = options.full, random.Random(options.seed)
        self.runs, self.faults, self.by_kind = 0, [], collections.Counter()

    # ---- the workspace ----
    def make_workspace(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.start)
        manifest = json.load(open(os.path.join(self.build, "assay.json")))
        manifest["ops"] = [op for op in manifest["ops"] if op["name"] == "add"]
        for key in ("results", "logs", "plots"):
            manifest[key] = os.path.join(self.work, key)
        manifest["source"] = self.make_repository()
        json.dump(manifest, open(os.path.join(self.start, "assay.json"), "w"))
        shutil.copytree(self.start, self.work)
        for arguments in (["verify"] + CASE + ["--seed", "1"], self.commands()["bench"][0][1:]):
            run = self.run([self.assay] + arguments, {})
            if run.returncode != 0:
                sys.exit(f"without any fault {arguments} ended with {run.returncode}: {run.stderr}")
        shutil.rmtree(self.start)
        shutil.copytree(self.work, self.start, ignore=shutil.ignore_patterns("*.lock"))

    def make_repository(self):
        """The git tree that commands ask for the commit; with files enough that asking takes a moment."""
        source = os.path.join(self.scratch, "source")
        if not shutil.which("git"):
            return ""
        os.makedirs(source)
        for i in range(200):
            with open(os.path.join(source, f"{i}.txt"), "w") as file:
                file.write("text\n" * i)
        git = ["git", "-C", source, "-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
            subprocess.run(git + words, check=True)
        return source

    def commands(self):
        """name: words, program whose calls fail, does a failure of the kernel's process count as the kernel's"""
        a, work = self.assay, self.work
        results = os.path.join(work, "results")
        verify = [a, "verify"] + CASE + ["--build", work, "--seed", "1"]
        bench = [a, "bench"] + CASE + ["--build", work, "--force", "--repetitions", "2", "--warmup-ms", "1", "--sample-ms", "4",
                                       "--baselines", "none", "--modes", "cold"]
        return {
            "list": ([a, "list", "--build", work], "assay", False),
            "ingest": ([a, "ingest", results, "--build", work, "--db", os.path.join(work, "history.db")], "assay", False),
            "report": ([a, "report", "--build", work, "--no-plots"], "assay", False),
            "compare": ([a, "compare", results, results, "--build", work, "--all"], "assay", False),
            "verify": (verify, "assay", False),
            "verify-worker": (verify, "assay-verify-worker", True),
            "bench": (bench, "assay", False),
            "bench-group": (bench, "assay-bench-group", True),
        }

    def restore(self):
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.start, self.work)

    def run(self, words, environment, timeout=60, **more):
        self.runs += 1
        if "stdout" not in more:
            more["stdout"] = subprocess.PIPE
        try:
            return subprocess.run(words, stderr=subprocess.PIPE, text=True, errors="replace", timeout=timeout,
                                  env={**os.environ, "ASSAY_BUILD": self.work, **environment}, **more)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, "no end within %d s" % timeout, "", "")

    # ---- what must hold ----
    def files(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.work)
                      for folder, _, names in os.walk(self.work) for name in names)

    def damage(self, killed):
        """What is wrong with the files that lie there."""
        lock = os.path.join(self.scratch, "source", ".git", "index.lock")
        if os.path.exists(lock):
            os.unlink(lock)
            return "a lock is left in the git tree"
        for name in self.files():
            path = os.path.join(self.work, name)
            if ".tmp" in name or name.endswith("-journal"):
                if not killed and ".tmp" in name:
                    return f"{name} was left behind"
            elif name.endswith(".json"):
                try:
                    json.load(open(path))
                except ValueError as error:
                    return f"{name} is damaged: {error}"
            elif name.endswith(".md") and not open(path).read().endswith("\n"):
                return f"{name} is cut off"
        history = os.path.join(self.work, "history.db")
        if os.path.exists(history) and os.path.getsize(history) > 0:
            with sqlite3.connect(history) as database:
                found = database.execute("PRAGMA integrity_check").fetchone()[0]
            if found != "ok":
                return f"the history is damaged: {found}"
        return None

    def rows(self):
        history = os.path.join(self.work, "history.db")
        if not os.path.exists(history):
            return None
        with sqlite3.connect(history) as database:
            try:
                tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")]
                return {table: database.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for table in tables}
            except sqlite3.DatabaseError as error:
                return str(error)

    def outcome(self, run, stable_output):
        return {"files": [name for name in self.files() if not name.endswith((".lock", "-shm", "-wal"))], "rows": self.rows(),
                "out": run.stdout if stable_output else None}

    def complain(self, command, fault, what, run):
        self.faults.append(f"{command}, {fault}: {what}")
        print(f"FAULT {command}, {fault}: {what}\n    status {run.returncode}; {(run.stderr or '').strip()[-400:]}", flush=True)

    def judge(self, command, fault, run, expected, may_be_kernel, stable, killed):
        name = f"{fault['ASSAY_FAULT_CALL']} {fault['ASSAY_FAULT_AT']}" + (" and on" if fault.get("ASSAY_FAULT_ON") == "1" else "") + (
            " killed" if killed else "")
        if killed and run.returncode == -9:
            pass
        elif not isinstance(run.returncode, int) or run.returncode not in DOCUMENTED:
            return self.complain(command, name, "an undocumented end", run)
        elif run.returncode == 0 and self.outcome(run, stable) != expected:
            return self.complain(command, name, "success is told and something is missing", run)
        elif run.returncode == 1 and command in ("verify-worker", "bench-group") and "ASSAY_FAULT_COUNTS" in fault:
            return self.complain(command, name, "a kernel is said to be wrong, and the device is gone", run)
        elif run.returncode == 1 and not may_be_kernel:
            return self.complain(command, name, "a check is said to have failed", run)
        elif run.returncode != 0 and not run.stderr.strip() and not run.stdout.strip():
            return self.complain(command, name, "nothing is said", run)
        damage = self.damage(killed)
        if damage:
            return self.complain(command, name, damage, run)
        return None

    def resumes(self, command, words, fault, expected, stable):
        """The same command without faults, over what is there."""
        run = self.run(words, {})
        now = self.outcome(run, stable)
        if run.returncode != 0:
            self.complain(command, fault, "it does not go on afterwards", run)
        elif now["rows"] != expected["rows"] or (stable and command != "ingest" and now["out"] != expected["out"]):
            self.complain(command, fault, "what follows afterwards differs", run)

    # ---- the sweep ----
    def count_calls(self, words, program):
        counts = os.path.join(self.scratch, "counts")
        if os.path.exists(counts):
            os.unlink(counts)
        self.restore()
        run = self.run(words, {"LD_PRELOAD": self.library, "ASSAY_FAULT_PROGRAM": program, "ASSAY_FAULT_COUNTS": counts})
        if run.returncode != 0 or not os.path.exists(counts):
            sys.exit(f"{words}: status {run.returncode} while calls were counted: {run.stderr}")
        with open(counts, "rb") as file:
            return run, dict(zip(KINDS, array.array("l", file.read())))

    def points(self, n, most):
        """Numbers of calls: all of them, or the first ones and a sample."""
        if n <= most:
            return list(range(1, n + 1))
        first = min(3, most)
        return list(range(1, first + 1)) + sorted(self.random.sample(range(first + 1, n + 1), most - first))

    def sweep(self, command, most):
        words, program, may_be_kernel = self.commands()[command]
        run, counts = self.count_calls(words, program)
        stable = command in ("list", "compare", "ingest")
        expected = self.outcome(run, stable)
        for kind in KINDS:
            for at in self.points(counts[kind], most[kind] if kind in most else most["other"]):
                modes = [{}, {"ASSAY_FAULT_ON": "1"}] if self.full else [{"ASSAY_FAULT_ON": str(at % 2)}]
                if kind == "device":
                    modes = [{"ASSAY_FAULT_ON": "1"}]
                if kind in ("write", "rename", "open", "alloc") and program == "assay" and command in ("ingest", "report", "bench"):
                    modes.append({"ASSAY_FAULT_KILL": "1"})
                for mode in modes:
                    killed = mode.get("ASSAY_FAULT_KILL") == "1"
                    fault = {"LD_PRELOAD": self.library, "ASSAY_FAULT_PROGRAM": program, "ASSAY_FAULT_CALL": kind,
                             "ASSAY_FAULT_AT": str(at), **mode}
                    if kind == "device" and mode.get("ASSAY_FAULT_ON") == "1":  # gone for processes that follow, too
                        fault["ASSAY_FAULT_COUNTS"] = os.path.join(self.scratch, "gone")
                        if os.path.exists(fault["ASSAY_FAULT_COUNTS"]):
                            os.unlink(fault["ASSAY_FAULT_COUNTS"])
                    self.restore()
                    run = self.run(words, fault)
                    self.judge(command, fault, run, expected, may_be_kernel, stable, killed)
                    self.by_kind[kind + (" killed" if killed else "")] += 1
                    if killed or self.full or at % 7 == 0:
                        self.resumes(command, words, f"{kind} {at}", expected, stable)

    # ---- what no single call is ----
    def condition(self, command, name, run, statuses, expected=None):
        """A run under a condition: its status is one of these, and no file is partial."""
        self.by_kind[name] += 1
        damage = self.damage(False)
        if run.returncode not in statuses:
            self.complain(command, name, f"a status that is none of {sorted(statuses)}", run)
        elif run.returncode != 0 and not run.stderr.strip():
            self.complain(command, name, "nothing is said", run)
        elif damage:
            self.complain(command, name, damage, run)
        elif expected is not None and run.returncode == 0 and self.outcome(run, False) != expected:
            self.complain(command, name, "success is told and something is missing", run)

    def full_disk(self, command, words):
        for limit in (0, 512, 4096):
            self.restore()
            run = self.run(words, {}, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.condition(command, "files limited", run, DOCUMENTED - {1} - ({0} if limit == 0 and command not in ("list", "compare") else set()))
        self.restore()
        with open("/dev/full", "w") as full:
            run = self.run(words, {}, stdout=full)
        self.condition(command, "output full", run, {3} if command in ("list", "compare") else {0, 3})

    def no_folder(self, command, words):
        """A file lies where the folders of the results, logs and history should be made."""
        self.restore()
        for name in ("results", "logs", "plots"):
            shutil.rmtree(os.path.join(self.work, name), ignore_errors=True)
            open(os.path.join(self.work, name), "w").close()
        self.condition(command, "folders that cannot be made", self.run(words, {}), {2, 3})

    def clock(self, command, words, expected):
        for jump in (400 * 86400, -400 * 86400):
            self.restore()
            run = self.run(words, {"LD_PRELOAD": self.library, "ASSAY_FAULT_PROGRAM": "assay", "ASSAY_FAULT_CLOCK": str(jump)})
            self.condition(command, "clock jumps", run, {0}, expected)

    def two_at_once(self, command, words, expected):
        self.restore()
        other = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "ASSAY_BUILD": self.work})
        run = self.run(words, {})
        said = other.communicate(timeout=60)[1]
        self.condition(command, "two at once", run, {0, 3}, expected)
        self.condition(command, "two at once", subprocess.CompletedProcess(words, other.returncode, "", said), {0, 3})
        if run.returncode != 0 and other.returncode != 0:
            self.complain(command, "two at once", "neither went through", run)

    def killed_at_random(self, command, words, seconds, times, expected):
        for _ in range(times):
            self.restore()
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                       env={**os.environ, "ASSAY_BUILD": self.work})
            after = self.random.uniform(0, seconds)
            time.sleep(after)
            process.kill()
            process.wait()
            self.by_kind["killed at random"] += 1
            damage = self.damage(True)
            if damage:
                self.complain(command, f"kill -9 after {after:.4f} s", damage,
                              subprocess.CompletedProcess(words, process.returncode, "", ""))
            self.resumes(command, words, f"kill -9 after {after:.4f} s", expected, False)

    def conditions(self):
        for command in ("list", "ingest", "report", "compare", "verify", "bench"):
            words = self.commands()[command][0]
            self.restore()
            start = time.monotonic()
            run = self.run(words, {})
            seconds = time.monotonic() - start
            expected = self.outcome(run, False)
            if command not in ("list", "compare"):
                self.no_folder(command, words)
                self.clock(command, words, expected)
                self.two_at_once(command, words, expected)
                self.killed_at_random(command, words, seconds, (20 if self.full else 2), expected)
            self.full_disk(command, words)


def main():
    parser = argparse.ArgumentParser()
    for name in ("assay", "library", "build", "scratch"):
        parser.add_argument(name)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    sweep = Sweep(options)
    sweep.make_workspace()
    for command in sweep.commands():
        if options.only and command != options.only:
            continue
        slow = command.startswith(("verify", "bench"))
        if options.full:
            most = {"alloc": 150 if slow else 1500, "other": 60 if slow else 400}
        else:
            most = {"alloc": 2, "device": 5, "other": 1} if slow else {"alloc": 12, "other": 3}
        sweep.sweep(command, most)
    if not options.only or options.only == "conditions":
        sweep.conditions()
    print(f"{sum(sweep.by_kind.values())} faults in {sweep.runs} runs: " + ", ".join(f"{n} {kind}" for kind, n in sorted(sweep.by_kind.items())))
    if not sweep.faults:
        shutil.rmtree(sweep.scratch, ignore_errors=True)
    return 1 if sweep.faults else 0


if __name__ == "__main__":
    sys.exit(main())
