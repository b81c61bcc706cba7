// SPDX-License-Identifier: Apache-2.0
// A wall clock that can be set for some processes alone: preloaded, it adds the seconds in the file $SOAK_CLOCK, an int64
// that may change at any time, to CLOCK_REALTIME. CLOCK_MONOTONIC is left alone, as setting a clock leaves it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *step;

__attribute__((constructor)) static void find(void) {
  const char *path = getenv("SOAK_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *at = mmap(NULL, sizeof *step, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (at != MAP_FAILED) step = at;
}

static int64_t ahead(void) { return step ? *step : 0; }

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += ahead();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *also) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (also) *also = exact.tv_sec;
  return exact.tv_sec;
}

// Waits until a time of the wall clock end by the kernel's, which is not set. One of less than 30 years is not the wall clock's.
int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict end) {
  struct timespec kernels = *end;
  if (end->tv_sec < 1000000000) return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, end);
  kernels.tv_sec -= ahead();
  return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, &kernels);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict end) {
  struct timespec kernels = *end;
  kernels.tv_sec -= ahead();
  return sem_clockwait(semaphore, CLOCK_REALTIME, &kernels);
}
