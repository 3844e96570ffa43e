/* What every test of statistics/ includes: cmocka and the headers that it needs first. */
#ifndef ASSAY_TESTS_STATISTICS_TEST_H
#define ASSAY_TESTS_STATISTICS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define assert_near(a, b, tolerance) assert_true((a) - (b) <= (tolerance) && (b) - (a) <= (tolerance))

#endif
