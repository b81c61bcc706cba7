// SPDX-License-Identifier: Apache-2.0
// Physics: moving masses on their springs in one coil on a free mount, a piezo, a motor with a weight.
#include <math.h>

#include "plant.h"

struct Body makeBody(const struct Parameters *p, const struct Actuator *actuator) {
  struct Body body = {.as = *actuator, .mount = p->mount, .source = p->source,
                      .resistanceDrift = p->resistanceDrift, .springDrift = p->springDrift,
                      .fieldDrift = p->fieldDrift};
  if (actuator->kind == kCoil && actuator->inductance > 0 &&
      (actuator->resistance + p->source) / kLeastSteps / actuator->inductance > 2)
    fail("an inductance of %g mH is too small for the steps; use 0", actuator->inductance * 1e3);
  for (int j = 0; j < actuator->modeCount; j++) {
    const struct Mode *mode = &actuator->mode[j];
    // Two free bodies on one spring swing as their reduced mass.
    double mass = actuator->kind == kCoil ? mode->mass * p->mount / (mode->mass + p->mount) : 1;
    double w = 2 * M_PI * mode->f0;
    body.stiffness[j] = mass * w * w;
    body.damping[j] = mass * w / mode->q;
    if (actuator->kind == kCoil)
      body.damping[j] -= mode->forceFactor * mode->forceFactor / actuator->resistance;
    if (body.damping[j] <= 0) fail("a quality of %g is more than the coil's damping allows", mode->q);
    body.perTravel[j] = 1 / mode->travel;
    body.perMass[j] = actuator->kind == kCoil ? 1 / mode->mass : 1;
    body.stopAt[j] = actuator->stopGap > 0 ? actuator->stopGap * mode->travel : INFINITY;
  }
  body.perInductance = actuator->inductance > 0 ? 1 / actuator->inductance : 0;
  body.perMount = 1 / p->mount;
  warm(&body, p->temperature - kReferenceTemperature);
  return body;
}

void warm(struct Body *b, double warmth) {
  b->warmth = warmth;
  b->resistance = b->as.resistance * (1 + b->resistanceDrift * warmth) + b->source;
  for (int j = 0; j < b->as.modeCount; j++) {
    b->spring[j] = b->stiffness[j] * (1 + b->springDrift * warmth);
    b->factor[j] = b->as.mode[j].forceFactor * (1 + b->fieldDrift * warmth);
  }
}

// The kind and the number of modes are constants where these are used, and the steps fast for it.
#define INLINE static inline __attribute__((always_inline))

// Hunt and Crossley: a stop that gives and takes energy without a jump in force.
static double stopForce(const struct Body *b, int j, double x, double v) {
  if (fabs(x) <= b->stopAt[j]) return 0;
  double side = x < 0 ? -1 : 1, depth = side * x - b->stopAt[j];
  double force = 40 * b->stiffness[j] * depth * (1 + side * v);
  return force > 0 ? side * force : 0;
}

INLINE struct Outcome coilSlope(
    const struct Body *b, const struct Motion *s, double volts, struct Motion *slope, int modes) {
  double emf = 0, square[kMostModes], factor[kMostModes], force[kMostModes], total = 0;
  struct Outcome out = {.current = s->current};
  for (int j = 0; j < modes; j++) {
    square[j] = s->x[j] * s->x[j] * b->perTravel[j] * b->perTravel[j];
    factor[j] = b->factor[j] * (1 - b->as.forceFactorLoss * square[j]);
    emf += factor[j] * s->v[j];
  }
  bool hasCoilTime = b->perInductance > 0;
  if (b->isDead) out.current = 0;
  else if (!hasCoilTime) out.current = (volts - emf) / b->resistance;
  slope->current =
      hasCoilTime && !b->isDead ? (volts - b->resistance * out.current - emf) * b->perInductance : 0;
  for (int j = 0; j < modes; j++) {
    double stiff = b->spring[j] * s->x[j] * (1 + b->as.hardening * square[j]);
    double lost = b->damping[j] * s->v[j] + stopForce(b, j, s->x[j], s->v[j]);
    force[j] = b->isStuck ? 0 : factor[j] * out.current - stiff - lost;
    out.friction += b->damping[j] * s->v[j] * s->v[j];
    total += force[j];
  }
  // The mount is pushed back by as much as the masses are pushed: momentum stays.
  out.acceleration[0] = total * b->perMount;
  for (int j = 0; j < modes; j++) {
    slope->x[j] = s->v[j];
    slope->v[j] = force[j] * b->perMass[j] + total * b->perMount;
  }
  out.copper = b->resistance * out.current * out.current;
  return out;
}

INLINE struct Outcome piezoSlope(
    const struct Body *b, const struct Motion *s, double volts, struct Motion *slope) {
  double u = s->x[0] / b->as.mode[0].travel, lag = b->as.hysteresis;
  double felt = (1 - lag) * volts + lag * (b->plays[0] + b->plays[1] + b->plays[2]) / 3;
  slope->x[0] = s->v[0];
  slope->v[0] = b->stiffness[0] * b->as.stretch * felt * (b->isStuck || b->isDead ? 0 : 1) -
                b->spring[0] * s->x[0] * (1 + b->as.hardening * u * u) - b->damping[0] * s->v[0];
  return (struct Outcome){.acceleration = {b->isStuck ? 0 : slope->v[0], 0}};
}

// Speed follows voltage with one time constant; friction takes its share, and holds what stands.
INLINE struct Outcome rotorSlope(
    const struct Body *b, const struct Motion *s, double volts, struct Motion *slope) {
  double perVolt = 2 * M_PI * b->as.speed / (b->as.ratedVolts - b->as.frictionVolts);
  double side = s->speed > 0 ? 1 : s->speed < 0 ? -1 : volts < 0 ? -1 : 1;
  bool stands = s->speed == 0 && fabs(volts) < b->as.startVolts;
  if (b->isDead) volts = 0;
  double pull = perVolt * (volts - side * b->as.frictionVolts) - s->speed;
  slope->speed = stands || b->isStuck || (b->isDead && s->speed == 0) ? 0 : pull / b->as.spinUp;
  slope->angle = s->speed;
  double lift = b->as.moment * b->perMount, c = cos(s->angle), d = sin(s->angle);
  double back = 0.6 * b->as.ratedVolts * s->speed / (2 * M_PI * b->as.speed);
  double current = b->isDead ? 0 : (volts - back) / b->resistance;
  return (struct Outcome){
      .acceleration = {lift * (s->speed * s->speed * c + slope->speed * d),
                       lift * (s->speed * s->speed * d - slope->speed * c)},
      .current = current, .copper = current * current * b->resistance};
}

INLINE struct Outcome slopeOf(
    const struct Body *b, const struct Motion *s, double volts, struct Motion *slope, int kind, int modes) {
  switch (kind) {
    case kPiezo: return piezoSlope(b, s, volts, slope);
    case kRotor: return rotorSlope(b, s, volts, slope);
    default: return coilSlope(b, s, volts, slope, modes);
  }
}

INLINE struct Motion moved(struct Motion to, const struct Motion *slope, double by, int modes) {
  for (int j = 0; j < modes; j++) {
    to.x[j] += by * slope->x[j];
    to.v[j] += by * slope->v[j];
  }
  to.current += by * slope->current;
  to.angle += by * slope->angle;
  to.speed += by * slope->speed;
  return to;
}

// Runge and Kutta's fourth order.
INLINE struct Outcome rungeKutta(
    const struct Body *b, struct Motion *motion, const double volts[3], double h, int kind, int modes) {
  struct Motion s = *motion, k1 = {0}, k2 = {0}, k3 = {0}, k4 = {0};
  struct Outcome out = slopeOf(b, &s, volts[0], &k1, kind, modes);
  struct Motion mid = moved(s, &k1, h / 2, modes);
  slopeOf(b, &mid, volts[1], &k2, kind, modes);
  mid = moved(s, &k2, h / 2, modes);
  slopeOf(b, &mid, volts[1], &k3, kind, modes);
  mid = moved(s, &k3, h, modes);
  slopeOf(b, &mid, volts[2], &k4, kind, modes);
  s = moved(s, &k1, h / 6, modes);
  s = moved(s, &k2, h / 3, modes);
  s = moved(s, &k3, h / 3, modes);
  *motion = moved(s, &k4, h / 6, modes);
  return out;
}

struct Outcome step(struct Body *b, struct Motion *s, const double volts[3], double h) {
  if (b->as.hysteresis > 0) {
    static const double widths[3] = {0.05, 0.15, 0.4};
    for (int i = 0; i < 3; i++) {
      double width = widths[i] * b->as.ratedVolts;
      b->plays[i] = fmin(fmax(b->plays[i], volts[0] - width), volts[0] + width);
    }
  }
  if (b->isStuck) s->x[0] = s->x[1] = s->v[0] = s->v[1] = s->speed = 0;
  if (b->isDead) s->current = 0;
  struct Outcome out;
  if (b->as.kind == kCoil && b->as.modeCount == 1) return rungeKutta(b, s, volts, h, kCoil, 1);
  if (b->as.kind == kCoil) return rungeKutta(b, s, volts, h, kCoil, 2);
  if (b->as.kind == kPiezo) {
    out = rungeKutta(b, s, volts, h, kPiezo, 1);
    out.current = b->as.capacitance * (volts[2] - volts[0]) / h;
    return out;
  }
  double before = s->speed;
  out = rungeKutta(b, s, volts, h, kRotor, 0);
  // A motor that comes to rest stays there until it is pulled hard enough.
  if (before * s->speed < 0 && fabs(volts[2]) < b->as.startVolts) s->speed = 0;
  if (s->angle > 2 * M_PI) s->angle -= 2 * M_PI;
  if (s->angle < -2 * M_PI) s->angle += 2 * M_PI;
  return out;
}
