// Host code that writes to device memory ends there, and the report names the allocation.
// expect: status 1
// expect: host code writes device memory: byte 12 of cudaMalloc #2 \(128 bytes\)
#include "check.h"

int main()
{
    int *first, *second;
    OK(cudaMalloc(&first, 64));
    OK(cudaMalloc(&second, 128));
    second[3] = 1;
    printf("not reached\n");
}
