/* What compute-sanitizer says about a process, read from its output. */
#ifndef ASSAY_VERIFY_SANITIZE_REPORT_H
#define ASSAY_VERIFY_SANITIZE_REPORT_H

typedef struct sanitize_report {
    int found;       /* 1: the tool's closing line was there */
    int errors;      /* errors, or hazards of racecheck whatever their severity */
    char first[400]; /* the first report in one line: what, and where */
    char step[160];  /* the problem that was running then, as the judge names it */
} sanitize_report;

/* `output`: of compute-sanitizer around a worker, or NULL. */
void sanitize_read_report(const char *output, sanitize_report *report);

#endif
