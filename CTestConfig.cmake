# For `ctest -D Experimental` and its like. Nothing is submitted anywhere by default: ASSAY_CDASH_URL, a CMake option or an environment
# variable at configure time, names your own server (docs/ci/README.md).
set(CTEST_PROJECT_NAME "Assay")
set(CTEST_NIGHTLY_START_TIME "01:00:00 UTC")
if(ASSAY_CDASH_URL)
  set(CTEST_SUBMIT_URL "${ASSAY_CDASH_URL}")
elseif(DEFINED ENV{ASSAY_CDASH_URL})
  set(CTEST_SUBMIT_URL "$ENV{ASSAY_CDASH_URL}")
endif()
