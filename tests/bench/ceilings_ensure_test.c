/* When a card's ceilings are measured again: when they are not there, of an older way of measuring, or of another card. */
#include "tests/unit.h"
#include "bench/ceilings/ceilings.h"
#include "bench/ceilings/ceilings_ensure.h"
#include "core/json_file.h"
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
    char folder[256], file[300], program[300];
    workspace ws;
    assay_device_info card;
} place;

/* The program is a script that writes what it was called with: whether it ran is seen from its file. */
static void place_create(place *p)
{
    memset(p, 0, sizeof *p);
    make_folder(p->folder);
    snprintf(p->file, sizeof p->file, "%s/ceilings.json", p->folder);
    snprintf(p->program, sizeof p->program, "%s/assay-ceilings", p->folder);
    snprintf(p->ws.results, sizeof p->ws.results, "%s", p->folder);
    snprintf(p->ws.libexec, sizeof p->ws.libexec, "%s", p->folder);
    snprintf(p->ws.device, sizeof p->ws.device, "cpu");
    snprintf(p->card.name, sizeof p->card.name, "Made GPU");
    snprintf(p->card.uuid, sizeof p->card.uuid, "GPU-1");
    static const char script[] =
        "#!/bin/sh\necho \"{\\\"revision\\\": 99, \\\"device\\\": \\\"$2\\\"}\" > \"$4\"\n";
    assert_int_equal(text_file_write(p->program, script, strlen(script), NULL), ASSAY_OK);
    assert_int_equal(chmod(p->program, 0755), 0);
}

static double revision_there(const place *p)
{
    json_t *file = NULL;
    assert_int_equal(json_file_read(p->file, &file, NULL), ASSAY_OK);
    const double revision = json_get_number(file, "revision", 1);
    json_decref(file);
    return revision;
}

static void write_revision(const place *p, int revision)
{
    json_t *file = json_pack("{s:{s:s, s:s}}", "device", "name", "Made GPU", "uuid", "GPU-1");
    if (revision > 0)
        json_object_set_new(file, "revision", json_integer(revision));
    assert_int_equal(json_file_write(p->file, file, 0, NULL), ASSAY_OK);
    json_decref(file);
}

static void measures_what_is_missing_or_old(void **state)
{
    place p;
    place_create(&p);
    assert_int_equal(ceilings_ensure(&p.ws, &p.card, NULL, NULL), ASSAY_OK);
    assert_near(revision_there(&p), 99.0, 0.0);
    write_revision(&p, 0); /* as before there were revisions */
    assert_int_equal(ceilings_ensure(&p.ws, &p.card, NULL, NULL), ASSAY_OK);
    assert_near(revision_there(&p), 99.0, 0.0);
    remove_folder(p.folder);
}

static void keeps_what_is_current(void **state)
{
    place p;
    place_create(&p);
    write_revision(&p, CEILINGS_REVISION);
    assert_int_equal(ceilings_ensure(&p.ws, &p.card, NULL, NULL), ASSAY_OK);
    assert_near(revision_there(&p), CEILINGS_REVISION, 0.0);
    remove_folder(p.folder);
}

static void measures_another_card(void **state)
{
    place p;
    place_create(&p);
    write_revision(&p, CEILINGS_REVISION);
    snprintf(p.card.uuid, sizeof p.card.uuid, "GPU-2");
    assert_int_equal(ceilings_ensure(&p.ws, &p.card, NULL, NULL), ASSAY_OK);
    assert_near(revision_there(&p), 99.0, 0.0);
    remove_folder(p.folder);
}

static void says_why_there_are_none(void **state)
{
    place p;
    assay_error error = {0};
    place_create(&p);
    unlink(p.program);
    assert_int_equal(ceilings_ensure(&p.ws, &p.card, NULL, &error), ASSAY_ERR_ENVIRONMENT);
    assert_non_null(strstr(error.message, "percentages of the roofline bound are missing"));
    remove_folder(p.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_what_is_missing_or_old),
        cmocka_unit_test(keeps_what_is_current),
        cmocka_unit_test(measures_another_card),
        cmocka_unit_test(says_why_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
