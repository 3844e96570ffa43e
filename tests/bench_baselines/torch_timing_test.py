"""Tests of bench/baselines/torch/torch_timing.py with an invented torch: buffer sets, sampling rules, timing modes."""

import contextlib
import io
import os
import sys
import types
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "bench", "baselines", "torch")]

import fake_torch
import torch_timing

REAL_MEMSET = torch_timing.memset_async  # fake_torch.make() puts another in its place


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


if __name__ == "__main__":
    unittest.main()
