// SPDX-License-Identifier: Apache-2.0
#include "AllocationCounter.h"

#include <errno.h>
#include <stddef.h>

// The model "initial-exec" needs no allocation for a thread's first use.
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))

THREAD_LOCAL int isCounting;
THREAD_LOCAL AllocationCounts counts;

void allocationCounterStart(void) {
  counts = (AllocationCounts){0, 0};
  isCounting = 1;
}

AllocationCounts allocationCounterStop(void) {
  isCounting = 0;
  return counts;
}

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) \
    || __has_feature(memory_sanitizer)

int allocationCounterIsAvailable(void) { return 0; }

#else

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

int allocationCounterIsAvailable(void) { return 1; }

static inline void countAllocation(void) {
  if (isCounting) counts.allocations++;
}

void *malloc(size_t size) {
  countAllocation();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  countAllocation();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  countAllocation();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  countAllocation();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  countAllocation();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  countAllocation();
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) {
    return EINVAL;
  }
  void *found = __libc_memalign(alignment, size);
  if (!found) return ENOMEM;
  *memory = found;
  return 0;
}

void free(void *memory) {
  if (isCounting && memory) counts.releases++;
  __libc_free(memory);
}

#endif
