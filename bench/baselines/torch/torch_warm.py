"""Compiles in parallel, before anything is timed, what calls of torch and Triton will need: torch_peer.py --compile-only LIST.

LIST is a JSON file {"calls": [{"op", "directory", "dtype", "inputs", "params", "mode", "math_mode"}, ..]}, the fields as in a request to
prepare (remote.h). Some processes take the next call each, make it once and drop it. What stays is code in Triton's cache; what
they would choose does not leave them (torch_caches.py), so candidates are timed in a hurry. Beside LIST lie
`taken.N`, `done.N` and `failed.N` of call N, and `progress`: "DONE FAILED ALL", rewritten as it goes on.

The first process imports no torch: it starts the others, ends them when it is told to or when its own parent is gone, and waits for them.
"""

import contextlib
import copy
import ctypes
import fcntl
import inspect
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import torch_ops

MATRIX_OPS = ("matmul", "matmul_bias_act", "conv2d", "mha")
ELEMENT_BYTES = {"f32": 4, "f16": 2, "bf16": 2}
BYTES_BESIDE = 256 << 20  # what libraries and the candidates' workspaces take
MEMORY_LEFT = 0.5  # of the card's: verification runs beside
MEMORY_WAIT_S = 30.0
FEW_RUNS = {"memory_warmup_iters": 5, "benchmark_iters": 20, "max_benchmark_duration": 5}
ABOUT_AS_FAST, MOST_STARTS, MOST_BESIDE = 1.1, 3, 12  # of look_around
PR_SET_PDEATHSIG = 1


def read_list(path):
    try:
        with open(path, encoding="utf-8") as file:
            calls = json.load(file)["calls"]
        if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
            raise ValueError("calls is no list of objects")
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise ValueError("%s: no list of calls: %s" % (path, failure))
    return calls


def order(calls):
    """Indices, what compiles longest first, so that no process is left alone with it at the end."""
    return sorted(range(len(calls)), key=lambda index: (calls[index].get("op") not in MATRIX_OPS, index))


class List:
    """The shared list: a call belongs to whoever makes its file."""

    def __init__(self, path):
        self.folder = os.path.dirname(os.path.abspath(path))
        self.calls = read_list(path)

    def _path(self, what, index):
        return os.path.join(self.folder, "%s.%d" % (what, index))

    def _make(self, what, index):
        try:
            os.close(os.open(self._path(what, index), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            return True
        except FileExistsError:
            return False

    def take(self):
        """The indices of calls that nobody else has, until there is none."""
        for index in order(self.calls):
            if self._make("taken", index):
                yield index

    def end(self, index, well):
        self._make("done" if well else "failed", index)

    def count(self, what):
        return sum(name.startswith(what + ".") for name in os.listdir(self.folder))

    def write_progress(self):
        path = os.path.join(self.folder, "progress")
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write("%d %d %d\n" % (self.count("done"), self.count("failed"), len(self.calls)))
        os.rename(path + ".new", path)


def bytes_of(call):
    """Inputs, clones that candidates are tried on, an output of their size, and the binary32 numbers that inputs are made from."""
    elements = sum(math.prod(shape) for shape in call["inputs"])
    return elements * (3 * ELEMENT_BYTES.get(call["dtype"], 4) + 4) + BYTES_BESIDE


def wait_for_memory(torch, wanted, crowded, limit_s=MEMORY_WAIT_S):
    """Until the card has it beside what must be left for others; in vain only once for all processes, who then make the file `crowded`."""
    until = time.monotonic() + limit_s
    while True:
        free, total = torch.cuda.mem_get_info()
        if free - wanted >= MEMORY_LEFT * total:
            return
        if wanted > (1 - MEMORY_LEFT) * total:
            raise MemoryError("too large to be made beside the verification")
        if time.monotonic() >= until or os.path.exists(crowded):
            os.close(os.open(crowded, os.O_CREAT | os.O_WRONLY, 0o600))
            raise MemoryError("not enough free memory on the card")
        time.sleep(0.5)


@contextlib.contextmanager
def one_at_a_time(path):
    """Between asking for memory and taking it nobody else may ask. The lock ends with the file, whatever becomes of the process."""
    with open(path, "a", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def glance(torch):
    """A stand-in for a benchmark of candidates: the least milliseconds of three runs after a first. Takes whatever arguments they take."""
    def benchmark(call, *_, **settings):
        events = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
        for event in events:
            call()
            event.record()
        torch.cuda.synchronize()
        ms = min(before.elapsed_time(after) for before, after in zip(events, events[1:]))
        return [ms] * len(settings["quantiles"]) if settings.get("quantiles") else ms

    return benchmark


def shortened(torch, benchmark):
    """torch's benchmark of a candidate with fewer runs, where it takes their number, else a glance."""
    known = inspect.signature(benchmark).parameters
    if not set(FEW_RUNS) <= set(known):
        return glance(torch)
    return lambda call, *arguments, **settings: benchmark(call, *arguments, **{**settings, **FEW_RUNS})


def look_around(descent):
    """Wraps the walk on which torch improves a configuration step by step, compiling each it tries: afterwards what lies beside others
    that were about as fast is compiled, too, since a walk with quieter times may pass there."""
    walk = descent.CoordescTuner.autotune

    def beside(tuner, config):
        for name in tuner.tunable_fields:
            value = descent.get_field(config, name)
            for other in tuner.get_neighbour_values(name, value) if value is not None else ():
                candidate = copy.deepcopy(config)
                descent.set_field(candidate, name, other)
                if tuner.lookup_in_cache(candidate) is None:
                    yield candidate

    def compile_beside(tuner, function, seen):
        left = MOST_BESIDE
        fast = sorted(seen)[:MOST_STARTS]
        for ms, _, config in fast:
            for candidate in beside(tuner, config) if ms <= ABOUT_AS_FAST * fast[0][0] else ():
                if left == 0:
                    return
                left -= 1
                try:
                    tuner.call_func(function, candidate)
                except Exception:  # one that does not compile, which a walk passes over as well
                    pass

    def autotune(tuner, function, *arguments, **settings):
        seen = []

        def noting(config):
            ms = function(config)
            seen.append((ms, len(seen), config))
            return ms

        best = walk(tuner, noting, *arguments, **settings)
        try:
            compile_beside(tuner, function, seen)
        except Exception as failure:  # another version's tuner
            print("nothing is compiled beside torch's walk: %s" % failure, file=sys.stderr)
        return best

    descent.CoordescTuner.autotune = autotune


def choose_carelessly(torch):
    """Candidates are compiled as ever, but hardly timed: what is chosen here is of no use to anybody. All that is wrapped is the inside
    of torch; where a version has it elsewhere, this takes longer or finds less, and no more."""
    try:
        from torch._inductor.runtime.benchmarking import benchmarker
        benchmarker.benchmark_gpu = shortened(torch, benchmarker.benchmark_gpu)
        from torch._inductor.runtime import coordinate_descent_tuner
        look_around(coordinate_descent_tuner)
    except Exception as failure:
        print("torch's tuning stays as it is: %s" % failure, file=sys.stderr)
    try:
        import torch_triton
    except Exception:
        return  # without Triton its calls say so
    for op in torch_triton.OPS.values():
        op.kernel.do_bench = glance(torch)


def compile_calls(torch, shared, compile_once, parent):
    """The loop of one process. A call that fails here will fail, or not, where it is measured, and be reported there."""
    for index in shared.take():
        if os.getppid() != parent:
            return
        call = shared.calls[index]
        try:
            with one_at_a_time(os.path.join(shared.folder, "memory")):
                wait_for_memory(torch, bytes_of(call), os.path.join(shared.folder, "crowded"))
                run = compile_once(call)
            run()
            well = True
        except torch_ops.Unsupported:
            well = True
        except Exception as failure:
            well = False
            lines = str(failure).strip().splitlines()
            print("%s %s %s %s: %s: %s" % (call.get("op"), call.get("dtype"), call.get("inputs"), call.get("mode"),
                                           type(failure).__name__, lines[0] if lines else ""), file=sys.stderr, flush=True)
        run = None
        try:
            torch.cuda.empty_cache()
        except Exception as failure:  # after a fault of the GPU nothing more can be done in this process
            print("gave up: %s" % failure, file=sys.stderr, flush=True)
            return
        shared.end(index, well)


def become_helper():
    """Low priority beside the verification, and gone with the process that started it."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.nice(10)
    except (AttributeError, OSError):
        pass


def start_helper(command, path, folder):
    environment = {**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([*command, "--compile-only", path, "--private", folder], env=environment, stdin=subprocess.DEVNULL)


def conduct(path, jobs, command, poll_s=0.2):
    """Start the processes, and see to it that none outlives this one. The number of calls that nobody ended."""
    shared, parent = List(path), os.getppid()
    stop = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.append(True))
    private = tempfile.mkdtemp(prefix="private-", dir=shared.folder)
    helpers = []
    try:
        for job in range(min(jobs, len(shared.calls))):
            helpers.append(start_helper(command, path, os.path.join(private, str(job))))
        shared.write_progress()
        while not stop and os.getppid() == parent and any(helper.poll() is None for helper in helpers):
            time.sleep(poll_s)
            shared.write_progress()
    finally:
        for helper in helpers:
            if helper.poll() is None:
                helper.kill()
        for helper in helpers:
            helper.wait()
        if os.getpgrp() == os.getpid():  # assemblers that they had started
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.killpg(0, signal.SIGTERM)
        shutil.rmtree(private, ignore_errors=True)
    shared.write_progress()
    return len(shared.calls) - shared.count("done") - shared.count("failed")
