"""Tests of bench/baselines/torch/torch_baseline.py and its two companions with an invented torch: the protocol, the sampling rules, the timing."""

import contextlib
import io
import json
import math
import os
import socket
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "bench", "baselines", "torch"), os.path.join(HERE, "..", "..", "tools")]

import fake_torch
import torch_ops
import torch_baseline
import torch_problem
import torch_timing

REAL_MEMSET = torch_timing.memset_async  # fake_torch.make() puts another in its place

ADD = {"cmd": "prepare", "op": "add", "torch": "torch.add", "dtype": "f32", "dims": {}, "inputs": [[64, 64], [64, 64]],
       "params": {"alpha": 1.0}, "mode": "eager", "l2_bytes": 1 << 20}
COLD = {"cmd": "measure", "mode": "cold", "warmup_ms": 0, "sample_ms": 0, "flush": "memset", "max_samples": 0}


def make_timer(torch, sets=4):
    used = []

    def call(index):
        used.append(index)
        torch.gpu.work("add")
        return object()

    return torch_timing.Timer(torch, call, sets, 1 << 20), used


class Choices(unittest.TestCase):
    def test_sets_exceed_twice_the_cache(self):
        count = torch_timing.choose_sets(50 << 20, 12 << 20, 80 << 30)
        self.assertGreater(count * (12 << 20), 2 * (50 << 20))

    def test_sets_respect_memory_and_limit(self):
        self.assertEqual(torch_timing.choose_sets(50 << 20, 1 << 30, 2 << 30), 1)
        self.assertEqual(torch_timing.choose_sets(50 << 20, 0, 80 << 30), torch_timing.MOST_SETS)

    def test_launches(self):
        self.assertEqual(torch_timing.choose_launches(2.0, 3), 200)  # a millisecond would be 500
        self.assertEqual(torch_timing.choose_launches(100.0, 3), 20)
        self.assertEqual(torch_timing.choose_launches(5.0, 300), 300)  # every buffer set once
        self.assertEqual(torch_timing.choose_launches(5000.0, 3), 5)  # 25 ms at most
        self.assertEqual(torch_timing.choose_launches(1e6, 3), 2)


class Sampling(unittest.TestCase):
    def run_loop(self, ms_each, **settings):
        clock = {"s": 0.0}
        batches = []

        def take(count):
            clock["s"] += count * ms_each * 1e-3
            batches.append(count)
            return [float(len(batches))] * count

        values = torch_timing.sample(take, settings.get("warmup_ms", 25), settings.get("sample_ms", 100), 40,
                                     settings.get("max_samples", 0), now=lambda: clock["s"])
        return values, batches, clock["s"]

    def test_times_are_kept(self):
        values, batches, spent = self.run_loop(0.1)
        self.assertGreaterEqual(len(values), 990)
        self.assertLess(spent, 0.140)
        self.assertEqual(batches[0], 1)
        self.assertLessEqual(max(batches), 40)

    def test_least_samples(self):
        self.assertEqual(len(self.run_loop(45.0)[0]), torch_timing.MIN_SAMPLES)

    def test_one_of_a_long_call(self):
        self.assertEqual(len(self.run_loop(1500.0)[0]), 1)

    def test_most_samples(self):
        self.assertEqual(len(self.run_loop(0.1, max_samples=7)[0]), 7)

    def test_warm_up_is_discarded(self):
        values, _, _ = self.run_loop(1.0)
        self.assertNotIn(1.0, values)


class Warming(unittest.TestCase):
    def test_the_compiler_is_used_once(self):
        torch = fake_torch.make()
        with contextlib.redirect_stderr(io.StringIO()) as told:
            torch_problem.warm_compiler(torch)
        self.assertEqual((told.getvalue(), torch.compilations, torch.gpu.log), ("", 1, ["add", "synchronize"]))

    def test_a_broken_compiler_is_no_end(self):
        torch = fake_torch.make()
        torch.compile = None
        with contextlib.redirect_stderr(io.StringIO()) as told:
            torch_problem.warm_compiler(torch)
        self.assertIn("warming torch.compile failed", told.getvalue())


class Timing(unittest.TestCase):
    def test_cold_times_the_call_alone(self):
        torch = fake_torch.make()
        timer, used = make_timer(torch)
        torch.gpu.log.clear()
        used.clear()
        values = timer.take_cold(12, "memset")
        for value in values:
            self.assertAlmostEqual(value, 7.0, places=3)
        self.assertEqual(torch.gpu.log, ["sleep", "memset", "add", "synchronize"] * 12)  # nothing waits behind a launch
        self.assertEqual(used, [i % timer.sets for i in range(12)])  # one place in memory after the other

    def test_cold_looks_at_what_the_first_set_got(self):
        for sample_ms, most in ((0, 1), (0, 0), (100, 6)):
            torch = fake_torch.make()
            timer = torch_timing.Timer(torch, lambda index: (torch.gpu.work("add"), index)[1], 4, 1 << 20)
            timer.next_set = 2
            samples, _ = timer.measure("cold", 0, sample_ms, max_samples=most)
            self.assertEqual((timer.last_output, timer.next_set), (0, (2 + len(samples)) % 4))  # the repetitions go on round the sets

    def test_the_floor_is_a_cold_launch_of_nothing(self):
        torch = fake_torch.make()
        timer, used = make_timer(torch)
        torch.gpu.log.clear()
        used.clear()
        self.assertAlmostEqual(timer.launch_overhead_us(), 3.0, places=3)
        self.assertEqual((used, torch.gpu.log[:6]), ([], ["empty", "synchronize", "sleep", "memset", "empty", "synchronize"]))

        torch.gpu.log.clear()
        timer.launch_overhead_us("read")
        self.assertEqual(torch.gpu.log[2:5], ["sleep", "amax", "empty"])

        def refuse(torch):
            raise RuntimeError("no such driver")

        torch_timing.launch_empty = refuse
        with contextlib.redirect_stderr(io.StringIO()) as told:
            self.assertIsNone(timer.launch_overhead_us())
        self.assertIn("no such driver", told.getvalue())

    def test_outputs_are_kept_so_that_each_set_has_its_own_place(self):
        timer, _ = make_timer(fake_torch.make())
        self.assertEqual(len({id(output) for output in timer.kept}), timer.sets)
        before = list(timer.kept)
        timer.take_cold(1, "memset")
        self.assertIsNot(timer.kept[0], before[0])
        self.assertIs(timer.kept[1], before[1])

    def test_strays_and_ticks_do_not_reach_the_overhead(self):
        self.assertAlmostEqual(torch_timing.location([3.0] * 6 + [3.2] * 6 + [9.0, 1.0]), 3.1)

    def test_cold_repeats_when_the_host_was_too_slow(self):
        torch = fake_torch.make(host_us=60.0)  # 240 us a launch: more than the first guess
        timer, _ = make_timer(torch)
        torch.gpu.log.clear()
        for value in timer.take_cold(20, "memset"):
            self.assertAlmostEqual(value, 7.0, places=3)
        self.assertGreater(torch.gpu.log.count("sleep"), 1)

    def test_one_slow_launch_does_not_slow_the_others(self):
        torch = fake_torch.make()
        timer, _ = make_timer(torch)
        timer.queue_us = 50000.0  # as after a launch that a compilation held up
        timer.take_cold(40, "memset")
        self.assertLess(timer.queue_us, 1000.0)

    def test_one_fast_launch_does_not_end_the_spin_at_once(self):
        torch = fake_torch.make()
        timer, _ = make_timer(torch)
        slept, sleep = [], torch.cuda._sleep
        torch.cuda._sleep = lambda cycles: (slept.append(cycles / torch_timing.SLEEP_CYCLES_PER_US), sleep(cycles))
        timer.queue_us = 100000.0
        with unittest.mock.patch("time.monotonic", lambda: 0.0):  # a host that needs no time at all
            timer.take_cold(3, "memset")
            self.assertEqual([round(us) for us in slept], [100000, 90000, 81000])  # a slow one may follow
            timer.queue_us = 76.0
            timer.take_cold(2, "memset")
        self.assertEqual(slept[3:], [76.0, torch_timing.LEAST_QUEUE_US])

    def test_cold_holds_long_launches_back(self):
        torch = fake_torch.make()
        timer, _ = make_timer(torch)
        slept = []
        torch.cuda._sleep = lambda cycles: (slept.append(cycles / torch_timing.SLEEP_CYCLES_PER_US),
                                            torch.gpu.work("sleep", 1e6))
        timer.launch_us = 49.0
        timer.take_cold(10, "memset")
        timer.launch_us = 1400.0
        timer.take_cold(10, "memset")
        self.assertEqual(slept, [75.0] * 10 + [100.0] * 10)

    def test_cold_gives_up_in_words(self):
        torch = fake_torch.make()
        timer, _ = make_timer(torch)
        torch.cuda._sleep = lambda cycles: None
        with self.assertRaisesRegex(RuntimeError, "could not queue"):
            timer.take_cold(5, "memset")

    def test_the_driver_fills_what_it_is_told_to(self):
        calls = []

        class Function:  # as ctypes has them: what it is called with is converted by argtypes
            def __call__(self, *arguments):
                calls.append([kind(value).value for kind, value in zip(self.argtypes, arguments)])
                return 0 if len(calls) == 1 else 700

        library = types.SimpleNamespace(cuMemsetD8Async=Function())
        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(current_stream=lambda: types.SimpleNamespace(cuda_stream=0x77)))
        torch_timing.driver_memset.cache_clear()
        with unittest.mock.patch("ctypes.CDLL", lambda name: {"libcuda.so.1": library}[name]):
            REAL_MEMSET(torch, 0x7F0000000000, 5 << 30)
            self.assertEqual(calls, [[0x7F0000000000, 0, 5 << 30, 0x77]])
            with self.assertRaisesRegex(RuntimeError, "CUDA error 700"):
                REAL_MEMSET(torch, 0x1000, 1)
        torch_timing.driver_memset.cache_clear()

    def test_read_flush(self):
        torch = fake_torch.make()
        timer, _ = make_timer(torch)
        torch.gpu.log.clear()
        timer.take_cold(2, "read")
        self.assertEqual(torch.gpu.log, ["sleep", "amax", "add", "synchronize"] * 2)
        with self.assertRaisesRegex(ValueError, "memset or read"):
            timer.take_cold(1, "none")

    def test_hot_rotates_over_all_sets(self):
        torch = fake_torch.make()
        timer, used = make_timer(torch, sets=30)
        used.clear()
        values, launches = timer.measure("hot", 0, 0)
        self.assertEqual(used, [i % 30 for i in range(launches)])
        self.assertGreaterEqual(len(values), torch_timing.MIN_SAMPLES)
        for value in values:
            self.assertAlmostEqual(value, 7.0, delta=0.2)

    def test_hot_keeps_a_round_of_outputs_alive(self):
        torch = fake_torch.make()
        timer, _ = make_timer(torch, sets=30)
        timer.measure("hot", 0, 0)
        (_, kept), = timer.graphs.values()
        self.assertEqual(len(set(map(id, kept))), 30)

    def test_launches_per_sample_are_those_behind_a_value(self):
        for mode in ("hot", "burst", "sustained"):
            torch = fake_torch.make()
            timer, used = make_timer(torch, sets=30)
            used.clear()
            torch.gpu.log.clear()
            values, launches = timer.measure(mode, 0, 0)
            leads = torch.gpu.log.count("synchronize") - 1  # a replay before each batch; one wait was before the capture
            replays = torch.gpu.log.count("replay") - leads
            self.assertEqual(launches * len(values), replays * len(used), mode)
            if mode == "sustained":
                self.assertGreaterEqual(launches * 7.0, torch_timing.SUSTAINED_SAMPLE_US)

    def test_unknown_mode(self):
        timer, _ = make_timer(fake_torch.make())
        with self.assertRaisesRegex(ValueError, "cold, hot"):
            timer.measure("warm", 0, 0)


class Protocol(unittest.TestCase):
    def setUp(self):
        self.torch = fake_torch.make()
        self.session = torch_baseline.Session(self.torch)

    def ask(self, request):
        return self.session.answer(request if isinstance(request, str) else json.dumps(request))

    def test_prepare_measure_release(self):
        self.assertEqual(self.ask(ADD), {"ok": True, "version": "torch 9.9.9+fake", "choice": "", "launch_overhead_us": 3.0})
        answer = self.ask(COLD)
        self.assertTrue(answer["ok"])
        self.assertEqual(answer["launches_per_sample"], 1)
        self.assertGreaterEqual(len(answer["samples_us"]), torch_timing.MIN_SAMPLES)
        self.assertAlmostEqual(answer["samples_us"][0], 7.0, places=3)
        self.assertEqual(self.ask({"cmd": "release"}), {"ok": True})
        self.assertIn("nothing is prepared", self.ask(COLD)["reason"])

    def test_eager_writes_into_outputs_of_its_own(self):
        self.ask(ADD)
        self.assertEqual(len(self.session.problem.outputs), len(self.session.problem.inputs))
        total = len(self.session.problem.inputs) * 3 * 64 * 64 * 4
        self.assertGreater(total, 2 * ADD["l2_bytes"])

    def test_compile_by_the_default_mode(self):
        self.torch.broken_modes = ("max-autotune-no-cudagraphs",)
        answer = self.ask({**ADD, "mode": "compile"})
        self.assertTrue(answer["ok"], answer)
        self.assertIn("default mode, as max-autotune-no-cudagraphs fails: no kernel of this mode; ", json.dumps(answer))
        self.torch.broken_modes += ("default",)
        self.assertIn("no kernel of this mode", self.ask({**ADD, "dtype": "bf16", "mode": "compile"})["reason"])

    def test_compile_once(self):
        request = {**ADD, "mode": "compile"}
        self.ask(request)
        self.ask(request)
        self.assertEqual(self.torch.compilations, 1)
        self.ask({"cmd": "release"})
        self.assertEqual(self.torch.resets, 1)

    def test_another_problem_replaces_the_first(self):
        self.ask(ADD)
        first = self.session.problem
        self.ask({**ADD, "dtype": "bf16"})
        self.assertIsNot(self.session.problem, first)
        self.assertIsNone(first.inputs)

    def test_reasons(self):
        for request, words in (
                ("{", "JSON"), ("[1]", "object"), ({"cmd": "dance"}, "unknown cmd"), (COLD, "nothing is prepared"),
                ({**ADD, "op": "sort"}, "no entry for op 'sort'"), ({**ADD, "dtype": "f8"}, "unknown dtype"),
                ({**ADD, "mode": "lazy"}, "unknown mode"), ({"cmd": "prepare"}, "lacks 'op'"),
                ({**ADD, "inputs": [[2], [3]]}, "must match")):
            answer = self.ask(request)
            self.assertFalse(answer["ok"], request)
            self.assertIn(words, answer["reason"])
            self.assertNotIn("\n", answer["reason"])

    def test_an_op_from_outside_brings_its_call(self):
        with tempfile.TemporaryDirectory() as folder:
            request = {**ADD, "op": "sum_of_two", "directory": folder}
            self.assertIn("torch_op.py is not there", self.ask(request)["reason"])
            path = os.path.join(folder, "torch_op.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write("into = 1\n")
            self.assertIn("defines no call", self.ask(request)["reason"])
            with open(path, "w", encoding="utf-8") as file:
                file.write("def call(torch, inputs, params):\n    return torch.add(inputs[0], inputs[1])\n")
            self.assertTrue(self.ask(request)["ok"])
            self.assertTrue(self.ask(COLD)["ok"])
            self.assertTrue(self.ask({**request, "op": "add"})["ok"])  # the ops of the tree stay what they are

    def test_a_failed_preparation_leaves_nothing_prepared(self):
        self.ask(ADD)
        self.ask({**ADD, "inputs": [[2], [3]]})
        self.assertFalse(self.ask(COLD)["ok"])
        self.assertTrue(self.ask(ADD)["ok"])

    def test_output_of_the_given_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("input0", "input1", "output0")]
            for path, byte in zip(paths[:2], b"xy"):
                with open(path, "wb") as file:
                    file.write(bytes([byte]) * 64 * 64 * 4)
            for mode in ("eager", "compile"):
                self.assertTrue(self.ask({**ADD, "mode": mode, "data": paths[:2]})["ok"])
                for mode in ("cold", "hot"):
                    self.assertTrue(self.ask({**COLD, "mode": mode})["ok"])
                    self.assertEqual(self.ask({"cmd": "output", "path": paths[2]}), {"ok": True})
                    with open(paths[2], "rb") as file:
                        self.assertEqual(file.read(), b"x" * 64 * 64 * 4)
                    os.unlink(paths[2])
            self.assertIn("1 files for 2 inputs", self.ask({**ADD, "dtype": "f16", "data": paths[:1]})["reason"])
            self.assertIn("another size", self.ask({**ADD, "dtype": "f16", "data": paths[:2]})["reason"])

    def test_what_is_timed_finds_poison(self):
        self.ask(ADD)
        self.torch.add = lambda x, y, alpha=1.0, out=None: out  # does nothing
        self.ask(COLD)
        self.assertEqual(self.session.problem.outputs[0].payload, b"poison")

    def test_math_mode_follows_the_problem(self):
        other = torch_baseline.Session(self.torch)
        self.ask({**ADD, "math_mode": "tf32"})
        self.assertEqual(self.torch.precision, "high")
        other.answer(json.dumps(ADD))
        self.assertEqual(self.torch.precision, "highest")
        self.ask(COLD)
        self.assertEqual(self.torch.precision, "high")
        self.assertIs(self.torch.backends.cuda.matmul.allow_tf32, True)
        other.answer(json.dumps(COLD))
        self.assertEqual(self.torch.precision, "highest")
        self.assertIn("unknown math mode", self.ask({**ADD, "math_mode": "f8"})["reason"])

    def test_math_mode(self):
        sys.modules["torch"] = self.torch
        try:
            torch = torch_baseline.load_torch()
        finally:
            del sys.modules["torch"]
        self.assertEqual(torch.precision, "highest")
        self.assertIs(torch.backends.cuda.matmul.allow_tf32, False)
        self.assertIs(torch.backends.cudnn.allow_tf32, False)
        self.assertIs(torch.backends.cudnn.benchmark, True)


class Triton(unittest.TestCase):
    def setUp(self):
        self.torch = fake_torch.make()
        self.modules = fake_torch.make_triton()
        sys.modules.update(self.modules)
        self.launches = self.modules["triton"].launches
        self.session = torch_baseline.Session(self.torch)

    def tearDown(self):
        for name in (*self.modules, "torch_triton"):
            sys.modules.pop(name, None)

    def test_prepare_and_measure(self):
        answer = self.session.answer(json.dumps({**ADD, "mode": "triton"}))
        self.assertEqual(answer["version"], "Triton 8.8.8 (torch 9.9.9+fake)")
        self.assertEqual(answer["choice"], "autotuned: {'BLOCK': 1024}, num_warps: 4")
        self.launches.clear()
        self.assertTrue(self.session.answer(json.dumps(COLD))["ok"])
        self.assertEqual({(name, grid) for name, grid, _ in self.launches}, {("add_kernel", (4,))})

    def test_ops_without_a_kernel(self):
        import torch_triton
        self.assertLessEqual(set(torch_triton.OPS), set(torch_ops.OPS))
        torch_ops.OPS["sort"] = torch_ops.OPS["add"]
        try:
            answer = self.session.answer(json.dumps({**ADD, "op": "sort", "mode": "triton"}))
        finally:
            del torch_ops.OPS["sort"]
        self.assertIn("no Triton kernel for op 'sort'", answer["reason"])
        self.assertIs(answer["unsupported"], True)

    def launch(self, op, shapes, params=None, out=None, tf32=False, element=2):
        import torch_triton
        self.launches.clear()
        tensors = [fake_torch.Tensor(self.torch.gpu, shape, element) for shape in shapes]
        torch_triton.OPS[op].launch(self.torch, tensors, params or {}, fake_torch.Tensor(self.torch.gpu, out or shapes[0]), tf32)
        (_, grid, constants), = self.launches
        return grid, constants

    def test_transposed_operands_are_views(self):
        a, b, bias = (types.SimpleNamespace(t=lambda name=name: name + " transposed") for name in ("a", "b", "bias"))
        torch = types.SimpleNamespace(matmul=lambda *factors: factors, addmm=lambda *terms: terms)
        plain, transposed = {"transpose_a": 0, "transpose_b": 0}, {"transpose_b": 1}
        self.assertEqual(torch_ops.OPS["matmul"].call(torch, [a, b], plain), (a, b))
        self.assertEqual(torch_ops.OPS["matmul"].call(torch, [a, b], transposed), (a, "b transposed"))
        torch.nn = types.SimpleNamespace(functional=None)
        self.assertEqual(torch_ops.OPS["matmul_bias_act"].call(torch, [a, b, bias], transposed), (bias, a, "b transposed"))

    def test_grids(self):
        self.assertEqual(self.launch("softmax", [(3, 7, 1000)])[0], (21,))
        self.assertEqual(self.launch("softmax", [(3, 7, 1000)])[1]["BLOCK"], 1024)
        self.assertEqual(self.launch("layernorm", [(5, 96), (96,), (96,)])[0], (5,))
        grid, constants = self.launch("matmul", [(300, 64), (64, 500)], out=(300, 500))
        self.assertEqual(grid, (3 * 2,))  # tiles of 128 x 256
        self.assertEqual(constants["PRECISION"], "ieee")
        self.assertEqual(self.launch("matmul", [(300, 64), (64, 500)], out=(300, 500), tf32=True)[1]["PRECISION"], "tf32")
        with self.assertRaisesRegex(torch_ops.Unsupported, "by rows"):
            self.launch("matmul", [(300, 64), (500, 64)], {"transpose_b": 1}, out=(300, 500))
        grid, constants = self.launch("mha", [(2, 3, 200, 64), (2, 3, 100, 64), (2, 3, 100, 64)], {"causal": True})
        self.assertEqual(grid, (2, 6))
        self.assertEqual((constants["DIM"], constants["CAUSAL"], constants["GROUP"]), (64, True, 1))
        _, constants = self.launch("mha", [(2, 6, 1, 64), (2, 2, 100, 64), (2, 2, 100, 64)], {"causal": True, "bottom_right": True})
        self.assertEqual(constants["GROUP"], 3)

    def test_exact_f32_products_get_small_tiles(self):
        import torch_triton
        configs = torch_triton.matmul_kernel.configs
        for element, precision, all_of_them in ((2, "ieee", True), (4, "tf32", True), (4, "ieee", False)):
            arguments = {"a": fake_torch.Tensor(self.torch.gpu, (8, 8), element)}
            kept = torch_triton.worth_compiling(configs, arguments, PRECISION=precision)
            self.assertEqual(kept == configs, all_of_them)
            self.assertTrue(kept)
            self.assertTrue(all_of_them or all(c.kwargs["BM"] * c.kwargs["BN"] <= 4096 for c in kept))

    def test_long_rows_are_not_compiled_for_few_warps(self):
        import torch_triton
        configs = torch_triton.softmax_kernel.configs
        arguments = {"x": fake_torch.Tensor(self.torch.gpu, (8, 8), 2)}
        for block, warps in ((256, [1, 2, 4, 8, 16]), (8192, [1, 2, 4, 8, 16]), (16384, [2, 4, 8, 16]), (65536, [8, 16]), (1 << 20, [16])):
            kept = torch_triton.worth_compiling(configs, arguments, BLOCK=block)
            self.assertEqual([config.num_warps for config in kept], warps, block)

    def test_what_they_do_not_take(self):
        for op, shapes, params, words in (("softmax", [(3, 7)], {"dim": 0}, "last dimension"), ("softmax", [(1, 65537)], {}, "65536 elements"),
                                          ("mha", [(1, 1, 8, 80)] * 3, {}, "powers of two"),
                                          ("mha", [(1, 1, 8, 64), (1, 1, 7, 64), (1, 1, 7, 64)], {"causal": True, "bottom_right": True},
                                           "see no key")):
            with self.assertRaisesRegex(ValueError, words):
                self.launch(op, shapes, params)
        with self.assertRaisesRegex(ValueError, "exact f32 products"):
            self.launch("mha", [(1, 1, 8, 64)] * 3, element=4)


class Serving(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "torch.sock")
        self.torch = fake_torch.make()
        self.server = torch_baseline.Server(self.torch, self.path)
        self.thread = threading.Thread(target=self.server.serve)
        self.thread.start()

    def tearDown(self):
        self.server.running = False
        self.thread.join(10)
        self.folder.cleanup()

    def connect(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(self.path)
        connection.settimeout(10)
        reader = connection.makefile("rb")
        self.addCleanup(connection.close)
        self.addCleanup(reader.close)
        return connection, reader

    @staticmethod
    def ask(connection, request):
        connection[0].sendall(json.dumps(request).encode() + b"\n")
        return json.loads(connection[1].readline())

    def test_two_connections_take_turns_without_preparing_again(self):
        eager, compiled = self.connect(), self.connect()
        self.ask(eager, ADD)
        self.ask(compiled, {**ADD, "mode": "compile"})
        for _ in range(3):
            for connection, mode in ((eager, "eager"), (compiled, "compile")):
                self.assertTrue(self.ask(connection, {**ADD, "mode": mode})["ok"])
                self.assertTrue(self.ask(connection, COLD)["ok"])
        self.assertEqual(self.torch.compilations, 1)

    def test_pieces_and_several_lines_at_once(self):
        connection = self.connect()
        text = json.dumps(ADD).encode() + b"\n" + json.dumps(COLD).encode() + b"\n"
        connection[0].sendall(text[:20])
        connection[0].sendall(text[20:])
        self.assertIn("version", json.loads(connection[1].readline()))
        self.assertIn("samples_us", json.loads(connection[1].readline()))

    def test_a_broken_client_leaves_the_server_running(self):
        broken = self.connect()
        broken[0].sendall(b'{"cmd": "prep')
        broken[0].close()
        broken[1].close()
        self.assertTrue(self.ask(self.connect(), ADD)["ok"])

    def test_quit_ends_the_server_and_removes_the_socket(self):
        self.assertTrue(self.ask(self.connect(), {"cmd": "quit"})["ok"])
        self.thread.join(10)
        self.assertFalse(self.thread.is_alive())
        self.assertFalse(os.path.exists(self.path))


class View:
    """Shape and strides of a tensor, in elements; row-major unless said otherwise."""

    def __init__(self, shape, strides=None):
        self.shape = tuple(shape)
        self.strides = strides or tuple(math.prod(self.shape[axis + 1:]) for axis in range(len(self.shape)))

    def permute(self, *order):
        return View([self.shape[axis] for axis in order], tuple(self.strides[axis] for axis in order))


class Layouts(unittest.TestCase):
    """What torch's convolution is given, and what of its output is compared. No two extents are the same."""

    DIMS = {"N": 2, "C": 3, "H": 11, "W": 7, "K": 13, "R": 5}

    def call(self, x, weight, out, params):
        given = []

        def conv2d(*arguments, **settings):
            given.extend([*arguments, settings])
            return out

        torch = types.SimpleNamespace(nn=types.SimpleNamespace(functional=types.SimpleNamespace(conv2d=conv2d)))
        bias = View((13,))
        result = torch_ops.OPS["conv2d"].call(torch, [View(x), View(weight), bias], params)
        self.assertIs(given[2], bias)
        self.assertEqual(given[3], {"stride": (2, 2), "padding": (1, 1), "dilation": (1, 1), "groups": 1})
        return given[0], given[1], result

    def test_channels_first_as_they_lie(self):
        x, weight, out = self.call((2, 3, 11, 7), (13, 3, 5, 4), View((2, 13, 5, 3)), {"stride": 2, "padding": 1, "channels_last": 0})
        self.assertEqual((x.shape, x.strides), ((2, 3, 11, 7), (231, 77, 7, 1)))
        self.assertEqual((weight.shape, weight.strides), ((13, 3, 5, 4), (60, 20, 4, 1)))
        self.assertEqual((out.shape, out.strides), ((2, 13, 5, 3), (195, 15, 3, 1)))

    def test_channels_last_are_views(self):
        last = View((2, 5, 3, 13)).permute(0, 3, 1, 2)
        x, weight, out = self.call((2, 11, 7, 3), (13, 5, 4, 3), last, {"stride": 2, "padding": 1, "channels_last": 1})
        self.assertEqual((x.shape, x.strides), ((2, 3, 11, 7), (231, 1, 21, 3)))
        self.assertEqual((weight.shape, weight.strides), ((13, 3, 5, 4), (60, 1, 12, 3)))
        self.assertEqual((out.shape, out.strides), ((2, 5, 3, 13), (195, 39, 13, 1)))

    def test_shapes_from_dimensions(self):
        shapes, params = torch_baseline.problem_from_op_json("conv2d", self.DIMS, {})
        self.assertEqual((shapes, params["channels_last"]), ([[2, 3, 11, 7], [13, 3, 5, 5], [13]], 0))
        shapes, params = torch_baseline.problem_from_op_json("conv2d", self.DIMS, {"channels_last": 1})
        self.assertEqual((shapes, params["channels_last"]), ([[2, 11, 7, 3], [13, 5, 5, 3], [13]], 1))


class Alone(unittest.TestCase):
    def setUp(self):
        self.before = dict(os.environ)
        os.environ["TRITON_CACHE_DIR"] = "/nonexistent"  # otherwise made in the user's home

    def tearDown(self):
        os.environ.clear()
        os.environ.update(self.before)

    def run_main(self, *arguments, torch=None):
        out, errors = io.StringIO(), io.StringIO()
        sys.modules["torch"] = torch  # None: importing fails, as without torch
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                status = torch_baseline.main(list(arguments))
        finally:
            del sys.modules["torch"]
        return status, out.getvalue(), errors.getvalue()

    def test_list_needs_no_torch(self):
        status, out, _ = self.run_main("--list")
        self.assertEqual(status, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()], list(torch_ops.OPS))

    def test_no_torch_is_a_skip(self):
        status, _, errors = self.run_main("--op", "add", "--dims", "M=4,N=4")
        self.assertEqual(status, 77)
        self.assertIn("has no torch", errors)

    def test_no_gpu_is_a_skip(self):
        torch = fake_torch.make()
        torch.cuda.is_available = lambda: False
        status, _, errors = self.run_main("--op", "add", "--dims", "M=4,N=4", torch=torch)
        self.assertEqual(status, 77)
        self.assertIn("no CUDA device", errors)

    def test_missing_dimension_is_wrong_use(self):
        status, _, errors = self.run_main("--op", "add", "--dims", "M=4", torch=fake_torch.make())
        self.assertEqual(status, 2)
        self.assertIn("needs dimension N", errors)

    def test_google_benchmark_json(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            status, _, errors = self.run_main("--op", "add", "--dims", "M=64,N=64", "--out", path, "--repetitions", "3",
                                              "--sample-ms", "1", "--warmup-ms", "0", torch=fake_torch.make())
            self.assertEqual(status, 0, errors)
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
            self.assertEqual(os.listdir(folder), ["out.json"])
        self.assertEqual(result["context"]["device"], "Fake GPU")
        cold = [b for b in result["benchmarks"] if b["run_name"] == "add/torch_eager/f32/M:64/N:64/cold/manual_time"]
        self.assertEqual([b["run_type"] for b in cold], ["iteration"] * 3 + ["aggregate"] * 3)
        self.assertEqual([b["aggregate_name"] for b in cold[3:]], ["mean", "median", "stddev"])
        self.assertAlmostEqual(cold[3]["real_time"], 7.0, places=3)
        self.assertEqual({b["time_unit"] for b in result["benchmarks"]}, {"us"})


if __name__ == "__main__":
    unittest.main()
