// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own changes, for a mutator to build on: no header of the toolchain declares it for C.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maximum);
