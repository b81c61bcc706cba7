// SPDX-License-Identifier: Apache-2.0

import AHAP

/// Puts the values of a continuous layer and taps together, as they come, to a pattern.
///
/// A layer waits until taps that belong before its values are known. Around a tap it is silent: two vibrations
/// of one actuator that know nothing of each other's phase add or cancel by chance, and a curve would act on
/// the tap too.
struct PatternAssembly {
  private var pattern = HapticPattern()
  private var waiting: [(time: Double, value: LayerValue)] = []
  private var taps: [Tap] = []
  private var event: ContinuousEvent?
  private let tolerances: ContinuousEvent.Tolerances
  private let ducking: Double
  private let patience: Double
  private let hop: Double

  /// How long before a tap the layer is silent, in seconds: a curve's last ramp and something.
  private static let before = 2e-3

  /// Makes an assembly; `patience` is how long after the time of a value a tap of that time may still come, in
  /// seconds.
  init(_ settings: ComposeSettings, patience: Double, hop: Double) {
    tolerances = .init(
      level: settings[.levelTolerance] ?? 0, sharpness: settings[.sharpnessTolerance] ?? 0)
    ducking = settings[.ducking] ?? 0
    (self.patience, self.hop) = (patience, hop)
  }

  /// Takes a tap; taps come in the order of time.
  mutating func add(_ tap: Tap) {
    taps.append(tap)
    pattern.events.append(
      HapticEvent(
        kind: .hapticTransient, time: tap.time.tidy,
        parameters: EventParameters(
          intensity: tap.intensity.short, sharpness: tap.sharpness.short)))
  }

  /// Takes the value of the layer from a time on, for a hop; one of before the sound is passed over.
  mutating func add(_ value: LayerValue, at time: Double) {
    guard time >= 0 else { return }
    waiting.append((time, value))
    // Settled by the dozen, so that the rest is moved seldom.
    guard waiting.count >= 64 else { return }
    let settled = waiting.prefix { $0.time + hop < time - patience }.count
    for (time, value) in waiting.prefix(settled) { settle(value, at: time) }
    waiting.removeFirst(settled)
  }

  private mutating func settle(
    _ value: LayerValue, at time: Double, before end: Double = .infinity
  ) {
    taps.removeAll { $0.time + ducking < time }
    let ducked = taps.contains { $0.time - Self.before < time + hop }
    guard value.level > -.infinity, !ducked else { return close() }
    if let start = event?.start, time + 2 * hop > start + HapticEvent.longestDuration { close() }
    event = event ?? ContinuousEvent(at: time, tolerances)
    event?.add(value, at: time, until: min(time + hop, end))
  }

  private mutating func close() {
    event?.finish(into: &pattern)
    event = nil
  }

  /// Ends the sound at a time and gives the pattern, its entries in the order of time.
  mutating func finish(at end: Double) -> HapticPattern {
    for (time, value) in waiting { settle(value, at: time, before: end) }
    close()
    pattern.events.sort { $0.time < $1.time }
    pattern.curves.sort { $0.time < $1.time }
    for index in pattern.events.indices { pattern.events[index].order = index }
    for index in pattern.curves.indices {
      pattern.curves[index].order = pattern.events.count + index
    }
    return pattern
  }
}
