"""How a torch call is timed on the GPU: the rules of bench/timing/timing.h (docs/measurement.md has the reasons), in Python.

cold   each launch alone: cache flush, event, call, event, queued behind a spinning kernel, so that the host's launch overhead never
       lies between the events, and waited for before the next is queued, on the next buffer set, as where data lies counts. The first
       use of a call is never blocked: loading a module may synchronise. Launches that last are held back for as long as kernels are,
       about (timing.c has the reason).
hot    a CUDA graph of many launches over rotating buffer sets; a sample is one replay's time over its launches. The first
       replay of a batch is a lead that is not counted. `sustained` is the same.
burst  like hot, about a millisecond of work at a time, with an idle pause before each.
"""

import ctypes
import functools
import math
import statistics
import sys
import time

COLD_TAKE = 40  # most cold launches between two looks at the time
REPLAY_BATCH = 16
MOST_SETS = 512
REPLAY_TARGET_US = 1000.0
REPLAY_MOST_US = 25000.0
BURST_TARGET_US = 1000.0
BURST_PAUSE_S = 0.030
SUSTAINED_SAMPLE_US = 16000.0
MIN_SAMPLES = 3
LONG_MS = 1000.0  # where one sample takes longer than this, one is enough
MEMORY_SHARE = 0.25  # of the free device memory, for the rotating buffer sets
PACED_FROM_US, PACE_US = 50.0, 100.0
OVERHEAD_SAMPLES = 80
LEAST_QUEUE_US = 75.0  # spinning before a launch: more than what a host usually needs to queue one
SLEEP_CYCLES_PER_US = 2000  # above any card's clock in MHz, so a sleep lasts at least as long as asked


def choose_sets(l2_bytes, set_bytes, free_bytes):
    """Number of buffer sets: together beyond twice the L2 cache, as far as memory allows."""
    each = max(1, set_bytes)
    wanted = 2 * l2_bytes // each + 2
    return int(max(1, min(wanted, MEMORY_SHARE * free_bytes // each, MOST_SETS)))


def choose_launches(launch_us, sets):
    """Launches a graph: a millisecond of work and 20 at least, 200 at most; every buffer set once; fewer of long ones."""
    us = max(launch_us, 0.5)
    launches = max(min(max(math.ceil(REPLAY_TARGET_US / us), 20), 200), sets)
    return max(min(launches, math.ceil(REPLAY_MOST_US / us)), 2)


def sample(take, warmup_ms, sample_ms, max_batch, max_samples=0, now=time.monotonic):
    """Warm up, then sample until `sample_ms` of wall time is used up. take(count) returns `count` values."""
    state = {"ms_each": None}

    def take_batch(left_ms, at_most):
        count = 1 if state["ms_each"] is None else math.ceil(left_ms / max(state["ms_each"], 1e-6))
        count = max(1, min(count, max_batch, at_most))
        start = now()
        values = take(count)
        state["ms_each"] = (now() - start) * 1e3 / count
        return values

    start, spent, doubling = now(), 0.0, 1
    while spent < warmup_ms:
        take_batch(warmup_ms - spent, doubling)
        spent, doubling = (now() - start) * 1e3, 2 * doubling
    values, start, spent = [], now(), 0.0
    while True:
        least = 1 if state["ms_each"] is not None and state["ms_each"] > LONG_MS else MIN_SAMPLES
        if len(values) >= least and spent >= sample_ms:
            return values
        if max_samples > 0 and len(values) >= max_samples:
            return values
        left_ms = sample_ms - spent
        if state["ms_each"] is not None and len(values) < least:
            left_ms = max(left_ms, (least - len(values)) * state["ms_each"])
        values += take_batch(left_ms, max_samples - len(values) if max_samples > 0 else max_batch)
        spent = (now() - start) * 1e3


@functools.lru_cache(maxsize=None)
def driver_memset():
    """cuMemsetD8Async(pointer, byte, bytes, stream)"""
    function = ctypes.CDLL("libcuda.so.1").cuMemsetD8Async
    function.argtypes = [ctypes.c_uint64, ctypes.c_ubyte, ctypes.c_size_t, ctypes.c_void_p]
    return function


def memset_async(torch, pointer, count):
    """The driver's own fill with zeros on torch's stream, as the kernels' process flushes: torch's zero_() is a kernel of another
    shape, behind which a launch that moves 4 MB was 0.06 to 0.16 us faster on an H100."""
    code = driver_memset()(pointer, 0, count, torch.cuda.current_stream().cuda_stream)
    if code != 0:
        raise RuntimeError("the driver refused to fill the cache-flush buffer: CUDA error %d" % code)


EMPTY_KERNEL = b"""
.version 6.0
.target sm_52
.address_size 64
.visible .entry assay_empty() { ret; }
\0"""


@functools.lru_cache(maxsize=None)
def empty_kernel():
    """launch(stream) of a kernel that does nothing, with as many threads as that of the kernels' process."""
    driver = ctypes.CDLL("libcuda.so.1")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    for code in (driver.cuModuleLoadData(ctypes.byref(module), EMPTY_KERNEL),
                 driver.cuModuleGetFunction(ctypes.byref(function), module, b"assay_empty")):
        if code != 0:
            raise RuntimeError("the driver cannot load an empty kernel: CUDA error %d" % code)

    def launch(stream):
        code = driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, ctypes.c_void_p(stream), None, None)
        if code != 0:
            raise RuntimeError("the driver refused to launch an empty kernel: CUDA error %d" % code)

    return launch


def launch_empty(torch):
    empty_kernel()(torch.cuda.current_stream().cuda_stream)


def location(values):
    """Midmean, as statistics/describe.c has it."""
    cut = len(values) // 4
    return statistics.fmean(sorted(values)[cut:len(values) - cut])


class Flush:
    """Buffers for flushing the L2 cache: a fill leaves dirty lines, a read leaves clean ones."""

    def __init__(self, torch, l2_bytes):
        self.torch = torch
        words = max(2 * l2_bytes, 64 << 20) // 4
        self.buffer = torch.zeros(words, dtype=torch.int32, device="cuda")
        self.sink = torch.zeros((), dtype=torch.int32, device="cuda")

    def __call__(self, mode):
        if mode == "memset":
            memset_async(self.torch, self.buffer.data_ptr(), 4 * self.buffer.numel())
        elif mode == "read":
            self.torch.amax(self.buffer, dim=0, out=self.sink)
        else:
            raise ValueError("unknown cache flush '%s'; use memset or read" % mode)


class Timer:
    """Times one prepared call: `call(index)` works on buffer set `index`, 0 <= index < sets, and returns its output.
    `last_output` is what the timed calls on set 0 wrote last."""

    def __init__(self, torch, call, sets, l2_bytes):
        self.torch = torch
        self.call = call
        self.sets = sets
        self.flush = Flush(torch, l2_bytes)
        self.queue_us = LEAST_QUEUE_US
        self.cold_events = self._event(), self._event(), self._event()
        self.next_set = 0  # of the next cold call
        self.kept = [None] * sets  # what cold calls wrote: the allocator would give the same block each time to a call that allocates
        self.graphs = {}
        self.last_output = None
        self.launch_us = self._first_use()

    def _event(self):
        return self.torch.cuda.Event(enable_timing=True)

    def _first_use(self):
        """Unblocked: loads every kernel, the flushes' too, and estimates the time of a launch."""
        for mode in ("memset", "read"):
            self.flush(mode)
        self.torch.cuda._sleep(1)
        for index in range(self.sets):
            self.kept[index] = self.call(index)
        self.torch.cuda.synchronize()
        launches, start, end = 5, self._event(), self._event()
        self.torch.cuda._sleep(int(500 * SLEEP_CYCLES_PER_US))
        start.record()
        for index in range(launches):
            self.call(index % self.sets)
        end.record()
        self.torch.cuda.synchronize()
        return start.elapsed_time(end) * 1e3 / launches

    def _call_next_set(self):
        self.kept[self.next_set] = self.call(self.next_set)

    def take_cold(self, count, mode):
        values = []
        for _ in range(count):
            values.append(self._take_alone(self._call_next_set, mode, PACE_US if self.launch_us >= PACED_FROM_US else 0.0))
            self.next_set = (self.next_set + 1) % self.sets
        return values

    def launch_overhead_us(self, flush="memset"):
        """A cold launch of nothing, in this process: what reports take as the difference between processes. None: it cannot be had."""
        try:
            launch_empty(self.torch)  # loaded before a launch may be behind a spinning kernel
            self.torch.cuda.synchronize()
            return location([self._take_alone(lambda: launch_empty(self.torch), flush, 0.0) for _ in range(OVERHEAD_SAMPLES)])
        except (OSError, AttributeError, RuntimeError) as failure:
            print("no launch overhead of torch's process: %s" % failure, file=sys.stderr)
            return None

    def _take_alone(self, call, mode, pace_us):
        """A launch whose spinning kernel ended before all was queued is done again behind a longer one."""
        gate, before, after = self.cold_events
        for _ in range(8):
            self.torch.cuda._sleep(int(max(self.queue_us, pace_us) * SLEEP_CYCLES_PER_US))
            started = time.monotonic()
            gate.record()
            self.flush(mode)
            before.record()
            call()
            after.record()
            held = not gate.query()
            queued_us = (time.monotonic() - started) * 1e6
            self.torch.cuda.synchronize()
            if held:  # by what it took, and less from launch to launch, so that one slow one (a compilation, say) does not slow all
                self.queue_us = max(LEAST_QUEUE_US, 1.5 * queued_us, 0.9 * self.queue_us)
                return before.elapsed_time(after) * 1e3
            self.queue_us = max(1.5 * self.queue_us, 1.5 * queued_us)
        raise RuntimeError("the host could not queue a launch within %.0f us" % self.queue_us)

    def _graph(self, launches):
        """A captured sequence of launches over the buffer sets. Outputs that a call allocates are kept alive for a whole
        round of the sets: the allocator would otherwise hand out the same block each time and the output would stay in L2."""
        if launches not in self.graphs:
            graph, kept = self.torch.cuda.CUDAGraph(), [None] * self.sets
            self.torch.cuda.synchronize()
            with self.torch.cuda.graph(graph):
                for launch in range(launches):
                    kept[launch % self.sets] = self.call(launch % self.sets)
            self.graphs[launches] = (graph, kept)
        return self.graphs[launches][0]

    def take_replays(self, count, launches):
        graph = self._graph(launches)
        self.last_output = self.graphs[launches][1][0]
        events = [self._event() for _ in range(count + 1)]
        graph.replay()
        for index, event in enumerate(events):
            if index > 0:
                graph.replay()
            event.record()
        self.torch.cuda.synchronize()
        return [events[i].elapsed_time(events[i + 1]) * 1e3 / launches for i in range(count)]

    def take_sustained(self, count, launches, replays):
        """Each sample is the mean of many replays behind each other, as in timing.c: no pause that the power controller notices."""
        return [statistics.fmean(self.take_replays(replays, launches)) for _ in range(count)]

    def take_burst(self, count, launches):
        values = []
        for _ in range(count):
            time.sleep(BURST_PAUSE_S)
            values += self.take_replays(1, launches)
        return values

    def measure(self, mode, warmup_ms, sample_ms, flush="memset", max_samples=0):
        """Returns (samples in microseconds a launch, launches a sample)."""
        if mode == "cold":
            place, self.next_set = self.next_set, 0
            self.take_cold(1, flush)  # what is looked at, in each repetition; the others go on round the sets
            self.next_set = place
            samples = sample(lambda n: self.take_cold(n, flush), warmup_ms, sample_ms, COLD_TAKE, max_samples)
            self.last_output = self.kept[0]
            return samples, 1
        if mode in ("hot", "sustained"):
            launches, replays = choose_launches(self.launch_us, self.sets), 1
            take, batch = (lambda n: self.take_replays(n, launches)), REPLAY_BATCH
            if mode == "sustained":
                replays = max(1, math.ceil(SUSTAINED_SAMPLE_US / (max(self.launch_us, 0.5) * launches)))
                take, batch = (lambda n: self.take_sustained(n, launches, replays)), 1
        elif mode == "burst":
            launches, replays = max(1, math.ceil(BURST_TARGET_US / max(self.launch_us, 5.0))), 1
            take, batch = (lambda n: self.take_burst(n, launches)), 1
        else:
            raise ValueError("unknown mode '%s'; there are cold, hot, sustained and burst" % mode)
        self._graph(launches)  # capturing is no part of the warm-up
        return sample(take, warmup_ms, sample_ms, batch, max_samples), launches * replays
