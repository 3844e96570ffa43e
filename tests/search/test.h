/* What the tests of search space, strategies and archive share. */
#ifndef ASSAY_TESTS_SEARCH_TEST_H
#define ASSAY_TESTS_SEARCH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tune/space/space.h"

#define ASSERT_OK(call)                                    \
    do {                                                   \
        assay_error call_error = {0};                      \
        assay_error *const failure = &call_error;          \
        const assay_status call_status = (call);           \
        if (call_status != ASSAY_OK)                       \
            fail_msg("%s: %s", #call, call_error.message); \
    } while (0)

/* A space of integer parameters "A=1,2,4;B=8,16" with constraints "A * B <= 32;..." (or ""). */
space *make_space(const char *parameters, const char *constraints);

/* A fresh folder under the system's temporary one, and its removal. */
void make_folder(char out[256]);
void remove_folder(const char *path);

#endif
