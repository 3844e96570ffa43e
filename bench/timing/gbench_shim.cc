// Google Benchmark behind a C interface: see gbench_shim.h. The only C++ of the harness; no exception leaves
// it.
#include "bench/timing/gbench_shim.h"
#include <benchmark/benchmark.h>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

namespace
{

// Google Benchmark refuses aggregates over repetitions of different iteration counts, so all repetitions
// report the smallest.
benchmark::IterationCount common_iterations(const gbench_case &which)
{
    long long least = which.repetitions[0].launches;
    for (int i = 1; i < which.repetition_count; i++)
        least = which.repetitions[i].launches < least ? which.repetitions[i].launches : least;
    return least > 1 ? least : 1;
}

// One call of the registered function is one repetition, replayed as one batch of all its iterations.
void replay(benchmark::State &state, const gbench_case &which, int &next)
{
    const gbench_repetition &repetition = which.repetitions[next++ % which.repetition_count];
    const double launch_s = repetition.total_us * 1e-6 / static_cast<double>(repetition.launches);
    const auto iterations = common_iterations(which);
    while (state.KeepRunningBatch(iterations))
        state.SetIterationTime(launch_s * static_cast<double>(iterations));
    for (int i = 0; i < which.counter_count; i++) {
        const gbench_counter &counter = which.counters[i];
        if (!std::isfinite(counter.value) || counter.value == 0.0)
            continue;
        const auto flags =
            counter.rate ? benchmark::Counter::kIsIterationInvariantRate : benchmark::Counter::kDefaults;
        state.counters[counter.name] = benchmark::Counter(counter.value, flags);
    }
}

double least(const std::vector<double> &values)
{
    double value = values.empty() ? 0.0 : values[0];
    for (const double v : values)
        value = v < value ? v : value;
    return value;
}

void register_case(const gbench_case &which, int &next)
{
    benchmark::RegisterBenchmark(which.name,
                                 [&which, &next](benchmark::State &state) { replay(state, which, next); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond)
        ->Iterations(common_iterations(which))
        ->Repetitions(which.repetition_count)
        ->ComputeStatistics("min", least);
}

std::string run_registered(const gbench_context_entry *context, int context_count)
{
    static bool context_added = false; // Google Benchmark keeps custom context for the life of the process
    for (int i = 0; i < context_count && !context_added; i++)
        benchmark::AddCustomContext(context[i].key, context[i].value);
    context_added = true;
    std::ostringstream out, complaints;
    out.imbue(std::locale::classic());
    benchmark::JSONReporter reporter;
    reporter.SetOutputStream(&out);
    reporter.SetErrorStream(&complaints);
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::ClearRegisteredBenchmarks();
    return out.str();
}

// Length of a bare non-finite number at `text`, 0 if there is none.
size_t nonfinite_length(const char *text)
{
    for (const char *word : {"-Infinity", "Infinity", "-NaN", "NaN", "-nan", "nan", "-inf", "inf"})
        if (std::strncmp(text, word, std::strlen(word)) == 0)
            return std::strlen(word);
    return 0;
}

} // namespace

void gbench_make_strict(char *json)
{
    bool in_string = false;
    char *to = json;
    for (const char *from = json; *from;) {
        const size_t bad = in_string ? 0 : nonfinite_length(from);
        if (bad >
            0) { // "NaN" is one byte shorter than "null": take a blank before it, which the reporter writes
            if (bad < 4 && to > json && to[-1] == ' ')
                to--;
            std::memcpy(to, "null", 4);
            to += 4;
            from += bad;
            continue;
        }
        if (in_string && *from == '\\' && from[1]) {
            *to++ = *from++;
        } else if (*from == '"') {
            in_string = !in_string;
        }
        *to++ = *from++;
    }
    *to = '\0';
}

assay_status gbench_start(int argc, char **argv, assay_error *error)
{
    std::vector<char *> arguments(argv, argv + argc);
    arguments.push_back(nullptr);
    int count = argc;
    benchmark::Initialize(&count, arguments.data());
    if (count > 1)
        return assay_error_set(error, ASSAY_ERR_INVALID, "Google Benchmark does not know the option %s",
                               arguments[1]);
    return ASSAY_OK;
}

assay_status gbench_report(const gbench_case *cases, int case_count, const gbench_context_entry *context,
                           int context_count, char **json, assay_error *error)
{
    *json = nullptr;
    try {
        std::vector<int> next(static_cast<size_t>(case_count), 0);
        for (int i = 0; i < case_count; i++)
            register_case(cases[i], next[static_cast<size_t>(i)]);
        const std::string text = run_registered(context, context_count);
        *json = static_cast<char *>(std::malloc(text.size() + 1));
        if (!*json)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for Google Benchmark's report");
        std::memcpy(*json, text.c_str(), text.size() + 1);
    } catch (const std::exception &failure) {
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "Google Benchmark failed: %s", failure.what());
    }
    gbench_make_strict(*json);
    return ASSAY_OK;
}
