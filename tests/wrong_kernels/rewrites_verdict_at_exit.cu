// Wrong: writes zeros, and at the end of its process edits the verdicts that it finds.
#include "add_rightly.h"
#include <cstdio>
#include <cstdlib>
#include <string>
#include <dirent.h>
#include <unistd.h>
static std::string ws()
{
    static char b[65536];
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t n = f ? fread(b, 1, sizeof b - 1, f) : 0;
    if (f)
        fclose(f);
    for (size_t i = 0; i < n; i += strlen(b + i) + 1)
        if (!strcmp(b + i, "--workspace"))
            return b + i + 12;
    return "";
}
static void sub(std::string &t, const char *a, const char *b)
{
    for (size_t p = 0; (p = t.find(a, p)) != std::string::npos; p += strlen(b))
        t.replace(p, strlen(a), b);
}
static void last()
{
    for (const char *k : {"outside", "checked"}) {
        std::string d = ws() + "/results/cpu-simt/" + k + "/verify/";
        DIR *D = opendir(d.c_str());
        char suffix[64];
        snprintf(suffix, 64, ".%ld.part", (long)getppid());
        for (dirent *e; D && (e = readdir(D));) {
            std::string n = e->d_name;
            if (n.size() < strlen(suffix) || n.compare(n.size() - strlen(suffix), std::string::npos, suffix))
                continue;
            std::string p = d + n, t;
            char b[65536];
            FILE *f = fopen(p.c_str(), "r");
            size_t g;
            while (f && (g = fread(b, 1, sizeof b, f)))
                t.append(b, g);
            if (f)
                fclose(f);
            sub(t, "\"fail\"", "\"pass\"");
            f = fopen(p.c_str(), "w");
            if (f) {
                fwrite(t.data(), 1, t.size(), f);
                fclose(f);
            }
        }
        if (D)
            closedir(D);
    }
    _exit(0);
}
extern "C" assay_status add_run(const add_args *a, assay_stream)
{
    static int once = atexit(last);
    (void)once;
    memset(a->out, 0, a->count * sizeof(scalar_t));
    return ASSAY_OK;
}
