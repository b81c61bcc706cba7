// SPDX-License-Identifier: Apache-2.0
#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

// Counts the heap calls of one thread between a start and a stop. The C library's functions are
// replaced by ones that count and pass on, for the whole program that links this.

typedef struct {
  long allocations;
  long releases;
} AllocationCounts;

// 0 under a sanitizer, which brings its own heap: then nothing is counted.
int allocationCounterIsAvailable(void);

// Sets this thread's counts to zero and counts from here on.
void allocationCounterStart(void);

// Ends the count of this thread.
AllocationCounts allocationCounterStop(void);

#endif
