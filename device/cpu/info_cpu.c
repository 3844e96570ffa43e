/* What the host's processor is, from /proc and /sys; anything unreadable stays unknown (0, "", or negative for health). */
#include "device/cpu/backend_cpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The first line of a file, without its newline; 0 if there is none. */
static int read_line(const char *path, char *line, size_t line_bytes)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    const int found = fgets(line, (int)line_bytes, file) != NULL;
    fclose(file);
    if (found)
        line[strcspn(line, "\n")] = '\0';
    return found;
}

/* The text behind the colon of the first line that starts with `key`. */
static int read_value(const char *path, const char *key, char *value, size_t value_bytes)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    char line[512];
    int found = 0;
    while (!found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !colon)
            continue;
        const char *start = colon + 1 + strspn(colon + 1, " \t");
        snprintf(value, value_bytes, "%.*s", (int)strcspn(start, "\n"), start);
        found = 1;
    }
    fclose(file);
    return found;
}

static int64_t parse_size(const char *text) /* "32768K", "32M" */
{
    char *end;
    const int64_t value = strtoll(text, &end, 10);
    return *end == 'K' ? value << 10 : *end == 'M' ? value << 20 : *end == 'G' ? value << 30 : value;
}

/* At most 32 MiB a processor: none has more, but a virtual machine is told the whole cache of its host, of which it has a part. With two
 * processors and 300 MB of cache stated, flushing twice that took 140 ms a launch, and 128 MB left data as cold. */
static int64_t last_level_cache_bytes(void)
{
    const char *said = getenv("ASSAY_CPU_CACHE_BYTES"); /* tests, which need no cold cache, say a small one */
    if (said && parse_size(said) > 0)
        return parse_size(said);
    const int64_t most = (int64_t)sysconf(_SC_NPROCESSORS_ONLN) << 25;
    int64_t largest = 0;
    for (int i = 0; i < 8; i++) {
        char path[128], text[64];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        if (read_line(path, text, sizeof text) && parse_size(text) > largest)
            largest = parse_size(text);
    }
    if (largest == 0) {
        const long known = sysconf(_SC_LEVEL3_CACHE_SIZE);
        largest = known > 0 ? known : 0;
    }
    return most > 0 && largest > most ? most : largest;
}

int64_t cpu_available_bytes(void)
{
    char text[64];
    if (read_value("/proc/meminfo", "MemAvailable", text, sizeof text))
        return strtoll(text, NULL, 10) << 10;
    return (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

void cpu_fill_info(assay_device_info *info)
{
    struct utsname host;
    snprintf(info->kind, sizeof info->kind, "cpu");
    snprintf(info->slug, sizeof info->slug, "cpu-simt");
    if (!read_value("/proc/cpuinfo", "model name", info->name, sizeof info->name))
        snprintf(info->name, sizeof info->name, "unknown processor");
    info->memory_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    info->l2_bytes = last_level_cache_bytes();
    info->shared_bytes_per_block = 227 * 1024;
    if (uname(&host) == 0)
        snprintf(info->driver, sizeof info->driver, "%.6s %.20s", host.sysname, host.release);
    snprintf(info->runtime, sizeof info->runtime, "assay-simt");
}

assay_status cpu_read_health(assay_device *device, assay_device_health *health)
{
    (void)device;
    char text[64];
    *health = (assay_device_health){
        .sm_mhz = -1, .memory_mhz = -1, .power_w = -1, .temperature_c = -1, .reasons = -1};
    if (read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", text, sizeof text))
        health->sm_mhz = strtod(text, NULL) / 1000.0;
    else if (read_value("/proc/cpuinfo", "cpu MHz", text, sizeof text))
        health->sm_mhz = strtod(text, NULL);
    if (read_line("/sys/class/thermal/thermal_zone0/temp", text, sizeof text))
        health->temperature_c = strtod(text, NULL) / 1000.0;
    return ASSAY_OK;
}
