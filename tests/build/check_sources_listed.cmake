# Files on disk that no target compiles and no test claims, as found at the last configure run.
file(READ "${BUILD}/unlisted-sources.txt" text)
string(STRIP "${text}" text)
if(text)
  message(FATAL_ERROR "these files are in no target and in no assay_claim_sources():\n${text}")
endif()
