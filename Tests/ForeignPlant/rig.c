// SPDX-License-Identifier: Apache-2.0
// A take: drive frames through converters, amplifier, actuator and sensor to capture frames.
//
// Times are in frames of the drive's clock. The drive is brought to time steps of at most 1/192000 s by
// a windowed sinc at the exactly shifted time, physics runs on those steps, and capture frames are read
// between them at exactly shifted times again.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plant.h"

enum { kHalf = 32, kTaps = 2 * kHalf + 1, kRing = 1 << 19 };
enum Wire { kHaptic, kReference, kAudio, kWires };
enum Signal { kAlong, kAcross, kReferenceOut, kVolts, kCurrent, kAudioOut, kSignals };
enum Quantity { kX, kY, kZ, kAudioIn, kReferenceIn, kVoltageIn, kCurrentIn, kQuantities };
static const char *const names[kQuantities] = {"x", "y", "z", "audio", "reference", "voltage", "current"};
static const char *const units[kQuantities] = {"m/s2", "m/s2", "m/s2", "V", "V", "V", "A"};

// The exact step of y'' + y' wc sqrt(2) + wc^2 (y - u) = 0 for u linear between two steps.
struct LowPass {
  double fromState[2][2], fromInput[2][2], state[2], input;
  bool isOn;
};

struct Take {
  const struct Parameters *p;
  const struct Greeting *g;
  struct Body body;
  struct Motion motion;
  struct Random random;
  struct LowPass lowPass[2];
  int over, wire[kWires], quantity[64];
  double (*kernel)[kTaps];         // by half steps of a frame
  double *drive[kWires];           // each twice, so that taps are never cut
  double (*signal)[kSignals];      // by steps
  long received, simulated, wholeDelay;
  double driveDelay, captureDelay;  // frames
  double began, selfHeat, looseGain;
  double fixture[2];  // of the fixture's part against the mount: place and speed
  long starts, looseUntil, heard[kWires];  // heard: the last drive frame that is not 0
  bool isTold[kQuantities];
  bool isSwapped;
};

// SplitMix64.
double uniform(struct Random *r) {
  uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Marsaglia's polar method.
double gaussian(struct Random *r) {
  if (r->hasSpare) {
    r->hasSpare = false;
    return r->spare;
  }
  double x, y, square;
  do {
    x = 2 * uniform(r) - 1, y = 2 * uniform(r) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  double factor = sqrt(-2 * log(square) / square);
  r->spare = y * factor;
  r->hasSpare = true;
  return x * factor;
}

static struct LowPass makeLowPass(double corner, double h) {
  struct LowPass f = {.isOn = corner > 0};
  if (!f.isOn) return f;
  double w = 2 * M_PI * corner;
  if (w * h > 2) fail("a sensor of %g kHz is too fast for the steps; use bandwidth=0", corner / 1e3);
  // exp of the matrix over y, y'/w, u and its rise a step, by its series.
  double a[4][4] = {{0, w * h}, {-w * h, -w * h * M_SQRT2, w * h}, {0, 0, 0, 1}, {0}};
  double sum[4][4] = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}}, term[4][4];
  memcpy(term, sum, sizeof term);
  for (int n = 1; n < 40; n++) {
    double next[4][4] = {{0}};
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++)
        for (int k = 0; k < 4; k++) next[i][j] += term[i][k] * a[k][j] / n;
    memcpy(term, next, sizeof term);
    for (int i = 0; i < 16; i++) (&sum[0][0])[i] += (&term[0][0])[i];
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) f.fromState[i][j] = sum[i][j], f.fromInput[i][j] = sum[i][j + 2];
  return f;
}

static double pass(struct LowPass *f, double input) {
  if (!f->isOn) return input;
  double rise = input - f->input, next[2];
  for (int i = 0; i < 2; i++)
    next[i] = f->fromState[i][0] * f->state[0] + f->fromState[i][1] * f->state[1] +
              f->fromInput[i][0] * f->input + f->fromInput[i][1] * rise;
  memcpy(f->state, next, sizeof next);
  f->input = input;
  return f->state[0];
}

// The modified Bessel function of order 0, for Kaiser's window.
static double bessel(double x) {
  double sum = 1, term = 1;
  for (int n = 1; n < 60; n++) sum += term *= x * x / (4.0 * n * n);
  return sum;
}

static void makeKernels(struct Take *t) {
  t->wholeDelay = (long)floor(t->driveDelay);
  double part = t->driveDelay - (double)t->wholeDelay;
  t->kernel = calloc((size_t)(2 * t->over), sizeof *t->kernel);
  for (int phase = 0; phase < 2 * t->over; phase++) {
    double x = phase / (2.0 * t->over) - part, sum = 0;
    for (int m = -kHalf; m <= kHalf; m++) {
      double u = x - m, edge = u / kHalf;
      if (fabs(edge) >= 1) continue;
      double sinc = u == 0 ? 1 : sin(M_PI * u) / (M_PI * u);
      sum += t->kernel[phase][m + kHalf] = sinc * bessel(10 * sqrt(1 - edge * edge)) / bessel(10);
    }
    for (int m = 0; m < kTaps; m++) t->kernel[phase][m] /= sum;
  }
}

// The drive at a phase of a frame, in the analogue world.
static double analogue(const struct Take *t, int wire, long frame, int phase) {
  if (t->wire[wire] < 0 || frame - t->wholeDelay - kHalf > t->heard[wire]) return 0;
  const double *taps = t->kernel[phase];
  const double *from = t->drive[wire] + ((frame - t->wholeDelay - kHalf) & (kRing - 1));
  double sum = 0;
  {
#pragma clang fp reassociate(on)
    for (int m = 0; m < kTaps; m++) sum += taps[m] * from[m];
  }
  return sum;
}

static double amplified(const struct Take *t, long frame, int phase) {
  const struct Parameters *p = t->p;
  double v = analogue(t, kHaptic, frame, phase) * p->fullScale * p->amplifierGain;
  return p->polarity * fmin(fmax(v, -p->amplifierClip), p->amplifierClip);
}

static bool isPast(double at, double time) { return at >= 0 && time >= at; }

// What a part of the fixture on a spring of its own adds to the mount's acceleration. With w and q of what it
// rings at on the free mount, and r its share of the mass: y'' + w/q y' + w^2 y = -a, and back come
// r (w^2 y + w/q y'), so that a becomes a (s^2 + (1 - r)(w/q s + w^2)) / (s^2 + w/q s + w^2).
static double fixtureForce(struct Take *t, double acceleration, double seconds) {
  if (t->p->fixture <= 0) return 0;
  double w = 2 * M_PI * t->p->fixture, damping = w / t->p->fixtureQ;
  double *place = &t->fixture[0], *speed = &t->fixture[1];
  double pull = w * w * *place + damping * *speed;
  *speed += seconds * (-acceleration - pull);
  *place += seconds * *speed;
  return t->p->fixtureMass * pull;
}

// Simulates one more frame.
static void advance(struct Take *t) {
  const struct Parameters *p = t->p;
  long frame = t->simulated++;
  if (frame + 1 - t->wholeDelay + kHalf >= t->received)
    fail("delays of %g ms are too short for what is interpolated: use at least %g ms",
         (p->driveDelay + p->captureDelay) * 1e3, (kHalf + 6) / t->g->rate * 1e3);
  double time = t->began + (double)frame / t->g->rate, interval = 1 / t->g->rate;
  if (isPast(p->swapAt, time) && !t->isSwapped) {
    t->body = makeBody(p, &p->other);
    t->motion = (struct Motion){0};
    t->isSwapped = true;
  }
  t->body.isStuck = isPast(p->stuckAt, time);
  t->body.isDead = isPast(p->deadAt, time);
  warm(&t->body, p->temperature - kReferenceTemperature + t->selfHeat +
                     p->warming * fmax(0, time - p->warmingAt));
  double heat = 0, ahead = amplified(t, frame, 0);
  for (int j = 0; j < t->over; j++) {
    double volts[3] = {ahead, amplified(t, frame, 2 * j + 1), 0};
    int next = 2 * j + 2;
    if (next < 2 * t->over) volts[2] = amplified(t, frame, next);
    else volts[2] = amplified(t, frame + 1, 0);
    ahead = volts[2];
    struct Outcome out = step(&t->body, &t->motion, volts, interval / t->over);
    heat += out.copper;
    double *signal = t->signal[(frame * t->over + j) & (kRing - 1)];
    double shaken = out.acceleration[0] + fixtureForce(t, out.acceleration[0], interval / t->over);
    signal[kAlong] = pass(&t->lowPass[0], shaken);
    signal[kAcross] = p->actuator.kind == kRotor ? pass(&t->lowPass[1], out.acceleration[1]) : 0;
    signal[kReferenceOut] = analogue(t, kReference, frame, 2 * j);
    signal[kAudioOut] = analogue(t, kAudio, frame, 2 * j);
    signal[kVolts] = volts[0] - p->source * out.current;
    signal[kCurrent] = out.current;
  }
  t->selfHeat += interval / p->heatTime * (heat / t->over * p->heat - t->selfHeat);
}

// Reads signals at a time in frames, by Lagrange's formula over eight steps.
static void look(struct Take *t, double frames, int first, int last, double *values) {
  double at = frames * t->over;
  long whole = (long)floor(at);
  double x = at - (double)whole;
  while (t->simulated * t->over <= whole + 4) advance(t);
  static const double divisors[8] = {-5040, 720, -240, 144, -144, 240, -720, 5040};
  double weight[8], before = 1, behind = 1;
  for (int i = 0; i < 8; before *= x + 3 - i++) weight[i] = before / divisors[i];
  for (int i = 7; i >= 0; behind *= x + 3 - i--) weight[i] *= behind;
  for (int s = first; s <= last; s++) {
    values[s] = 0;
    for (int i = 0; i < 8; i++) values[s] += weight[i] * t->signal[(whole - 3 + i) & (kRing - 1)][s];
  }
}

// What a door does to the mount: 80 Hz that die away, and a rumble.
static double doorSlam(struct Take *t, double time) {
  double sum = 0;
  for (int i = 0; i < t->p->slamCount; i++) {
    double after = time - t->p->slam[i];
    if (after < 0 || after > 0.6) continue;
    double decay = exp(-after / 0.06);
    sum += t->p->slamLevel * decay * (sin(2 * M_PI * 80 * after) + 0.2 * gaussian(&t->random));
  }
  return sum;
}

// Turns motion along the plant's directions into what the sensor's axes tell.
static void sense(struct Take *t, long frame, double along, double across, double axes[3]) {
  const struct Parameters *p = t->p;
  double time = t->began + (double)frame / t->g->rate, slam = doorSlam(t, time);
  double motion[3], tilt = p->tilt * M_PI / 180;
  for (int i = 0; i < 3; i++)
    motion[i] = p->direction[i] * along + p->second[i] * across + (i == 2 ? 0.9 : 0.3) * slam;
  double size = sqrt(motion[0] * motion[0] + motion[1] * motion[1] + motion[2] * motion[2]);
  if (size > p->loose) {
    if (frame >= t->looseUntil) {
      t->looseGain = 0.1 + 0.8 * uniform(&t->random);
      t->looseUntil = frame + (long)(0.002 * t->g->rate);
    }
    for (int i = 0; i < 3; i++)
      motion[i] = t->looseGain * motion[i] + 0.3 * size * gaussian(&t->random);
  }
  long turn = p->turn > 0 ? (long)(time / p->turn) : t->starts - 1;
  const char *up = p->orientation[turn % p->orientationCount];
  motion[up[1] - 'x'] += (up[0] == '-' ? -1 : 1) * 9.80665 * p->gravity;
  double turned[3] = {motion[0], cos(tilt) * motion[1] - sin(tilt) * motion[2],
                      sin(tilt) * motion[1] + cos(tilt) * motion[2]};
  if (p->upsideDown) turned[1] = -turned[1], turned[2] = -turned[2];
  double noise = p->noise * sqrt(t->g->rate / 2), phase = 2 * M_PI * p->humFrequency * time;
  double hum = p->hum ? p->hum * (sin(phase) + 0.3 * sin(3 * phase)) : 0;
  for (int i = 0; i < 3; i++) {
    if (!t->isTold[i]) continue;
    int from = p->wrongAxis ? (i + 1) % 3 : i;
    double felt = turned[from] + p->cross * (turned[(from + 1) % 3] - turned[(from + 2) % 3]);
    double told = p->scale * (felt + hum + noise * gaussian(&t->random)) + p->offset[i];
    axes[i] = fmin(fmax(told, -p->clip), p->clip);
  }
}

static void capture(struct Take *t, long frame, float *into) {
  const struct Parameters *p = t->p;
  double time = t->began + (double)frame / t->g->rate, signal[kSignals], told[kQuantities];
  double now = (double)frame / (1 + p->drift) - t->captureDelay;
  look(t, now, kReferenceOut, kCurrent, signal);
  if (t->isTold[kAudioIn]) look(t, now - p->soundDelay * t->g->rate, kAudioOut, kAudioOut, signal);
  look(t, now - (p->transport + p->sensorDelay) * t->g->rate, kAlong, kAcross, signal);
  sense(t, frame, signal[kAlong], signal[kAcross], told);
  double reference = isPast(p->unplugAt, time) ? 0 : p->referenceGain * signal[kReferenceOut];
  double hum = p->humReference ? p->humReference * sin(2 * M_PI * p->humFrequency * time) : 0;
  told[kReferenceIn] = reference + hum;
  told[kAudioIn] = t->isTold[kAudioIn] ? p->audioGain * signal[kAudioOut] : 0;
  told[kVoltageIn] = signal[kVolts];
  told[kCurrentIn] = signal[kCurrent];
  double noises[] = {p->audioNoise, p->referenceNoise, p->voltageNoise, p->currentNoise};
  for (int q = kAudioIn; q < kQuantities; q++)
    if (t->isTold[q]) told[q] += noises[q - kAudioIn] * gaussian(&t->random);
  for (int c = 0; c < t->g->captureCount; c++) into[c] = (float)told[t->quantity[c]];
}

// Rig time, coil temperature and the number of starts outlive a take in the state file.
static void readState(struct Take *t) {
  FILE *file = t->p->state[0] ? fopen(t->p->state, "r") : NULL;
  if (file && fscanf(file, "%lf %lf %ld", &t->began, &t->selfHeat, &t->starts) != 3)
    fail("'%s' is not a state file", t->p->state);
  if (file) fclose(file);
  t->starts++;
}

static void writeState(const struct Take *t, long frame) {
  if (!t->p->state[0]) return;
  FILE *file = fopen(t->p->state, "w");
  if (!file) fail("'%s' cannot be written", t->p->state);
  fprintf(file, "%.9f %.9f %ld\n", t->began + (double)frame / t->g->rate, t->selfHeat, t->starts);
  fclose(file);
}

static void prepare(struct Take *t) {
  const struct Parameters *p = t->p;
  const struct Greeting *g = t->g;
  t->over = 4;
  while (t->over * g->rate < kLeastSteps) t->over *= 2;
  if ((p->captureDelay + p->driveDelay + p->soundDelay + p->transport) * t->over * g->rate > kRing / 2)
    fail("the delays are too long for this rate");
  t->body = makeBody(p, &p->actuator);
  readState(t);
  t->random.state = (uint64_t)p->seed * 0x5851f42d4c957f2du + (uint64_t)t->starts * 0x14057b7ef767814fu;
  t->driveDelay = p->driveDelay * g->rate;
  t->captureDelay = (p->captureDelay + p->jitter * gaussian(&t->random)) * g->rate;
  for (int i = 0; i < 2; i++) t->lowPass[i] = makeLowPass(p->bandwidth, 1 / (g->rate * t->over));
  makeKernels(t);
  static const char *const roles[kWires] = {"haptic", "reference", "audio"};
  for (int w = 0; w < kWires; w++) {
    t->heard[w] = t->wire[w] = -1;
    for (int c = g->driveCount - 1; c >= 0; c--)
      if (!strncmp(g->drive[c], roles[w], strlen(roles[w]))) t->wire[w] = c;
    t->drive[w] = calloc(2 * kRing, sizeof(double));
  }
  if (p->crossed) t->wire[kHaptic] = (int)p->crossed - 1;
  if (t->wire[kHaptic] >= g->driveCount) fail("there is no drive channel %g", p->crossed);
  t->signal = calloc(kRing, sizeof *t->signal);
}

static void greet(struct Take *t) {
  printf("{\"haprig\":1,\"channels\":[");
  for (int c = 0; c < t->g->captureCount; c++) {
    int q = 0;
    while (q < kQuantities && strcmp(names[q], t->g->capture[c])) q++;
    if (q == kQuantities)
      fail("no channel '%s'; there are x, y, z, audio, reference, voltage, current", t->g->capture[c]);
    t->quantity[c] = q;
    t->isTold[q] = true;
    printf("%s{\"name\":\"%s\",\"unit\":\"%s\"}", c ? "," : "", names[q], units[q]);
  }
  printf("]}\n");
  fflush(stdout);
}

int playTake(const struct Parameters *p, const struct Greeting *g) {
  struct Take take = {.p = p, .g = g};
  prepare(&take);
  greet(&take);
  size_t size = (size_t)(g->block * g->driveCount);
  float *drive = calloc(size, sizeof(float));
  float *told = calloc((size_t)(g->block * g->captureCount), sizeof(float));
  long frame = 0, saved = 0;
  while (fread(drive, sizeof(float), size, stdin) == size) {
    for (int f = 0; f < g->block; f++, take.received++)
      for (int w = 0; w < kWires; w++) {
        if (take.wire[w] < 0) continue;
        double value = (double)drive[f * g->driveCount + take.wire[w]];
        double *place = take.drive[w] + (take.received & (kRing - 1));
        place[0] = place[kRing] = value;
        if (value != 0) take.heard[w] = take.received;
      }
    for (int f = 0; f < g->block; f++, frame++) {
      if (isPast(p->exitAt, take.began + (double)frame / g->rate)) {
        fprintf(stderr, "foreign plant: ends at %g s, as it was told\n", p->exitAt);
        writeState(&take, frame);
        return 1;
      }
      capture(&take, frame, told + f * g->captureCount);
    }
    if ((double)(frame - saved) >= g->rate) writeState(&take, saved = frame);
    fwrite(told, sizeof(float), (size_t)(g->block * g->captureCount), stdout);
    fflush(stdout);
  }
  writeState(&take, frame);
  return 0;
}
