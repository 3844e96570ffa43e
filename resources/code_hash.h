/* A hash of machine code: of what a processor executes, and of nothing else. A comment, a name or a debugging option that changes leaves it
 * as it is. */
#ifndef ASSAY_RESOURCES_CODE_HASH_H
#define ASSAY_RESOURCES_CODE_HASH_H

/* SHA-256, in hexadecimal, of the instructions and constants of the ELF files, in their order: a shared object, and the cubins in it. 1 if
 * each could be read and has code; else 0 and "". */
int code_hash(const char *const *files, int count, char hex[65]);

#endif
