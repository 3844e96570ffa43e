// Google Benchmark behind a C interface: see gbench.h. The only C++ of the harness; no exception leaves it.
#include "bench/timing/gbench.h"
extern "C" {
#include "core/memory.h"
}
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

// Google Benchmark allocates in places where nothing catches: a process without memory ends with a word and a status, not by abort().
[[maybe_unused]] static const std::new_handler former_handler = std::set_new_handler(memory_exhausted);

namespace
{
using Run = benchmark::BenchmarkReporter::Run;
using Runs = std::vector<Run>;
using Reporter = std::unique_ptr<benchmark::BenchmarkReporter>;

struct State {
    char *program = nullptr; // Google Benchmark keeps the pointer
    std::string out_path, out_format = "json";
    bool shown = false, listing = false;
    std::vector<Runs> benchmarks; // all that ran
    Reporter display;
    std::vector<std::string> withdrawn; // names
};

State &state()
{
    static State the_state;
    return the_state;
}

// Version 1.7 has `error_occurred`, 1.8 `skipped`.
template <typename R>
auto is_skipped(const R &run, int) -> decltype(static_cast<bool>(run.error_occurred))
{
    return run.error_occurred;
}
template <typename R>
bool is_skipped(const R &run, long)
{
    return run.skipped != 0;
}

// Wide enough for the names of later runs, too: the display has one table for all.
benchmark::BenchmarkReporter::Context wide_context()
{
    benchmark::BenchmarkReporter::Context context;
    context.name_field_width = 80;
    return context;
}

// Keeps what ran and passes it on to the terminal. A run's benchmarks come in bulk, each after its last repetition.
class Collector : public benchmark::BenchmarkReporter
{
  public:
    bool ReportContext(const Context &) override
    {
        State &s = state();
        if (!s.shown || s.display)
            return true;
        s.display.reset(benchmark::CreateDefaultDisplayReporter());
        return s.display->ReportContext(wide_context());
    }
    void ReportRuns(const Runs &reported) override
    {
        State &s = state();
        Runs kept;
        bool all = true;
        for (const auto &name : s.withdrawn)
            all = all && reported.front().run_name.function_name != name;
        for (const Run &run : reported)
            if (all || is_skipped(run, 0))
                kept.push_back(run);
        if (s.display)
            s.display->ReportRuns(kept);
        s.benchmarks.push_back(kept);
    }
};

void take(benchmark::State &run, const gbench_benchmark &which)
{
    gbench_repetition repetition = {};
    while (run.KeepRunning()) {
        which.take(which.context, &repetition);
        run.SetIterationTime(std::isfinite(repetition.mean_us) ? repetition.mean_us * 1e-6 : 0.0);
    }
    for (int i = 0; i < repetition.counter_count; i++) {
        const gbench_counter &counter = repetition.counters[i];
        run.counters[counter.name] = benchmark::Counter(
            std::isfinite(counter.value) ? counter.value : 0.0,
            counter.rate ? benchmark::Counter::kIsIterationInvariantRate : benchmark::Counter::kDefaults);
    }
    if (repetition.withdrawn)
        state().withdrawn.push_back(which.name);
    if (repetition.skipped[0])
        run.SkipWithError(repetition.skipped);
}

void register_all(const gbench_benchmark *list, int count)
{
    for (int i = 0; i < count; i++) {
        const gbench_benchmark &which = list[i];
        benchmark::RegisterBenchmark(which.name, [&which](benchmark::State &run) { take(run, which); })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond)
            ->Iterations(1)
            ->Repetitions(which.repetitions);
    }
}

void set_option(const char *text)
{
    std::string option = text;
    char *arguments[] = {state().program, &option[0], nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
}

// Names that the filter matches, one a line, in the order in which they were registered.
std::string matching_names(const gbench_benchmark *list, int count)
{
    std::ostringstream names, complaints;
    Collector collector;
    collector.SetOutputStream(&names);
    collector.SetErrorStream(&complaints); // that nothing matches
    set_option("--benchmark_list_tests=true");
    register_all(list, count);
    benchmark::RunSpecifiedBenchmarks(&collector);
    benchmark::ClearRegisteredBenchmarks();
    set_option("--benchmark_list_tests=false");
    return names.str();
}

Reporter make_file_reporter(const std::string &format)
{
    if (format == "console")
        return Reporter(new benchmark::ConsoleReporter(benchmark::ConsoleReporter::OO_None));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    if (format == "csv")
        return Reporter(new benchmark::CSVReporter());
#pragma GCC diagnostic pop
    return Reporter(new benchmark::JSONReporter());
}

// A reporter's text of the runs that `wanted` lets through.
template <typename Filter>
std::string compose(const std::string &format, Filter wanted)
{
    std::ostringstream out, complaints;
    out.imbue(std::locale::classic());
    const Reporter reporter = make_file_reporter(format);
    reporter->SetOutputStream(&out);
    reporter->SetErrorStream(&complaints);
    reporter->ReportContext(wide_context());
    for (Runs runs : state().benchmarks) {
        Runs kept;
        for (Run &run : runs)
            if (wanted(run))
                kept.push_back(run);
        if (!kept.empty())
            reporter->ReportRuns(kept);
    }
    reporter->Finalize();
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

// 1 if `text` is --NAME=VALUE or --NAME, with its value.
static bool is_option(const char *text, const char *name, std::string &value)
{
    const size_t length = std::strlen(name);
    if (std::strncmp(text, name, length) != 0 || (text[length] != '=' && text[length] != '\0'))
        return false;
    value = text[length] == '=' ? text + length + 1 : "";
    return true;
}

static bool is_format(const std::string &value)
{
    return value == "json" || value == "csv" || value == "console";
}

// Google Benchmark itself would print its help and end the process.
static assay_status refuse_format(const char *option, const std::string &value, assay_error *error)
{
    return assay_error_set(error, ASSAY_ERR_INVALID, "%s: json, csv or console is expected, not \"%.40s\"",
                           option, value.c_str());
}

static assay_status take_option(const char *text, bool &ours, assay_error *error)
{
    static const char *const planned[] = {"--benchmark_repetitions", "--benchmark_min_time",
                                          "--benchmark_min_warmup_time"};
    State &s = state();
    std::string value;
    ours = true;
    for (const char *name : planned)
        if (is_option(text, name, value))
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "%s: the plan says how often and how long (assay bench --repetitions, "
                                   "--warmup-ms, --sample-ms)",
                                   name);
    if (is_option(text, "--benchmark_out", value)) {
        s.out_path = value;
        return value.empty() ? assay_error_set(error, ASSAY_ERR_INVALID,
                                               "--benchmark_out wants a file: --benchmark_out=FILE")
                             : ASSAY_OK;
    }
    if (is_option(text, "--benchmark_out_format", value)) {
        s.out_format = value;
        return is_format(value) ? ASSAY_OK : refuse_format("--benchmark_out_format", value, error);
    }
    ours = false;
    if (is_option(text, "--benchmark_format", value) && !is_format(value))
        return refuse_format("--benchmark_format", value, error);
    s.listing =
        is_option(text, "--benchmark_list_tests", value) ? value != "false" && value != "0" : s.listing;
    return ASSAY_OK;
}

// Whatever it prints of an option that it does not take: it ends the process with status 1 for a value that it cannot read.
static assay_status initialize(std::vector<char *> &arguments, assay_error *error)
{
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    return count > 1 ? assay_error_set(error, ASSAY_ERR_INVALID,
                                       "Google Benchmark does not know the option %s", arguments[1])
                     : ASSAY_OK;
}

assay_status gbench_start(int *argc, char **argv, assay_error *error)
{
    static char interleaving[] = "--benchmark_enable_random_interleaving=true";
    std::vector<char *> arguments = {argv[0], interleaving}; // the user's own comes later
    int kept = 0;
    assay_status status = ASSAY_OK;
    state().program = argv[0];
    for (int i = 0; i < *argc; i++) {
        bool ours = false;
        if (i == 0 || std::strncmp(argv[i], "--benchmark_", 12) != 0) {
            argv[kept++] = argv[i];
            continue;
        }
        state().shown = true;
        if (status == ASSAY_OK)
            status = take_option(argv[i], ours, error);
        if (!ours)
            arguments.push_back(argv[i]);
    }
    argv[kept] = nullptr;
    *argc = kept;
    return status == ASSAY_OK ? initialize(arguments, error) : status;
}

int gbench_only_lists(void)
{
    return state().listing;
}

const char *gbench_out_path(void)
{
    return state().out_path.c_str();
}

const char *gbench_out_format(void)
{
    return state().out_format.c_str();
}

void gbench_add_context(const char *key, const char *value)
{
    benchmark::AddCustomContext(key, value);
}

int gbench_select(const gbench_benchmark *list, int count, int *selected)
{
    int matching = 0;
    const bool all = benchmark::GetBenchmarkFilter().empty();
    std::istringstream names(all ? "" : matching_names(list, count));
    std::string line;
    bool more = static_cast<bool>(std::getline(names, line));
    for (int i = 0; i < count;
         i++) { // in the same order; Google Benchmark appends "/iterations:1/..." to each name
        const std::string name = std::string(list[i].name) + "/";
        selected[i] = all || (more && line.compare(0, name.size(), name) == 0);
        matching += selected[i];
        if (!all && selected[i])
            more = static_cast<bool>(std::getline(names, line));
    }
    return matching;
}

void gbench_list(const gbench_benchmark *list, int count)
{
    std::cout << matching_names(list, count) << std::flush;
}

assay_status gbench_run(const gbench_benchmark *list, int count, assay_error *error)
{
    if (count == 0)
        return ASSAY_OK;
    try {
        std::ostringstream complaints;
        Collector collector;
        collector.SetErrorStream(&complaints);
        state().withdrawn.clear();
        register_all(list, count);
        benchmark::RunSpecifiedBenchmarks(&collector);
        benchmark::ClearRegisteredBenchmarks();
    } catch (const std::exception &failure) {
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "Google Benchmark failed: %s", failure.what());
    }
    return ASSAY_OK;
}

assay_status gbench_report(const char *prefix, char **json, assay_error *error)
{
    *json = nullptr;
    try {
        const std::string text = compose("json", [prefix](Run &run) {
            run.run_name.iterations = run.run_name.repetitions = run.run_name.time_type = "";
            return run.run_name.function_name.rfind(prefix, 0) == 0;
        });
        *json = strdup(text.c_str());
    } catch (const std::exception &failure) {
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "Google Benchmark failed: %s", failure.what());
    }
    if (!*json)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for Google Benchmark's report");
    gbench_make_strict(*json);
    return ASSAY_OK;
}

assay_status gbench_finish(assay_error *error)
{
    State &s = state();
    if (s.display)
        s.display->Finalize();
    s.display.reset();
    if (s.out_path.empty())
        return ASSAY_OK;
    const bool csv = s.out_format == "csv"; // it takes the columns from the first run, which must have them
    std::string text = compose(s.out_format, [csv](const Run &run) { return !csv || !is_skipped(run, 0); });
    if (s.out_format == "json") {
        gbench_make_strict(&text[0]);
        text.resize(std::strlen(text.c_str()));
    }
    const std::string path = s.out_path, temporary = path + ".tmp";
    std::ofstream file(temporary, std::ios::binary);
    file << text;
    file.close();
    if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
        std::remove(temporary.c_str());
        return assay_error_set(error, ASSAY_ERR_IO, "%s: cannot be written", path.c_str());
    }
    return ASSAY_OK;
}
