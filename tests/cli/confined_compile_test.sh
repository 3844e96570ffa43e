#!/bin/sh
# Compiling a kernel from outside: what its compiler may not read, what it may take, and that nothing is left behind.
# Usage: confined_compile_test.sh ASSAY BUILD SCRATCH
set -u
assay=$1 build=$2 scratch=$3
failed=0
rm -rf "$scratch"
mkdir -p "$scratch/kernel/parts" "$scratch/elsewhere"
echo 'enum { SECRET = 1 };' > "$scratch/elsewhere/secret.h"
echo '// nothing' > "$scratch/kernel/parts/part.h"

kernel() { # NAME LINE: a right kernel behind a first line
    {
        printf '%s\n' "$2"
        cat << 'END'
#include <assay/kernel.h>
#include "add.h"
static __global__ void k(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count, float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
}
extern "C" assay_status add_run(const add_args *a, assay_stream s)
{
    return a->count == 0 ? ASSAY_OK
                         : assay::launch(k, dim3((unsigned)((a->count + 255) / 256)), dim3(256), 0, s, (const scalar_t *)a->x,
                                         (const scalar_t *)a->y, (scalar_t *)a->out, a->count, (float)a->alpha);
}
END
    } > "$scratch/kernel/$1.cu"
}

expect() { # STATUS PATTERN NAME
    said=$("$assay" verify add --source "$scratch/kernel/$3.cu" --dtype f32 --size small 2>&1)
    status=$?
    if [ "$status" -ne "$1" ] || ! printf '%s\n' "$said" | grep -q -- "$2"; then
        echo "$3: status $status, expected $1 and \"$2\":"
        echo "$said"
        failed=1
    fi
}

kernel own '#include "parts/part.h"'
expect 0 '^1 passed, 0 failed$' own
if "$assay" env | grep confinement | grep -q Landlock; then
    kernel passwd '#include "/etc/passwd"'
    kernel elsewhere "#include \"$scratch/elsewhere/secret.h\""
    kernel above '#include "../elsewhere/secret.h"'
    for name in passwd elsewhere above; do expect 1 'Permission denied' $name; done
fi
# Hundreds of millions of numbers: more than a compiler may hold.
kernel large '#define A(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define B(...) A(A(A(__VA_ARGS__)))
int numbers[] = {B(B(B(B(1))))};'
expect 1 'does not compile' large
# Of these kernels only: tests that run at the same time compile others in this folder.
left=$(find "$build/outside" \( -name 'add.own.*' -o -name 'add.passwd.*' -o -name 'add.elsewhere.*' -o -name 'add.above.*' \
    -o -name 'add.large.*' -o -name 'add.same.*' \) -name '*.scratch' | head -3)
if [ -n "$left" ]; then
    echo "left behind: $left"
    failed=1
fi
# Two files of one name at the same time: each is judged by its own code. The wrong one may not borrow the right one's module.
kernel same ''
mkdir -p "$scratch/wrong"
sed 's/alpha \*/2.0f * alpha */' "$scratch/kernel/same.cu" > "$scratch/wrong/same.cu"
for round in 1 2 3; do
    "$assay" verify add --source "$scratch/wrong/same.cu" --dtype f32 --size small > "$scratch/wrong.said" 2>&1 &
    expect 0 '^1 passed, 0 failed$' same
    wait $!
    if ! grep -q '^0 passed, 1 failed$' "$scratch/wrong.said"; then
        echo "round $round: a wrong kernel beside a right one of the same name:"
        cat "$scratch/wrong.said"
        failed=1
    fi
done
rm -rf "$scratch"
exit "$failed"
