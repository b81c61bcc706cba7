// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
private import Glibc
import HapticRendering
import Perception
import SignalAnalysis
import Units

extension CapturedTake {
  private static let step = 1e-3
  /// The length of the power average, in seconds: a period of the lowest tone that intent asks for.
  private static let average = 12e-3

  func addEnvelope(to list: inout ReadingList) {
    guard hasHaptics else { return }
    if let share = take.gamutOutside { list.add(.gamutOutside, share) }
    do throws(NoProfile) {
      let profile = try powerProfile()
      addCorrelation(profile, to: &list)
      addEnergyOutside(profile, to: &list)
    } catch {
      for kind: ReadingKind in [.envelopeCorrelation, .energyOutside] {
        list.addMissing(kind, channel: sensor, because: error.reason)
      }
    }
  }

  private struct NoProfile: Error {
    let reason: String
  }

  /// Mean power of the response in steps of 1 ms from the pattern's start, delay removed, noise in
  /// it.
  private func powerProfile() throws(NoProfile) -> [Double] {
    guard let response, let noise, let delay = alignment.responseFrames(at: frame(0)) else {
      throw NoProfile(reason: "the delay from command to response is not known")
    }
    if let reason = alignment.missingFit { throw NoProfile(reason: reason) }
    let rate = take.rate.hertz
    let count = Int((take.intent.timeline.end + 0.2) / Self.step)
    let first = frame(0) + delay
    let last = Int(first + Double(count) * Self.step * rate)
    guard last < response.samples.count else {
      throw NoProfile(reason: "the recording ends before the pattern does")
    }
    guard !recording.touches(Int(first)..<last, delay: delay) else {
      throw NoProfile(reason: "a gap, an xrun or an overload lies in the pattern")
    }
    var reader = SampleReader(response.samples)
    return (0..<count).map { column in
      let from = Int(first + Double(column) * Self.step * rate)
      let until = Int(first + Double(column + 1) * Self.step * rate)
      return reader.power(of: from..<until, about: noise.offset.value)
    }
  }

  private func addCorrelation(_ profile: [Double], to list: inout ReadingList) {
    let asked =
      expressed?.acceleration(target, step: Self.step, count: profile.count)
      ?? take.intent.acceleration(target, from: 0, step: Self.step, count: profile.count)
    let width = Int(Self.average / Self.step)
    let intended = Smoothing.mean(asked.map { $0 * $0 / 2 }, width: width).map { $0.squareRoot() }
    let measured = Smoothing.mean(profile, width: width).map { $0.squareRoot() }
    // What is left of the mean latency is the rise: the lag at which both agree best.
    var best: Double?
    for lag in 0...40 where measured.count > lag + 20 {
      guard
        let value = Correlation.pearson(
          intended.span.extracting(droppingLast: lag), measured.span.extracting(droppingFirst: lag))
      else { continue }
      best = max(best ?? -1, value)
    }
    guard let best else {
      list.addMissing(
        .envelopeCorrelation, channel: sensor,
        because: "the intent's envelope does not change, so nothing can correlate with it")
      return
    }
    // Neighbouring steps share their average: one independent sample a width.
    let independent = max(4, profile.count / width)
    list.add(
      .envelopeCorrelation, best,
      uncertainty: (1 - best * best) / Double(independent - 3).squareRoot(), count: independent,
      channel: sensor)
  }

  /// A doubt in the energy of some columns, with what may be left of a hum there, or may not: by its
  /// own energy, and by its product with a response that stands in some of them, which may have any
  /// sign.
  ///
  /// A response of energy E that stands in n columns, as (sum p)^2 / sum p^2 tells of their powers p,
  /// makes 2 sqrt(E n) left of it at most.
  private func withHum(_ doubt: Double, _ powers: [Double]) -> Double {
    guard let hum, hum.isTakenOff else { return doubt }
    let own = Double(powers.count) * hum.left * hum.left
    let (energy, squares) = powers.reduce((0.0, 0.0)) { ($0.0 + $1, $0.1 + $1 * $1) }
    let standing = squares > 0 ? energy * energy / squares : 0
    let product = 2 * (max(0, energy) * standing).squareRoot() * hum.left
    return (doubt * doubt + own * own + product * product).squareRoot()
  }

  private func addEnergyOutside(_ profile: [Double], to list: inout ReadingList) {
    guard let noise else { return }
    var isInside = [Bool](repeating: false, count: profile.count)
    for event in take.intent.timeline.events where event.kind.isHaptic {
      // A drive of commands begins with an interval, and ends with one.
      let held = expressed?.held(event, target)
      let start = min(event.start, held?.start ?? event.start)
      let end = max(event.end, held?.end ?? event.end)
      let first = max(0, Int(start / Self.step))
      let last = min(profile.count, Int((end + isolation.margin) / Self.step) + 1)
      for column in first..<max(first, last) { isInside[column] = true }
    }
    let floor = noise.sigma.value * noise.sigma.value
    let inside = profile.indices.filter { isInside[$0] }.reduce(0) { $0 + profile[$1] - floor }
    let columns = profile.indices.filter { !isInside[$0] }
    // The energy of white noise scatters by sqrt(2 / n) of itself.
    func scatter(_ columns: Int) -> Double {
      let samples = Double(columns) * Self.step * take.rate.hertz
      return samples > 0 ? Double(columns) * floor * (2 / samples).squareRoot() : 0
    }
    guard columns.count >= 20, inside > 4 * scatter(profile.count - columns.count) else {
      list.addMissing(
        .energyOutside, channel: sensor,
        because: columns.count < 20
          ? Reading.inapplicableNote + "events fill the pattern, and nothing is outside"
          : "the response is below the noise")
      return
    }
    let outside = columns.reduce(0) { $0 + profile[$1] - floor }
    let doubt = withHum(scatter(columns.count), columns.map { profile[$0] - floor })
    let isBelow = outside < 2 * doubt
    let energy = isBelow ? 2 * doubt : outside
    list.add(
      .energyOutside, Decibels.of(power: energy / inside),
      uncertainty: isBelow ? nil : 10 / log(10) * doubt / energy, count: columns.count,
      channel: sensor, note: isBelow ? "at most: the energy outside is below the noise" : nil)
  }
}

extension CapturedTake {
  func addHarmony(of measured: [Reading], to list: inout ReadingList) {
    let events = take.intent.timeline.events
    guard events.contains(where: \.kind.isHaptic) else {
      list.addMissing(.harmony, because: "the pattern has no haptic event")
      return
    }
    var parts: [HarmonyPart.Measured] = []
    var missing: [String] = []
    var open = 0.0
    for part in HarmonyPart.allCases {
      // A pattern without sound asks for no sync.
      if part == .sync, !events.contains(where: { !$0.kind.isHaptic }) { continue }
      let (values, reason) = values(of: part, in: measured)
      if let points = part.points(values) {
        list.add(
          part.reading, points.value, uncertainty: points.uncertainty,
          differencesUncertainty: part.reading.isIndex
            ? JustNoticeable.uncertainty { part.points(values, by: $0)?.value ?? 0 } : nil,
          count: values.count)
        parts.append(HarmonyPart.Measured(part: part, values: values, points: points))
      } else {
        list.addMissing(part.reading, because: reason)
        missing.append(part.source(isCalibrated: isCalibrated).rawValue)
        open += part.weight
      }
    }
    if let reason = alignment.deadReason {
      list.addMissing(.harmony, because: reason)
      return
    }
    guard !parts.isEmpty else {
      list.addMissing(
        .harmony, because: "nothing of it was measured: without \(missing.joined(separator: ", "))")
      return
    }
    let whole = parts.reduce(0) { $0 + $1.part.weight }
    // Parts share causes, so their uncertainties add as they are.
    let spread =
      parts.reduce(0) { $0 + $1.part.weight * $1.points.relativeUncertainty } / whole
    let half = HarmonyPart.allCases.reduce(0) { $0 + $1.weight } / 2
    guard parts.contains(where: { $0.part == .intensity }), whole >= half else {
      addRange(of: parts, spread, whole, open: open, without: missing, to: &list)
      return
    }
    let harmony = exp(parts.logarithm())
    list.add(
      .harmony, harmony, uncertainty: harmony * spread,
      differencesUncertainty: JustNoticeable.uncertainty { exp(parts.logarithm(by: $0)) },
      count: parts.count,
      note: missing.isEmpty ? nil : "without \(missing.joined(separator: ", ")), not measured")
  }

  /// The harmony where what is missing weighs too much: the missing parts have anything from 1 to
  /// 100 points.
  private func addRange(
    of parts: [HarmonyPart.Measured], _ spread: Double, _ whole: Double, open: Double,
    without missing: [String], to list: inout ReadingList
  ) {
    let share = whole / (whole + open)
    func ends(_ mean: Double) -> (low: Double, high: Double) {
      (exp(share * mean), exp(share * mean + (1 - share) * log(100)))
    }
    let (low, high) = ends(parts.logarithm())
    // Anything between is as likely: the deviation of a rectangle.
    let width = (high - low) / 12.0.squareRoot()
    let middle = (low + high) / 2
    let own = middle * share * spread
    list.add(
      .harmony, middle, uncertainty: (width * width + own * own).squareRoot(),
      differencesUncertainty: JustNoticeable.uncertainty {
        let (low, high) = ends(parts.logarithm(by: $0))
        return (low + high) / 2
      }, count: parts.count,
      note: "between \(Int(low.rounded(.down))) and \(Int(high.rounded(.up))): "
        + "\(missing.joined(separator: ", ")) not measured")
  }

  private func values(
    of part: HarmonyPart, in measured: [Reading]
  ) -> (values: [Estimate], reason: String) {
    let source = part.source(isCalibrated: isCalibrated)
    let found = measured.filter { $0.name == ReadingName(source) }
    let values = found.compactMap { reading in
      reading.value.map { Estimate($0, uncertainty: reading.uncertainty ?? 0) }
    }
    // Where no frequency was found, there is no error of it.
    let cause = measured.first {
      part == .sharpness && $0.name == ReadingName(.responseFrequency) && $0.value == nil
    }
    let reason = found.compactMap(\.note).first ?? cause?.note
    return (values, reason ?? "there is no \(source.rawValue)")
  }
}

/// One part of a take's harmony index: an error that people notice, in points of 100.
///
/// Errors that a just noticeable difference is known of count as d = error / difference, the mean
/// of d^2 over the events, and 100 * 2^(-d^2) points: 100 for none, 50 for one difference, 6 for
/// two. The other two parts are shares of a whole. No part is below one point, so that their
/// geometric mean says something.
enum HarmonyPart: CaseIterable {
  case sync, intensity, sharpness, decay, envelope, outside

  /// The reading that it rests on, the one that holds its points, and how much it weighs.
  ///
  /// Levels are absolute under a profile alone; without one it is how well their differences are
  /// kept.
  private func row(isCalibrated: Bool = true) -> (ReadingKind, ReadingKind, Double) {
    switch self {
    case .sync: (.syncAudioHaptic, .harmonySync, 3)
    case .intensity: (isCalibrated ? .intensityError : .intensityContrast, .harmonyIntensity, 2)
    case .sharpness: (.sharpnessError, .harmonySharpness, 2)
    case .decay: (.decayError, .harmonyDecay, 1)
    case .envelope: (.envelopeCorrelation, .harmonyEnvelope, 1)
    case .outside: (.energyOutside, .harmonyOutside, 1)
    }
  }

  func source(isCalibrated: Bool) -> ReadingKind { row(isCalibrated: isCalibrated).0 }
  var reading: ReadingKind { row().1 }
  var weight: Double { row().2 }

  /// The points of some measured values, each with its standard uncertainty; `nil` of none.
  ///
  /// `taken` says what a difference is taken for.
  func points(
    _ values: [Estimate], by taken: (JustNoticeable) -> Double = \.value
  ) -> Estimate? {
    guard !values.isEmpty else { return nil }
    let points: Estimate
    switch self {
    case .sync, .intensity, .sharpness, .decay:
      // What makes one value unsure makes all of them: a sensor's sensitivity, a delay.
      let count = Double(values.count)
      var (square, spread) = (0.0, 0.0)
      for value in values {
        let difference = difference(value.value, by: taken)
        let d = value.value / difference
        let u = value.uncertainty / difference
        square += d * d / count
        spread += (4 * d * d * u * u + 2 * u * u * u * u).squareRoot() / count
      }
      let height = 100 * exp2(-square)
      points = Estimate(height, uncertainty: height * log(2) * spread)
    case .envelope:
      let r = max(0, values[0].value)
      points = Estimate(100 * r * r, uncertainty: 200 * r * values[0].uncertainty)
    case .outside:
      let ratio = pow(10, values[0].value / 10)
      let share = 1 / (1 + ratio)
      points = Estimate(
        100 * share, uncertainty: 100 * share * share * ratio * log(10) / 10 * values[0].uncertainty
      )
    }
    return Estimate(max(1, points.value), uncertainty: points.uncertainty)
  }

  private func difference(_ value: Double, by taken: (JustNoticeable) -> Double) -> Double {
    switch self {
    // Positive means that the audio leads, which people notice at half of it.
    case .sync: value > 0 ? taken(.audioHaptic) / 2 : taken(.audioHaptic)
    case .intensity: taken(.level)
    case .sharpness: log2(1 + taken(.frequency))
    default: taken(.release)
    }
  }

  /// A part that was measured: what it rests on, and its points.
  struct Measured {
    let part: HarmonyPart
    let values: [Estimate]
    let points: Estimate
  }
}

extension [HarmonyPart.Measured] {
  /// The logarithm of the parts' weighted geometric mean; `taken` says what a difference is taken for.
  func logarithm(by taken: (JustNoticeable) -> Double = \.value) -> Double {
    let whole = reduce(0) { $0 + $1.part.weight }
    return reduce(0) { sum, own in
      sum + own.part.weight * log(own.part.points(own.values, by: taken)?.value ?? 1)
    } / whole
  }
}
