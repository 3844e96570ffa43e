"""Tests of bench/baselines/torch/torch_warm.py and bench/baselines/torch/torch_caches.py: who takes which call, that nothing outlives its end, and that choices stay where
they were made. The processes are stand-ins: this file itself, called with --compile-only."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "bench", "baselines", "torch"), os.path.join(HERE, "..", "..", "tools")]

import fake_torch
import torch_caches
import torch_ops
import torch_problem
import torch_warm

ADD = {"op": "add", "directory": "", "dtype": "f32", "inputs": [[64, 64], [64, 64]], "params": {"alpha": 1.0}, "mode": "compile",
       "math_mode": "ieee"}


def stand_in(path):
    """One of the processes: marks that it is there, then takes calls until there is none; one of op "sleep" never ends."""
    torch_warm.become_helper()
    shared = torch_warm.List(path)
    with open(os.path.join(shared.folder, "pid.%d" % os.getpid()), "w", encoding="ascii"):
        pass
    if os.environ.get("TEST_CRASH"):
        os._exit(5)

    def compile_once(call):
        if call["op"] == "sleep":
            subprocess.Popen(["sleep", "60"])
            return lambda: time.sleep(60)
        if call["op"] == "broken":
            raise RuntimeError("no such thing\nat all")
        return lambda: None

    torch_warm.compile_calls(fake_torch.make(), shared, compile_once, os.getppid())


if "--compile-only" in sys.argv:
    stand_in(sys.argv[sys.argv.index("--compile-only") + 1])
    sys.exit(0)
if "--conduct" in sys.argv:
    torch_warm.conduct(sys.argv[sys.argv.index("--conduct") + 1], 2, [sys.executable, "-B", os.path.abspath(__file__)])
    sys.exit(0)


def is_alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, limit_s=20.0):
    until = time.monotonic() + limit_s
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


class WithList(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "calls.json")

    def write(self, calls):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"calls": calls}, file)
        return torch_warm.List(self.path)

    def helpers(self):
        return [int(name[4:]) for name in os.listdir(self.folder) if name.startswith("pid.")]

    def progress(self):
        with open(os.path.join(self.folder, "progress"), encoding="ascii") as file:
            return [int(word) for word in file.read().split()]


class Lists(WithList):
    def test_each_call_goes_to_one(self):
        shared = self.write([ADD] * 40)
        taken = []

        def take():
            for index in torch_warm.List(self.path).take():
                taken.append(index)
                time.sleep(0.001)

        threads = [threading.Thread(target=take) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(taken), list(range(40)))
        self.assertEqual(list(shared.take()), [])

    def test_what_compiles_longest_comes_first(self):
        calls = [{**ADD, "op": op} for op in ("add", "matmul", "gelu", "mha", "conv2d")]
        self.assertEqual(torch_warm.order(calls), [1, 3, 4, 0, 2])

    def test_a_broken_list_is_said(self):
        for text in ("", "[]", '{"calls": 1}', '{"calls": [1]}', "{}"):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(text)
            with self.assertRaisesRegex(ValueError, "no list of calls"):
                torch_warm.read_list(self.path)
        with self.assertRaisesRegex(ValueError, "no list of calls"):
            torch_warm.read_list(self.path + ".absent")


class Compiling(WithList):
    def compile(self, torch, calls):
        shared = self.write(calls)
        with contextlib.redirect_stderr(io.StringIO()) as told:
            torch_warm.compile_calls(torch, shared, lambda call: torch_problem.compile_once(torch, call), os.getppid())
        shared.write_progress()
        return told.getvalue()

    def test_each_is_made_once_and_dropped(self):
        torch = fake_torch.make()
        self.assertEqual(self.compile(torch, [ADD, {**ADD, "dtype": "bf16"}]), "")
        self.assertEqual((torch.compilations, torch.resets, torch.gpu.log), (2, 2, ["add", "synchronize"] * 2))
        self.assertEqual(self.progress(), [2, 0, 2])

    def test_triton_kernels_are_launched(self):
        modules = fake_torch.make_triton()
        sys.modules.update(modules)
        try:
            told = self.compile(fake_torch.make(), [{**ADD, "mode": "triton"}])
        finally:
            for name in (*modules, "torch_triton"):
                sys.modules.pop(name, None)
        self.assertEqual(told, "")
        self.assertEqual([name for name, _, _ in modules["triton"].launches], ["add_kernel"])

    def test_a_failure_is_told_and_the_others_go_on(self):
        torch = fake_torch.make()
        told = self.compile(torch, [{**ADD, "op": "sort"}, {**ADD, "inputs": [[2], [3]]}, ADD])
        self.assertEqual(torch.resets, 2)  # also after the one that failed while it was compiled
        self.assertEqual(len(told.splitlines()), 2)
        self.assertIn("no entry for op 'sort'", told)
        self.assertIn("must match", told)
        self.assertEqual(self.progress(), [1, 2, 3])

    def test_what_a_peer_does_not_offer_is_no_failure(self):
        shared = self.write([ADD])

        def refuse(call):
            raise torch_ops.Unsupported("not offered")

        torch_warm.compile_calls(fake_torch.make(), shared, refuse, os.getppid())
        shared.write_progress()
        self.assertEqual(self.progress(), [1, 0, 1])

    def test_memory_is_left_to_others(self):
        torch = fake_torch.make()
        torch.cuda.mem_get_info = lambda: (60 << 30, 80 << 30)
        crowded = os.path.join(self.folder, "crowded")
        torch_warm.wait_for_memory(torch, 19 << 30, crowded)
        started = time.monotonic()
        with self.assertRaisesRegex(MemoryError, "too large"):
            torch_warm.wait_for_memory(torch, 41 << 30, crowded)
        self.assertFalse(os.path.exists(crowded))
        with self.assertRaisesRegex(MemoryError, "not enough free"):
            torch_warm.wait_for_memory(torch, 21 << 30, crowded, 0)
        with self.assertRaisesRegex(MemoryError, "not enough free"):
            torch_warm.wait_for_memory(torch, 21 << 30, crowded)  # nobody waits any more
        torch_warm.wait_for_memory(torch, 19 << 30, crowded)
        self.assertLess(time.monotonic() - started, 5)
        self.assertGreater(torch_warm.bytes_of({**ADD, "inputs": [[1 << 20]]}), 4 << 20)


class Conducting(WithList):
    """The leading process: a conductor of its own, since it is told to end by signals."""

    def start(self, **environment):
        process = subprocess.Popen([sys.executable, "-B", os.path.abspath(__file__), "--conduct", self.path], start_new_session=True,
                                   env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def sleepers(self):
        """What processes of the test's group are there: helpers, and what those had started."""
        found = []
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            try:
                if os.getpgid(pid) == self.process.pid and pid != self.process.pid and is_alive(pid):
                    found.append(pid)
            except ProcessLookupError:
                pass
        return found

    def test_all_calls_are_made_and_it_ends(self):
        self.write([ADD] * 5 + [{**ADD, "op": "broken"}])
        self.process = self.start()
        told = self.process.communicate(timeout=60)[1]
        self.assertEqual(self.process.returncode, 0)
        self.assertEqual(self.progress(), [5, 1, 6])
        self.assertIn("broken f32", told)
        self.assertNotIn("at all", told)
        self.assertEqual(len(self.helpers()), 2)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("private-")], [])

    def test_told_to_end_it_ends_all(self):
        self.write([{**ADD, "op": "sleep"}] * 4)
        self.process = self.start()
        self.assertTrue(wait_until(lambda: len(self.sleepers()) == 4))  # two helpers and what each had started
        os.kill(self.process.pid, signal.SIGTERM)
        self.process.wait(20)
        self.assertTrue(wait_until(lambda: self.sleepers() == [], 5))

    def test_a_leader_that_is_killed_takes_its_helpers_along(self):
        self.write([{**ADD, "op": "sleep"}] * 4)
        self.process = self.start()
        self.assertTrue(wait_until(lambda: len(self.sleepers()) == 4))
        helpers = self.helpers()
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(20)
        self.assertTrue(wait_until(lambda: not any(map(is_alive, helpers)), 5))
        os.killpg(self.process.pid, signal.SIGKILL)  # the stand-ins for assemblers

    def test_it_ends_with_its_parent(self):
        self.write([{**ADD, "op": "sleep"}] * 4)
        shell = subprocess.Popen(["sh", "-c", '"$0" -B "$1" --conduct "$2" & wait', sys.executable, os.path.abspath(__file__), self.path],
                                 start_new_session=True)
        self.addCleanup(shell.kill)
        self.assertTrue(wait_until(lambda: len(self.helpers()) == 2))
        helpers = self.helpers()
        shell.kill()
        shell.wait(20)
        self.assertTrue(wait_until(lambda: not any(map(is_alive, helpers))))
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)

    def test_helpers_that_crash_are_no_hang(self):
        self.write([ADD] * 3)
        self.process = self.start(TEST_CRASH="1")
        self.process.communicate(timeout=60)
        self.assertEqual(self.progress(), [0, 0, 3])


class Choices(unittest.TestCase):
    def setUp(self):
        self.before = dict(os.environ)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tearDown(self):
        os.environ.clear()
        os.environ.update(self.before)

    def test_each_process_keeps_its_choices_and_shares_its_code(self):
        os.environ.pop("TRITON_CACHE_DIR", None)
        os.environ["TRITON_HOME"] = self.folder
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = "/where/earlier/choices/lie"
        seen = []
        for private in ("one", "two"):
            torch_caches.use(os.path.join(self.folder, private))
            seen.append((os.environ["TORCHINDUCTOR_CACHE_DIR"], os.environ["TRITON_CACHE_DIR"]))
        self.assertEqual(seen, [(os.path.join(self.folder, name), os.path.join(self.folder, ".triton", "cache")) for name in ("one", "two")])
        for name in ("TORCHINDUCTOR_FX_GRAPH_CACHE", "TORCHINDUCTOR_AUTOGRAD_CACHE", "TORCHINDUCTOR_AUTOTUNE_REMOTE_CACHE",
                     "TRITON_CACHE_AUTOTUNING"):
            self.assertEqual(os.environ[name], "0")

    def test_choices_are_gone_with_their_process(self):
        program = ("import os, sys, torch_peer\n"
                   "torch_peer.use_caches(torch_peer.make_parser().parse_args(sys.argv[1:]))\n"
                   "os.makedirs(os.path.join(os.environ['TORCHINDUCTOR_CACHE_DIR'], 'deep'))\n"
                   "print(os.environ['TORCHINDUCTOR_CACHE_DIR'])\n")
        bench = os.path.dirname(os.path.abspath(torch_warm.__file__))
        for arguments in (["--socket", os.path.join(self.folder, "socket")], ["--op", "add"]):
            done = subprocess.run([sys.executable, "-B", "-c", program, *arguments], env={**os.environ, "PYTHONPATH": bench, "TRITON_CACHE_DIR": "/given"},
                                  stdout=subprocess.PIPE, text=True, check=True)
            self.assertFalse(os.path.exists(done.stdout.strip()))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_cache_of_code_that_is_set_stays(self):
        os.environ["TRITON_CACHE_DIR"] = "/given"
        torch_caches.use(self.folder)
        self.assertEqual(os.environ["TRITON_CACHE_DIR"], "/given")

    def test_a_home_that_cannot_be_written_is_no_end(self):
        os.environ.pop("TRITON_CACHE_DIR", None)
        os.environ["TRITON_HOME"] = os.devnull
        torch_caches.use(self.folder)
        self.assertTrue(os.access(os.environ["TRITON_CACHE_DIR"], os.W_OK))

    def test_settings_that_would_keep_choices_are_off_before_anything_is_compiled(self):
        inductor = types.SimpleNamespace(fx_graph_cache=True, autotune_local_cache=True, autotune_remote_cache=None, max_autotune=True)
        functorch = types.SimpleNamespace(enable_autograd_cache=True)
        sys.modules.update({"torch._inductor.config": inductor, "torch._functorch.config": functorch})
        torch = fake_torch.make()
        plain = torch.compile

        def compile_call(*arguments, **settings):
            self.assertEqual(vars(inductor), {"fx_graph_cache": False, "autotune_local_cache": False, "autotune_remote_cache": False,
                                              "max_autotune": True})
            self.assertIs(functorch.enable_autograd_cache, False)
            return plain(*arguments, **settings)

        torch.compile = compile_call
        try:
            torch_problem.compile_once(torch, ADD)()
            inductor.autotune_local_cache = True
            inductor.fx_graph_cache = True
            torch_problem.warm_compiler(torch)
            inductor.autotune_local_cache = True
            inductor.fx_graph_cache = True
            torch_problem.Problem(torch, "add", "f32", ADD["inputs"], {}, "compile", 1 << 20)
        finally:
            del sys.modules["torch._inductor.config"], sys.modules["torch._functorch.config"]
        self.assertEqual(torch.compilations, 3)

    def test_configurations_of_compiled_kernels_are_told(self):
        def settled(*configs):
            return types.SimpleNamespace(launchers=[types.SimpleNamespace(config=config) for config in configs])

        module = types.SimpleNamespace(call=len, triton_b=settled("XBLOCK: 1"), triton_a=settled("XBLOCK: 2"), open=settled("1", "2"), other=3)
        candidate = types.SimpleNamespace(triton_mm=settled("BLOCK_M: 16"))
        sys.modules["torch._inductor.codecache"] = types.SimpleNamespace(PyCodeCache=types.SimpleNamespace(modules=[candidate, module]))
        try:
            self.assertEqual(torch_problem.configurations(torch_problem.wrapper_modules()), "triton_a: XBLOCK: 2; triton_b: XBLOCK: 1")
        finally:
            del sys.modules["torch._inductor.codecache"]
        self.assertEqual(torch_problem.wrapper_modules(), [])


class Config:
    def __init__(self, warps, block):
        self.num_warps, self.kwargs = warps, {"XBLOCK": block}

    def key(self):
        return self.num_warps, self.kwargs["XBLOCK"]


def make_descent():
    """As much of torch's step-by-step tuner as is wrapped: it looks at the neighbours of its start, and no further."""
    module = types.SimpleNamespace()
    module.get_field = lambda config, name: config.num_warps if name == "num_warps" else config.kwargs.get(name)
    module.set_field = lambda config, name, value: (setattr(config, name, value) if name == "num_warps" else config.kwargs.update({name: value}))

    class CoordescTuner:
        tunable_fields = ("XBLOCK", "YBLOCK", "num_warps")

        def __init__(self):
            self.cache = {}

        def lookup_in_cache(self, config):
            return self.cache.get(config.key())

        def call_func(self, function, config):
            if config.key() not in self.cache:
                self.cache[config.key()] = function(config)
            return self.cache[config.key()]

        def get_neighbour_values(self, name, value):
            return [other for other in (value * 2, value // 2) if 1 <= other <= 8]

        def autotune(self, function, start, baseline_timing=None):
            best = start
            for config in (start, Config(start.num_warps, start.kwargs["XBLOCK"] * 2)):
                if self.call_func(function, config) < self.call_func(function, best):
                    best = config
            return best

    module.CoordescTuner = CoordescTuner
    return module


class Tuning(unittest.TestCase):
    def test_candidates_are_timed_in_a_hurry(self):
        calls = []

        def benchmark(call, memory_warmup_iters=100, benchmark_iters=100, max_benchmark_duration=25, **settings):
            calls.append((benchmark_iters, settings))
            return 1.5

        short = torch_warm.shortened(fake_torch.make(), benchmark)
        self.assertEqual(short(len, rep=40), 1.5)
        self.assertEqual(calls, [(torch_warm.FEW_RUNS["benchmark_iters"], {"rep": 40})])

    def test_of_an_unknown_benchmark_a_glance_is_left(self):
        torch, runs = fake_torch.make(host_us=0.0), []

        def call():
            runs.append(1)
            torch.gpu.work("add")

        glance = torch_warm.shortened(torch, lambda call, rep=3: None)
        self.assertAlmostEqual(glance(call, rep=40), 0.007, places=3)
        self.assertEqual(len(glance(call, quantiles=(0.5, 0.2, 0.8))), 3)
        self.assertEqual(len(runs), 8)

    def test_what_lies_beside_the_fast_ones_is_compiled_too(self):
        descent, compiled = make_descent(), []
        torch_warm.look_around(descent)

        def function(config):
            compiled.append(config.key())
            if config.num_warps == 8:
                raise RuntimeError("out of registers")
            return 1.0

        tuner = descent.CoordescTuner()
        self.assertEqual(tuner.autotune(function, Config(4, 2)).key(), (4, 2))  # the choice stays the tuner's
        self.assertEqual(compiled[:2], [(4, 2), (4, 4)])
        self.assertEqual(set(compiled), {(4, 2), (4, 4), (4, 1), (8, 2), (2, 2), (4, 8), (8, 4), (2, 4)})
        slow = descent.CoordescTuner()
        compiled.clear()
        slow.autotune(lambda config: compiled.append(config.key()) or float(config.kwargs["XBLOCK"]), Config(4, 2))
        self.assertNotIn((4, 8), compiled)  # beside one that was twice as slow

    def test_torch_is_wrapped_and_triton_too(self):
        torch, modules = fake_torch.make(host_us=0.0), fake_torch.make_triton()
        benchmarker = types.SimpleNamespace(benchmark_gpu=lambda call: 3.0)
        descent = make_descent()
        plain = descent.CoordescTuner.autotune
        sys.modules.update({**modules, "torch._inductor.runtime.benchmarking": types.SimpleNamespace(benchmarker=benchmarker),
                            "torch._inductor.runtime": types.SimpleNamespace(coordinate_descent_tuner=descent)})
        try:
            torch_warm.choose_carelessly(torch)
            import torch_triton
            self.assertAlmostEqual(torch_triton.add_kernel.do_bench(lambda: torch.gpu.work("add")), 0.007, places=3)
        finally:
            for name in (*modules, "torch_triton", "torch._inductor.runtime.benchmarking", "torch._inductor.runtime"):
                sys.modules.pop(name, None)
        self.assertNotEqual(benchmarker.benchmark_gpu(lambda: None), 3.0)
        self.assertIsNot(descent.CoordescTuner.autotune, plain)

    def test_another_torch_is_no_end(self):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            torch_warm.choose_carelessly(fake_torch.make())
        self.assertIn("stays as it is", told.getvalue())


if __name__ == "__main__":
    unittest.main()
