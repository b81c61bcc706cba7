// SPDX-License-Identifier: Apache-2.0
// What is true of a plant: closed forms of the linear limit, and steady tones by simulation.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plant.h"

// Acceleration of the mount for a volt, without transport and sensor, in the small-signal limit.
//
// With z = c s + k, d = m s^2 + z of each mode, p = sum Bl m s^2 / d and q = M + sum z m / d:
// A = i p / q and V = i (R + L s + sum Bl^2 s / d) + A p / s.
static double complex response(const struct Body *b, double complex s) {
  if (b->as.kind == kPiezo) {
    double complex d = s * s + b->damping[0] * s + b->spring[0];
    return s * s * b->stiffness[0] * b->as.stretch * (1 - b->as.hysteresis) / d;
  }
  double complex p = 0, q = b->mount, impedance = b->resistance + s * b->as.inductance;
  for (int j = 0; j < b->as.modeCount; j++) {
    double mass = b->as.mode[j].mass, factor = b->factor[j];
    double complex z = b->damping[j] * s + b->spring[j];
    double complex d = mass * s * s + z;
    p += factor * mass * s * s / d;
    q += z * mass / d;
    impedance += factor * factor * s / d;
  }
  return p / q / (impedance + p / q * p / s);
}

// The pole of the response beside a mode's own, by Newton's method on its inverse.
static double complex poleBeside(const struct Body *b, int j) {
  double w = 2 * M_PI * b->as.mode[j].f0, q = b->as.mode[j].q;
  double complex s = w * (-0.5 / q + I * sqrt(1 - 0.25 / (q * q)));
  // On the pole of a body without its coil the inverse cannot be evaluated.
  s *= 1 + 1e-6;
  for (int i = 0; i < 50; i++) {
    double complex by = 1e-6 * w;
    double complex inverse = 1 / response(b, s);
    double complex slope = (1 / response(b, s + by) - 1 / response(b, s - by)) / (2 * by);
    double complex change = inverse / slope;
    s -= change;
    if (cabs(change) < 1e-13 * w) break;
  }
  return s;
}

// g / Q of g / Q s^2 / (s^2 + s w / Q + w^2), from the residue at the pole.
static double modalGain(const struct Body *b, double complex pole) {
  double complex by = 1e-6 * cabs(pole);
  double complex slope = (1 / response(b, pole + by) - 1 / response(b, pole - by)) / (2 * by);
  double complex share = (pole - conj(pole)) / (pole * pole) / slope;
  return copysign(cabs(share), creal(share));
}

void printTruth(const struct Parameters *p) {
  struct Body b = makeBody(p, &p->actuator);
  const struct Actuator *a = &b.as;
  printf("{\"plant\":\"%s\",\"kind\":\"%s\",\"model\":\"%s\",\"ratedVolts\":%.9g,\"fullScale\":%.9g,"
         "\"mount\":%.9g,\"electrical\":%.12g,\"transport\":%.12g,\"drift\":%.9g,\"sensorDelay\":%.9g,"
         "\"bandwidth\":%.9g,\"noise\":%.9g",
         a->name, a->label,
         a->kind == kRotor ? "erm" : a->kind == kPiezo ? "piezo" : a->modeCount > 1 ? "modes" : "resonator",
         a->ratedVolts, p->fullScale, p->mount, p->driveDelay + p->captureDelay, p->transport, p->drift * 1e6,
         p->sensorDelay, p->bandwidth, p->noise);
  if (a->kind == kRotor) {
    double w = 2 * M_PI * a->speed;
    printf(",\"speed\":%.9g,\"acceleration\":%.9g,\"spinUp\":%.9g,\"startVolts\":%.9g,"
           "\"frictionVolts\":%.9g,\"resistance\":%.9g,\"delay\":%.12g}\n",
           a->speed, a->moment * w * w / p->mount, a->spinUp, a->startVolts, a->frictionVolts,
           a->resistance, p->transport);
    return;
  }
  double f0 = 0, q = 0, gain = 0, coilDelay = 0;
  printf(",\"modes\":[");
  for (int j = 0; j < a->modeCount; j++) {
    double complex pole = poleBeside(&b, j);
    double w = cabs(pole), quality = -w / (2 * creal(pole));
    double complex peak = p->amplifierGain * response(&b, I * w);
    // At its own resonance a lone mode is the response; beside another one its residue tells its part.
    double height = a->modeCount == 1 ? cabs(peak) : p->amplifierGain * modalGain(&b, pole) * quality;
    printf("%s{\"f0\":%.12g,\"q\":%.12g,\"gain\":%.12g}", j ? "," : "", w / (2 * M_PI), quality,
           p->polarity * height);
    if (j) continue;
    f0 = w / (2 * M_PI), q = quality, gain = p->polarity * height;
    // What the resonator alone would have is a quarter turn.
    coilDelay = a->modeCount == 1 ? (M_PI / 2 - carg(peak)) / w : a->inductance / b.resistance;
  }
  printf("],\"f0\":%.12g,\"q\":%.12g,\"gain\":%.12g,\"delay\":%.12g,\"coilDelay\":%.12g,\"decay\":%.9g,"
         "\"travel\":%.9g",
         f0, q, gain, p->transport + coilDelay, coilDelay, q / (M_PI * f0), a->mode[0].travel);
  if (a->kind == kCoil)
    printf(",\"resistance\":%.9g,\"inductance\":%.9g", b.resistance, a->inductance);
  printf("}\n");
}

void printResponse(const struct Parameters *p, int count, char **frequencies) {
  struct Body b = makeBody(p, &p->actuator);
  if (b.as.kind == kRotor) fail("a motor has no response to a tone");
  printf("[");
  for (int i = 0; i < count; i++) {
    double f = atof(frequencies[i]), w = 2 * M_PI * f;
    double complex h = p->polarity * p->amplifierGain * response(&b, I * w) * cexp(-I * w * p->transport);
    printf("%s{\"frequency\":%.9g,\"magnitude\":%.12g,\"phase\":%.12g}", i ? "," : "", f, cabs(h), carg(h));
  }
  printf("]\n");
}

static void printSteadyRotor(const struct Parameters *p, double volts) {
  const struct Actuator *a = &p->actuator;
  double left = fmax(0, volts * p->amplifierGain - a->frictionVolts);
  double speed = volts < a->startVolts ? 0 : a->speed * left / (a->ratedVolts - a->frictionVolts);
  double w = 2 * M_PI * speed;
  printf("{\"frequency\":%.12g,\"volts\":%.9g,\"acceleration\":%.12g}\n", speed, volts,
         a->moment * w * w / p->mount);
}

void printSteady(const struct Parameters *p, double frequency, double volts) {
  if (p->actuator.kind == kRotor) {
    printSteadyRotor(p, volts);
    return;
  }
  if (!(frequency > 0)) fail("a tone needs a frequency above 0");
  struct Body b = makeBody(p, &p->actuator);
  struct Motion motion = {0};
  enum { kPeriods = 8, kHarmonics = 5 };
  // A whole number of steps a period, none longer than a rig's.
  int steps = (int)ceil(kLeastSteps / frequency) + 1;
  double h = 1 / (frequency * steps), slowest = 0;
  for (int j = 0; j < b.as.modeCount; j++)
    slowest = fmax(slowest, b.as.mode[j].q / (M_PI * b.as.mode[j].f0));
  long settling = (long)ceil(fmax(40, 25 * slowest * frequency)) * steps, end = settling + kPeriods * steps;
  double complex harmonic[kHarmonics + 1] = {0};
  double travel = 0, in = 0, copper = 0, friction = 0;
  for (long i = 0; i < end; i++) {
    double v[3];
    for (int k = 0; k < 3; k++) {
      double tone = volts * p->amplifierGain * sin(M_PI * (double)((2 * i + k) % (2 * steps)) / steps);
      v[k] = p->polarity * fmin(fmax(tone, -p->amplifierClip), p->amplifierClip);
    }
    struct Outcome out = step(&b, &motion, v, h);
    if (i < settling) continue;
    for (int n = 1; n <= kHarmonics; n++)
      harmonic[n] += out.acceleration[0] * cexp(-2 * M_PI * I * (double)(n * (i % steps)) / steps);
    travel = fmax(travel, fabs(motion.x[0]));
    in += v[0] * out.current, copper += out.copper, friction += out.friction;
  }
  double distortion = 0, count = kPeriods * (double)steps;
  for (int n = 2; n <= kHarmonics; n++) distortion += cabs(harmonic[n]) * cabs(harmonic[n]);
  printf("{\"frequency\":%.9g,\"volts\":%.9g,\"acceleration\":%.12g,\"phase\":%.12g,\"distortion\":%.9g,"
         "\"travel\":%.9g,\"power\":{\"in\":%.12g,\"copper\":%.12g,\"friction\":%.12g},\"harmonics\":[",
         frequency, volts, 2 * cabs(harmonic[1]) / count, carg(harmonic[1] * I),
         sqrt(distortion) / cabs(harmonic[1]), travel, in / count, copper / count, friction / count);
  for (int n = 1; n <= kHarmonics; n++) printf("%s%.9g", n > 1 ? "," : "", 2 * cabs(harmonic[n]) / count);
  printf("]}\n");
}
