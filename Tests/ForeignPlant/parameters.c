// SPDX-License-Identifier: Apache-2.0
// The catalogue of actuators, and `key=value` from the command line.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plant.h"

// Volts are rated peak values. Where a plant has two modes, masses and force factors are chosen so that
// each gives its acceleration at rated voltage on 100 g: a = Bl Q V / (R M).
#define COIL(NAME, LABEL, F0, Q, R, VRMS, GRAM, MM, BL)                                             \
  {.name = NAME, .label = LABEL, .kind = kCoil, .modeCount = 1, .resistance = R,                    \
   .inductance = 0.1e-3, .ratedVolts = VRMS * M_SQRT2, .hardening = 0.05, .forceFactorLoss = 0.1,   \
   .stopGap = 1.2, .mode = {{F0, Q, GRAM * 1e-3, MM * 1e-3, BL}}}
#define ROTOR(NAME, R, HZ, GRAM_MM)                                                                 \
  {.name = NAME, .label = "erm", .kind = kRotor, .resistance = R, .ratedVolts = 3, .speed = HZ,     \
   .startVolts = 0.6, .frictionVolts = 0.3, .spinUp = 0.06, .moment = GRAM_MM * 1e-6}

static const struct Actuator catalogue[] = {
    COIL("coinZ-170", "lra", 170, 9, 13.8, 2.5, 1.2, 0.75, 0.445),
    COIL("linX-170", "lra", 170, 9, 10, 2.5, 2.0, 0.9, 0.645),
    COIL("linX-145", "lra", 145, 10, 12, 3.0, 3.0, 0.9, 0.634),
    COIL("linX-150hiQ", "lra", 150, 12, 8.2, 2.0, 1.4, 0.8, 0.240),
    COIL("lin-230", "lra", 230, 12, 10, 2.3, 2.0, 0.4, 0.428),
    COIL("slim-240", "lra", 240, 15, 16, 1.2, 0.8, 0.25, 0.286),
    COIL("vcm-65", "vcm", 65, 2.5, 8, 2.0, 5, 2.0, 1.89),
    COIL("vcm-pad", "vcm", 65, 4, 8, 2.0, 10, 2.0, 2.36),
    {.name = "dual-160/320", .label = "lra", .kind = kCoil, .modeCount = 2, .resistance = 10,
     .inductance = 0.1e-3, .ratedVolts = 2.5 * M_SQRT2, .hardening = 0.05, .forceFactorLoss = 0.1,
     .stopGap = 1.2, .mode = {{160, 8, 2.0e-3, 0.6e-3, 0.416}, {320, 8, 0.8e-3, 0.35e-3, 0.347}}},
    {.name = "piezo-7G", .label = "piezo", .kind = kPiezo, .modeCount = 1, .ratedVolts = 120,
     .hardening = 0.05, .capacitance = 600e-9, .stretch = 0.0325e-3 / 120,
     .mode = {{1500, 20, 0.1, 0.0325e-3, 0}}},
    ROTOR("erm-200", 35, 200, 1.0),
    ROTOR("erm-150", 5.5, 150, 2.0),
};

struct Key {
  const char *name;
  size_t place;
  double factor;  // to SI
  int count;
  const char *meaning;
};
#define KEY(NAME, FIELD, FACTOR, MEANING) {NAME, offsetof(struct Parameters, FIELD), FACTOR, 1, MEANING}
#define VECTOR(NAME, FIELD, FACTOR, MEANING) {NAME, offsetof(struct Parameters, FIELD), FACTOR, 3, MEANING}

static const struct Key keys[] = {
    KEY("f0", actuator.mode[0].f0, 1, "Hz, resonance on this mount"),
    KEY("q", actuator.mode[0].q, 1, "total quality under voltage drive"),
    KEY("moving-mass", actuator.mode[0].mass, 1e-3, "g"),
    KEY("travel", actuator.mode[0].travel, 1e-3, "mm at rated voltage"),
    KEY("force-factor", actuator.mode[0].forceFactor, 1, "N/A at rest"),
    KEY("f0-2", actuator.mode[1].f0, 1, "Hz, of the second mode"),
    KEY("q-2", actuator.mode[1].q, 1, "of the second mode"),
    KEY("moving-mass-2", actuator.mode[1].mass, 1e-3, "g, of the second mode"),
    KEY("travel-2", actuator.mode[1].travel, 1e-3, "mm, of the second mode"),
    KEY("force-factor-2", actuator.mode[1].forceFactor, 1, "N/A, of the second mode"),
    KEY("resistance", actuator.resistance, 1, "ohm at 23 degC"),
    KEY("inductance", actuator.inductance, 1e-3, "mH, 0 for none"),
    KEY("hardening", actuator.hardening, 1, "share that the spring is stiffer at full travel"),
    KEY("force-factor-loss", actuator.forceFactorLoss, 1, "share that Bl is weaker at full travel"),
    KEY("stops", actuator.stopGap, 1, "end stops, in travels; 0 for none"),
    KEY("stretch", actuator.stretch, 1e-9, "nm/V of a piezo"),
    KEY("capacitance", actuator.capacitance, 1e-9, "nF of a piezo"),
    KEY("hysteresis", actuator.hysteresis, 1, "share of a piezo's stretch that lags"),
    KEY("speed", actuator.speed, 1, "Hz of a motor at rated voltage"),
    KEY("rated", actuator.ratedVolts, 1, "V peak"),
    KEY("start", actuator.startVolts, 1, "V that a motor needs to start"),
    KEY("friction", actuator.frictionVolts, 1, "V that a running motor loses"),
    KEY("spin-up", actuator.spinUp, 1e-3, "ms of a motor"),
    KEY("moment", actuator.moment, 1e-6, "g*mm of a motor's weight"),
    KEY("mount", mount, 1e-3, "g that carries actuator and sensor"),
    KEY("source", source, 1, "ohm of the amplifier"),
    KEY("polarity", polarity, 1, "-1 turns the actuator's wires"),
    KEY("linear", linear, 1, "1: no hardening, no loss, no stops, no hysteresis"),
    KEY("spread", spread, 1, "seed of a unit's spread: f0 +-5 Hz, Q +-20 %, hardening +-5 %"),
    KEY("full-scale", fullScale, 1, "V peak for a drive of 1"),
    KEY("amplifier-gain", amplifierGain, 1, "what the drive scale is wrong by"),
    KEY("amplifier-clip", amplifierClip, 1, "V"),
    KEY("crossed", crossed, 1, "the drive channel, from 1, that has the actuator instead of haptic"),
    KEY("temperature", temperature, 1, "degC"),
    KEY("resistance-drift", resistanceDrift, 1, "1/K"),
    KEY("spring-drift", springDrift, 1, "1/K, of the stiffness"),
    KEY("field-drift", fieldDrift, 1, "1/K, of the force factor"),
    KEY("heat", heat, 1, "K/W by which the coil warms itself"),
    KEY("heat-time", heatTime, 1, "s"),
    KEY("warming", warming, 1, "K/s from outside"),
    KEY("warming-at", warmingAt, 1, "s"),
    KEY("drive-delay", driveDelay, 1e-3, "ms"),
    KEY("capture-delay", captureDelay, 1e-3, "ms"),
    KEY("jitter", jitter, 1e-3, "ms from start to start, standard deviation"),
    KEY("drift", drift, 1e-6, "ppm by which the capture's clock is faster"),
    KEY("transport", transport, 1e-3, "ms from the mount to the sensor"),
    KEY("sensor-delay", sensorDelay, 1e-3, "ms, the sensor's own"),
    KEY("sound-delay", soundDelay, 1e-3, "ms beside the converters"),
    KEY("reference-gain", referenceGain, 1, "V captured for a drive of 1"),
    KEY("reference-noise", referenceNoise, 1e-3, "mV RMS"),
    KEY("voltage-noise", voltageNoise, 1e-3, "mV RMS"),
    KEY("current-noise", currentNoise, 1e-3, "mA RMS"),
    KEY("audio-gain", audioGain, 1, "V captured for a drive of 1"),
    KEY("audio-noise", audioNoise, 1e-3, "mV RMS"),
    VECTOR("direction", direction, 1, "x,y,z in which the mount is shaken"),
    VECTOR("second", second, 1, "x,y,z: the other direction of a motor's plane"),
    KEY("tilt", tilt, 1, "degrees by which the sensor is turned about x"),
    KEY("cross-axis", cross, 1, "share of the other axes in each"),
    KEY("noise", noise, 9.80665e-6, "ug/rtHz"),
    KEY("bandwidth", bandwidth, 1e3, "kHz, -3 dB of the sensor's second-order low-pass; 0 for none"),
    KEY("sensor-scale", scale, 1, "factor on what the sensor tells; 9.80665 or 0.10197 mix up g and m/s2"),
    KEY("sensor-clip", clip, 1, "m/s2"),
    VECTOR("offset", offset, 1, "m/s2"),
    KEY("gravity", gravity, 1, "g; 0 for a sensor that does not feel it"),
    KEY("turn", turn, 1, "0: a new orientation with every start; else every so many s"),
    KEY("fixture", fixture, 1, "Hz at which a part of the fixture rings on the mount; 0 for none"),
    KEY("fixture-q", fixtureQ, 1, "its quality"),
    KEY("fixture-mass", fixtureMass, 1, "its mass as a share of the mount's and its own"),
    KEY("loose", loose, 1, "m/s2 above which the sensor rattles"),
    KEY("upside-down", upsideDown, 1, "1: the sensor lies on its back"),
    KEY("wrong-axis", wrongAxis, 1, "1: x, y, z tell y, z, x"),
    KEY("hum", hum, 1, "m/s2 of mains in the sensor"),
    KEY("hum-reference", humReference, 1e-3, "mV of mains in the reference"),
    KEY("hum-frequency", humFrequency, 1, "Hz"),
    KEY("slam-level", slamLevel, 1, "m/s2 of a door"),
    KEY("stuck-at", stuckAt, 1, "s; 0 from the start"),
    KEY("dead-at", deadAt, 1, "s; the coil is open"),
    KEY("swap-at", swapAt, 1, "s at which another actuator is there"),
    KEY("swap-f0", swapF0, 1, "Hz of the other one"),
    KEY("swap-force-factor", swapForceFactor, 1, "N/A of the other one"),
    KEY("unplug-at", unplugAt, 1, "s at which the reference wire comes off"),
    KEY("exit-at", exitAt, 1, "s at which the program ends"),
    KEY("seed", seed, 1, "of all random numbers"),
};
enum { kKeys = sizeof keys / sizeof *keys, kPlants = sizeof catalogue / sizeof *catalogue };

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("foreign plant: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(2);
}

static struct Actuator named(const char *name) {
  for (int i = 0; i < kPlants; i++)
    if (!strcmp(catalogue[i].name, name)) return catalogue[i];
  fail("there is no plant '%s'; --parameters lists them", name);
}

// Reads up to `most` numbers apart by commas.
static int readNumbers(const char *word, const char *text, double *into, int most, double factor) {
  int count = 0;
  for (;;) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || count == most) fail("'%s' is not understood", word);
    into[count++] = value * factor;
    if (!*end) return count;
    if (*end != ',') fail("'%s' is not understood", word);
    text = end + 1;
  }
}

static void set(struct Parameters *p, const char *word) {
  const char *value = strchr(word, '=');
  if (!value) fail("'%s' is no key=value", word);
  size_t length = (size_t)(value++ - word);
  if (!strncmp(word, "plant=", 6) || !strncmp(word, "swap=", 5)) return;
  if (!strncmp(word, "slam=", 5)) {
    p->slamCount = readNumbers(word, value, p->slam, kMostItems, 1);
    return;
  }
  if (!strncmp(word, "state=", 6)) {
    if (strlen(value) >= sizeof p->state) fail("'%s' is too long", word);
    strcpy(p->state, value);
    return;
  }
  if (!strncmp(word, "orientation=", 12)) {
    for (p->orientationCount = 0; *value; value += value[2] == ',' ? 3 : 2) {
      bool isKnown = strchr("+-", value[0]) && value[1] && strchr("xyz", value[1]);
      if (!isKnown || (value[2] && value[2] != ',') || p->orientationCount == kMostItems)
        fail("'%s' is not a list such as +z,-z", word);
      memcpy(p->orientation[p->orientationCount++], (char[]){value[0], value[1], 0}, 3);
    }
    return;
  }
  for (int i = 0; i < kKeys; i++) {
    if (strlen(keys[i].name) != length || strncmp(keys[i].name, word, length)) continue;
    double *field = (double *)((char *)p + keys[i].place);
    if (readNumbers(word, value, field, keys[i].count, keys[i].factor) != keys[i].count)
      fail("'%s' needs %d numbers", word, keys[i].count);
    return;
  }
  fail("'%.*s' is no parameter; --parameters lists them", (int)length, word);
}

static void normalise(double *vector) {
  double length = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
  if (!(length > 0)) fail("a direction has no length");
  for (int i = 0; i < 3; i++) vector[i] /= length;
}

static void settle(struct Parameters *p, struct Actuator *actuator) {
  if (p->linear)
    actuator->hardening = actuator->forceFactorLoss = actuator->stopGap = actuator->hysteresis = 0;
  if (!p->spread || actuator->kind != kCoil) return;
  struct Random random = {.state = (uint64_t)p->spread};
  for (int j = 0; j < actuator->modeCount; j++) {
    actuator->mode[j].f0 += 10 * uniform(&random) - 5;
    actuator->mode[j].q *= 0.8 + 0.4 * uniform(&random);
  }
  if (!p->linear) actuator->hardening = 0.1 * uniform(&random) - 0.05;
}

struct Parameters readParameters(int count, char **words) {
  struct Parameters p = {
      .actuator = catalogue[0], .mount = 0.1, .polarity = 1, .amplifierGain = 1, .amplifierClip = INFINITY,
      .temperature = kReferenceTemperature, .resistanceDrift = 0.0039, .heatTime = 20,
      .driveDelay = 5.2e-3, .captureDelay = 3.1e-3, .transport = 0.4e-3, .soundDelay = 1.5e-3,
      .referenceGain = 1, .referenceNoise = 20e-6, .voltageNoise = 50e-6, .currentNoise = 10e-6,
      .audioGain = 1, .audioNoise = 0.1e-3, .direction = {0, 0, 1}, .second = {1, 0, 0}, .cross = 0.02,
      .noise = 4 * 9.80665e-6, .bandwidth = 10e3, .scale = 1, .clip = 500, .gravity = 1,
      .fixtureQ = 20, .fixtureMass = 0.1, .loose = INFINITY, .humFrequency = 50, .slamLevel = 30, .stuckAt = -1, .deadAt = -1, .swapAt = -1,
      .unplugAt = -1, .exitAt = -1, .seed = 1, .orientation = {"+z"}, .orientationCount = 1,
      .fullScale = NAN};
  const char *other = NULL;
  for (int i = 0; i < count; i++) {
    if (!strncmp(words[i], "plant=", 6)) p.actuator = named(words[i] + 6);
    if (!strncmp(words[i], "swap=", 5)) other = words[i] + 5;
  }
  for (int i = 0; i < count; i++) set(&p, words[i]);
  p.other = other ? named(other) : p.actuator;
  if (p.swapF0) p.other.mode[0].f0 = p.swapF0;
  if (p.swapForceFactor) p.other.mode[0].forceFactor = p.swapForceFactor;
  settle(&p, &p.actuator);
  settle(&p, &p.other);
  if (isnan(p.fullScale)) p.fullScale = ceil(p.actuator.ratedVolts * (p.actuator.kind == kPiezo ? 1 : 1.4));
  normalise(p.direction);
  normalise(p.second);
  return p;
}

void listParameters(void) {
  printf("plant= one of");
  for (int i = 0; i < kPlants; i++) printf(" %s", catalogue[i].name);
  printf("\nswap= the plant of swap-at=, slam= times in s apart by commas, state= a file that keeps rig "
         "time\nand coil temperature from start to start, orientation= list of +z -z +x ...: which way is up\n");
  for (int i = 0; i < kKeys; i++) printf("%-18s %s\n", keys[i].name, keys[i].meaning);
}
