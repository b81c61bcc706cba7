// SPDX-License-Identifier: Apache-2.0
// What the parts of the foreign plant share; plant.c says what it is for.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum Kind { kCoil, kPiezo, kRotor };
enum { kMostModes = 2, kMostItems = 16 };
// Steps a second are at least this many, four a frame at 48 kHz.
enum { kLeastSteps = 192000 };

// A moving mass on its spring. Hz, 1, kg, m at rated voltage, N/A.
struct Mode {
  double f0, q, mass, travel, forceFactor;
};

// What the parameters say of one actuator, in SI units.
struct Actuator {
  char name[32], label[8];
  int kind, modeCount;
  struct Mode mode[kMostModes];
  double resistance, inductance, ratedVolts, hardening, forceFactorLoss, stopGap;
  double stretch, capacitance, hysteresis;                     // piezo: m/V, F, share
  double speed, startVolts, frictionVolts, spinUp, moment;     // rotor: Hz, V, V, s, kg m
};

// Everything that the command line sets, in SI units; times below 0 are never.
struct Parameters {
  struct Actuator actuator, other;
  double mount, source, polarity, linear, spread;
  double fullScale, amplifierGain, amplifierClip, crossed;
  double temperature, resistanceDrift, springDrift, fieldDrift, heat, heatTime, warming, warmingAt;
  double driveDelay, captureDelay, jitter, drift, transport, sensorDelay, soundDelay;
  double referenceGain, referenceNoise, voltageNoise, currentNoise, audioGain, audioNoise;
  double direction[3], second[3], tilt, cross, noise, bandwidth, scale, clip, offset[3], gravity;
  double fixture, fixtureQ, fixtureMass, loose, upsideDown, wrongAxis, hum, humFrequency, humReference;
  double slam[kMostItems], slamLevel;
  double stuckAt, deadAt, swapAt, swapF0, swapForceFactor, unplugAt, exitAt;
  double turn, seed;
  char orientation[kMostItems][3], state[512];
  int slamCount, orientationCount;
};

struct Parameters readParameters(int count, char **words);
void listParameters(void);
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// An actuator on its mount, with what follows from the parameters.
struct Body {
  struct Actuator as;
  double stiffness[kMostModes], damping[kMostModes];  // at the reference temperature
  double mount, source;
  double warmth, resistanceDrift, springDrift, fieldDrift;  // K above the reference, 1/K each
  double plays[3];                                          // piezo: what hysteresis remembers
  // At the temperature of the moment, and inverses, for the steps: see `warm`.
  double resistance, perInductance, perMount, spring[kMostModes], factor[kMostModes];
  double perTravel[kMostModes], perMass[kMostModes], stopAt[kMostModes];
  bool isStuck, isDead;
};

struct Motion {
  double x[kMostModes], v[kMostModes], current, angle, speed;
};

// Acceleration of the mount along the two directions, and the losses of the moment.
struct Outcome {
  double acceleration[2], current, copper, friction;
};

enum { kReferenceTemperature = 23 };

struct Body makeBody(const struct Parameters *parameters, const struct Actuator *actuator);
// Sets how many K above the reference temperature the body is.
void warm(struct Body *body, double warmth);
// Moves on by one step under the voltage at its beginning, middle and end; tells what is at its beginning.
struct Outcome step(struct Body *body, struct Motion *motion, const double volts[3], double seconds);

void printTruth(const struct Parameters *parameters);
void printResponse(const struct Parameters *parameters, int count, char **frequencies);
void printSteady(const struct Parameters *parameters, double frequency, double volts);

// A seeded source of random numbers.
struct Random {
  uint64_t state;
  double spare;
  bool hasSpare;
};
double uniform(struct Random *random);
double gaussian(struct Random *random);

// What haprig said in its first line.
struct Greeting {
  double rate;
  int block, driveCount, captureCount;
  char drive[64][32], capture[64][65];
};
int playTake(const struct Parameters *parameters, const struct Greeting *greeting);
