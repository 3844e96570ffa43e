#!/usr/bin/env python3
"""torch and Triton as baselines: measures a call of theirs by the same rules as bench/ measures a kernel.

As a server, for the benchmark's remote candidates (bench/baselines/remote.h has the protocol: one JSON object a line, one answer a request):
    torch_baseline.py --socket PATH
Each connection holds one prepared problem, so candidates that alternate do not prepare again; preparing the same problem twice on a
connection costs nothing. The server ends on `quit`, on SIGTERM, and when the process that started it ends.

Alone, writing Google Benchmark's JSON:
    torch_baseline.py --op add --dtype f32 --dims M=4096,N=4096 --mode eager --out FILE [--do-bench]
    torch_baseline.py --list

Exit status as everywhere in Assay: 0 done, 2 wrong use, 3 the environment, 77 no torch or no GPU (the reason is printed).
"""

import argparse
import atexit
import datetime
import json
import os
import selectors
import shutil
import signal
import socket
import stat
import statistics
import sys
import tempfile

import torch_caches
import torch_ops
import torch_problem

EXIT_USAGE, EXIT_ENVIRONMENT, EXIT_SKIPPED = 2, 3, 77
LONGEST_LINE = 1 << 20


class Skip(Exception):
    """torch cannot be measured here."""


def load_torch():
    try:
        import torch
    except ImportError as failure:
        raise Skip("this Python (%s) has no torch: %s" % (sys.executable, failure))
    if not torch.cuda.is_available():
        raise Skip("torch %s sees no CUDA device" % torch.__version__)
    torch.set_grad_enabled(False)
    torch_problem.use_math_mode(torch, "ieee")
    # Partial sums in f32, as the kernels and the library baselines have them.
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    return torch


def reason_of(failure):
    """One line; torch's messages have many."""
    lines = [line.strip() for line in str(failure).splitlines() if line.strip()]
    return "%s: %s" % (type(failure).__name__, lines[0] if lines else "no message")


class Session:
    """What one connection has prepared, and the answers to its requests."""

    def __init__(self, torch):
        self.torch = torch
        self.key = None
        self.problem = None

    def release(self):
        if self.problem is not None:
            self.problem.release()
        self.key = self.problem = None
        self.torch.cuda.empty_cache()  # also what a preparation that failed half-way left behind

    def prepare(self, request):
        key = json.dumps([request.get(name) for name in ("op", "dtype", "inputs", "params", "mode", "math_mode", "l2_bytes", "flush")],
                         sort_keys=True)
        if key != self.key:
            self.release()
            self.problem = torch_problem.Problem(
                self.torch, request["op"], request["dtype"], request["inputs"], request.get("params") or {},
                request.get("mode", "eager"), int(request["l2_bytes"]), request.get("math_mode", "ieee"), request.get("data"),
                request.get("directory"), request.get("flush") or "memset")
            self.key = key
        return {"ok": True, "version": self.problem.version, "choice": self.problem.choice(), "launch_overhead_us": self.problem.launch_overhead_us}

    def _prepared(self):
        if self.problem is None:
            raise ValueError("nothing is prepared")
        return self.problem

    def measure(self, request):
        samples, launches = self._prepared().measure(request)
        return {"ok": True, "samples_us": [round(us, 4) for us in samples], "launches_per_sample": launches}

    def answer(self, line):
        """The answer to one line, always an object; no request can end the server."""
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("a request is a JSON object")
            command = request.get("cmd")
            if command == "prepare":
                return self.prepare(request)
            if command == "measure":
                return self.measure(request)
            if command == "output":
                self._prepared().write_output(request["path"])
            elif command == "release":
                self.release()
            elif command != "quit":
                raise ValueError("unknown cmd %r; there are prepare, measure, output, release and quit" % (command,))
            return {"ok": True}
        except KeyError as failure:
            return {"ok": False, "reason": "the request lacks %s" % failure}
        except torch_ops.Unsupported as failure:
            return {"ok": False, "unsupported": True, "reason": str(failure)}
        except Exception as failure:  # whatever torch raises is an answer, not an end
            return {"ok": False, "reason": reason_of(failure)}


class Server:
    """Answers connections one request at a time: there is one GPU, and measurements must not overlap."""

    def __init__(self, torch, path):
        self.torch = torch
        self.path = path
        self.selector = selectors.DefaultSelector()
        self.sessions = {}
        self.buffers = {}
        self.parent = os.getppid()
        self.running = True
        if os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode):
            os.unlink(path)  # left by a server that was killed
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path + ".new")
        self.listener.listen(8)
        os.rename(path + ".new", path)  # whoever sees the socket can connect
        self.selector.register(self.listener, selectors.EVENT_READ)

    def _close(self, connection):
        self.selector.unregister(connection)
        self.sessions.pop(connection).release()
        self.buffers.pop(connection)
        connection.close()

    def _receive(self, connection):
        try:
            received = connection.recv(65536)
        except OSError:
            received = b""
        pending = self.buffers[connection] + received
        if not received or len(pending) > LONGEST_LINE:
            self._close(connection)
            return
        *lines, self.buffers[connection] = pending.split(b"\n")
        for line in lines:
            answer = self.sessions[connection].answer(line.decode("utf-8", "replace"))
            try:
                connection.sendall(json.dumps(answer, allow_nan=False).encode() + b"\n")
            except OSError:
                self._close(connection)
                return
            if answer["ok"] and b'"quit"' in line and json.loads(line).get("cmd") == "quit":
                self.running = False

    def serve(self):
        try:
            while self.running and os.getppid() == self.parent:
                for key, _ in self.selector.select(timeout=1.0):
                    if key.fileobj is self.listener:
                        connection, _ = self.listener.accept()
                        self.sessions[connection] = Session(self.torch)
                        self.buffers[connection] = b""
                        self.selector.register(connection, selectors.EVENT_READ)
                    else:
                        self._receive(key.fileobj)
        finally:
            for connection in list(self.sessions):
                self._close(connection)
            self.listener.close()
            if os.path.exists(self.path):
                os.unlink(self.path)


def parse_pairs(text, convert):
    pairs = {}
    for item in filter(None, (text or "").split(",")):
        name, equals, value = item.partition("=")
        if not equals:
            raise ValueError("'%s' is not NAME=VALUE" % item)
        pairs[name.strip()] = convert(value.strip())
    return pairs


def parse_value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def problem_from_op_json(op_name, dims, params):
    """Input shapes and parameter defaults from op.json, the one place that has them. Axes are those of the sizes with such parameters."""
    here = os.path.dirname(os.path.abspath(__file__))
    # A bundle has the scripts in bin/ beside ops/; the source tree has them three folders below its root.
    above = ("..",) if os.path.isdir(os.path.join(here, "..", "ops")) else ("..", "..", "..")
    path = os.path.join(here, *above, "ops", op_name, "op.json")
    try:
        with open(path, encoding="utf-8") as file:
            spec = json.load(file)
    except (OSError, ValueError) as failure:
        raise ValueError("%s: %s" % (os.path.normpath(path), failure))

    def extent(name):
        if name.lstrip("-").isdigit():
            return int(name)
        if name not in dims:
            raise ValueError("op %s needs dimension %s: --dims %s=..." % (op_name, name, name))
        return dims[name]

    params = {**{entry["name"]: entry["default"] for entry in spec.get("params", [])}, **params}
    axes = next((size["shapes"] for size in spec["sizes"].values()
                 if "shapes" in size and size.get("params", {}).items() <= params.items()), {})
    return [[extent(name) for name in axes.get(entry["name"], entry["shape"])] for entry in spec["inputs"]], params


def benchmark_entries(name, means, iterations):
    """One entry a repetition and the aggregates, as Google Benchmark writes them."""
    common = {"run_name": name, "repetitions": len(means), "threads": 1, "time_unit": "us"}
    entries = [{"name": name, **common, "run_type": "iteration", "repetition_index": index, "iterations": count,
                "real_time": mean, "cpu_time": mean} for index, (mean, count) in enumerate(zip(means, iterations))]
    aggregates = {"mean": statistics.fmean(means), "median": statistics.median(means),
                  "stddev": statistics.stdev(means) if len(means) > 1 else 0.0}
    for aggregate, value in aggregates.items():
        entries.append({"name": "%s_%s" % (name, aggregate), **common, "run_type": "aggregate",
                        "aggregate_name": aggregate, "aggregate_unit": "time", "iterations": len(means),
                        "real_time": value, "cpu_time": value})
    return entries


def do_bench_us(problem):
    """Triton's own measurement of the same call, as its users would make it."""
    import triton.testing
    return triton.testing.do_bench(lambda: problem.run(0), return_mode="median") * 1e3


def measure_alone(torch, options):
    dims = parse_pairs(options.dims, int)
    shapes, params = problem_from_op_json(options.op, dims, parse_pairs(options.params, parse_value))
    properties = torch.cuda.get_device_properties(0)
    l2_bytes = int(getattr(properties, "L2_cache_size", 0)) or 64 << 20
    problem = torch_problem.Problem(torch, options.op, options.dtype, shapes, params, options.mode, l2_bytes, options.math_mode)
    sizes = "/".join("%s:%d" % pair for pair in dims.items())
    baseline = options.mode if options.mode == "triton" else "torch_%s" % options.mode
    stem = "%s/%s/%s/%s" % (options.op, baseline, options.dtype, sizes)
    entries = []
    for mode in options.modes.split(","):
        repetitions = [problem.timer.measure(mode, options.warmup_ms, options.sample_ms, options.flush)[0]
                 for _ in range(options.repetitions)]
        entries += benchmark_entries("%s/%s/manual_time" % (stem, mode), [statistics.fmean(one) for one in repetitions],
                                     [len(one) for one in repetitions])
    if options.do_bench:
        medians = [do_bench_us(problem) for _ in range(3)]
        entries += benchmark_entries("%s/do_bench/manual_time" % stem, medians, [1] * len(medians))
    context = {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "host_name": socket.gethostname(), "executable": os.path.abspath(__file__), "num_cpus": os.cpu_count(),
        "caches": [], "load_avg": list(os.getloadavg()), "library_build_type": "release", "json_schema_version": 1,
        "device": properties.name, "torch": torch.__version__, "cuda": torch.version.cuda, "flush": options.flush,
        "l2_bytes": l2_bytes, "buffer_sets": problem.timer.sets, "seed": torch_ops.SEED, "math_mode": options.math_mode,
        "version": problem.version, "choice": problem.choice(),
    }
    return {"context": context, "benchmarks": entries}


def write_json(path, value):
    temporary = "%s.%d.tmp" % (path, os.getpid())
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, allow_nan=False)
        file.write("\n")
    os.replace(temporary, path)


def make_parser():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--socket", metavar="PATH", help="serve on this Unix socket")
    what.add_argument("--list", action="store_true", help="list the ops and end")
    what.add_argument("--op", choices=sorted(torch_ops.OPS), help="measure this op and end")
    parser.add_argument("--warm", action="store_true", help="compile something before listening: the compiler's first use takes many seconds")
    parser.add_argument("--dtype", default="f32", choices=("f32", "f16", "bf16"))
    parser.add_argument("--dims", default="", metavar="M=..,N=..")
    parser.add_argument("--params", default="", metavar="NAME=VALUE,..", help="parameters other than op.json's defaults")
    parser.add_argument("--mode", default="eager", choices=torch_problem.MODES)
    parser.add_argument("--math-mode", default="ieee", choices=torch_problem.MATH_MODES, help="tf32: f32 products may round their operands")
    parser.add_argument("--out", metavar="FILE", help="write the JSON here instead of to stdout")
    parser.add_argument("--modes", default="cold,hot", metavar="cold,hot,..")
    parser.add_argument("--flush", default="memset", choices=("memset", "read"))
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--warmup-ms", type=float, default=25.0)
    parser.add_argument("--sample-ms", type=float, default=100.0)
    parser.add_argument("--do-bench", action="store_true", help="add Triton's do_bench of the same call")
    return parser


def list_ops():
    for name, op in torch_ops.OPS.items():
        print("%-16s %s" % (name, "writes into a given output" if op.into else "allocates its output"))


def serve(torch, path):
    server = Server(torch, path)
    signal.signal(signal.SIGTERM, lambda *_: setattr(server, "running", False))
    server.serve()


def use_caches(options):
    """A private folder, gone at the end. The server's is beside its socket, where the command that started it removes it, too."""
    beside = os.path.join(os.path.dirname(os.path.abspath(options.socket)), "choices") if options.socket else None
    folder = beside or tempfile.mkdtemp(prefix="assay-torch-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    torch_caches.use(folder)


def main(arguments=None):
    options = make_parser().parse_args(arguments)
    if options.list:
        list_ops()
        return 0
    try:
        use_caches(options)
        torch = load_torch()
        if options.socket:
            if options.warm:
                torch_problem.warm_compiler(torch)
            serve(torch, options.socket)
            return 0
        result = measure_alone(torch, options)
        if options.out:
            write_json(options.out, result)
        else:
            json.dump(result, sys.stdout, indent=1, allow_nan=False)
            print()
        return 0
    except Skip as reason:
        print("torch_baseline.py: skipped: %s" % reason, file=sys.stderr)
        return EXIT_SKIPPED
    except ValueError as failure:
        print("torch_baseline.py: %s" % failure, file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_ENVIRONMENT
    except Exception as failure:
        print("torch_baseline.py: %s" % reason_of(failure), file=sys.stderr)
        return EXIT_ENVIRONMENT


if __name__ == "__main__":
    sys.exit(main())
