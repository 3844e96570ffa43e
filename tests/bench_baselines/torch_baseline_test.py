"""Tests of bench/baselines/torch/torch_baseline.py with an invented torch: the protocol, Triton's kernels, serving, use by hand."""

import contextlib
import io
import json
import os
import socket
import sys
import tempfile
import threading
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "bench", "baselines", "torch"), os.path.join(HERE, "..", "..", "tools")]

import fake_torch
import torch_ops
import torch_baseline
import torch_problem
import torch_timing

ADD = {"cmd": "prepare", "op": "add", "torch": "torch.add", "dtype": "f32", "dims": {}, "inputs": [[64, 64], [64, 64]],
       "params": {"alpha": 1.0}, "mode": "eager", "l2_bytes": 1 << 20}
COLD = {"cmd": "measure", "mode": "cold", "warmup_ms": 0, "sample_ms": 0, "flush": "memset", "max_samples": 0}


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
        a, b, bias = (types.SimpleNamespace(transpose=lambda *axes, name=name: name + " transposed") for name in ("a", "b", "bias"))
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
        with self.assertRaisesRegex(torch_ops.Unsupported, "one pair of matrices"):
            self.launch("matmul", [(2, 30, 64), (2, 64, 50)], {"batch": 2}, out=(2, 30, 50))
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
                                          ("mha", [(1, 1, 8, 64)] * 3, {"key_padding": 2}, "counts all keys"),
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
