// SPDX-License-Identifier: Apache-2.0
// The foreign plant: a rig for haprig's command device that shares no code with haprig.
//
//   plant [key=value ...]                       a rig: haprig's protocol on standard input and output
//   plant --truth [key=value ...]               what is true of it, in the small-signal limit, as JSON
//   plant --response F... [key=value ...]       its linear response at frequencies, transport and all
//   plant --steady F V [key=value ...]          its steady acceleration at F Hz and V volts peak
//   plant --parameters                          every key with its unit
//
// An actuator of the catalogue (plant=coinZ-170 where none is named) sits on a free mount with an
// accelerometer: masses on springs that harden, in a coil with inductance and temperature, between end
// stops; a piezo; or a motor with a weight. Drive and capture have delays, noise and clocks of their
// own, and faults come by parameters. The sign is that of contracts: volts up, acceleration up at high
// frequencies. Truth: f0 and q are those of the pole pair of the linear limit under voltage drive, coil
// inductance and source included; gain is m/s2 for a volt there; delay is the transport and the delay
// of the coil, coilDelay the latter's part; electrical is drive and capture together; all in s, Hz, V.
//
// Times of faults count rig time: takes one after the other where state= names a file, else each take.
//
// Build: clang -std=gnu11 -O2 *.c -lm
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plant.h"

static const char *after(const char *line, const char *key) {
  const char *found = strstr(line, key);
  found = found ? strchr(found + strlen(key), ':') : NULL;
  if (!found) fail("the first line of input has no %s", key);
  return found + 1;
}

// Copies the texts of an array, whose names have no escapes, into rows of a size.
static int readNames(const char *at, char *rows, size_t size) {
  int count = 0;
  const char *end = strchr(at, ']');
  for (at = strchr(at, '"'); at && end && at < end && count < 64; at = strchr(at + 1, '"')) {
    size_t length = strcspn(++at, "\"");
    if (length >= size) fail("a name of the first line of input is too long");
    memcpy(rows + size * (size_t)count++, at, length);
    at += length;
  }
  return count;
}

static struct Greeting readGreeting(void) {
  static char line[1 << 16];
  struct Greeting g = {0};
  if (!fgets(line, sizeof line, stdin)) fail("there is no first line of input");
  g.rate = atof(after(line, "\"rate\""));
  g.block = atoi(after(line, "\"block\""));
  g.driveCount = readNames(after(line, "\"drive\""), g.drive[0], sizeof g.drive[0]);
  g.captureCount = readNames(after(line, "\"capture\""), g.capture[0], sizeof g.capture[0]);
  bool isWhole = g.rate >= 8000 && g.rate <= 192000 && g.block > 0 && g.block <= 65536;
  if (!isWhole || !g.driveCount || !g.captureCount) fail("the first line of input is not understood");
  return g;
}

int main(int count, char **words) {
  const char *task = count > 1 && !strncmp(words[1], "--", 2) ? words[1] : "";
  int first = *task ? 2 : 1, numbers = first;
  while (numbers < count && !strchr(words[numbers], '=')) numbers++;
  if (!strcmp(task, "--parameters")) {
    listParameters();
    return 0;
  }
  struct Parameters parameters = readParameters(count - numbers, words + numbers);
  int given = numbers - first;
  if (!strcmp(task, "--truth") && given == 0) {
    printTruth(&parameters);
  } else if (!strcmp(task, "--response") && given > 0) {
    printResponse(&parameters, given, words + first);
  } else if (!strcmp(task, "--steady") && given == 2) {
    printSteady(&parameters, atof(words[first]), atof(words[first + 1]));
  } else if (!*task && given == 0) {
    struct Greeting greeting = readGreeting();
    return playTake(&parameters, &greeting);
  } else {
    fail("'%s' is not understood; the beginning of plant.c says what is", *task ? task : words[first]);
  }
  return 0;
}
