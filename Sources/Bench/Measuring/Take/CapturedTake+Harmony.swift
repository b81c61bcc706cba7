import Acceptance
private import Glibc
import HapticRendering
import Perception
import SignalAnalysis
import Units

/// The harmony of a take and its parts, from its other readings.
extension CapturedTake {
  func addHarmony(of measured: [Reading], to list: inout ReadingList) {
    let events = take.intent.timeline.events
    guard events.contains(where: \.kind.isHaptic) else {
      list.addMissing(.harmony, because: "the pattern has no haptic event")
      return
    }
    var parts: [(part: HarmonyPart, points: Estimate)] = []
    var missing: [String] = []
    var open = 0.0
    for part in HarmonyPart.allCases {
      // A pattern without sound asks for no sync.
      if part == .sync, !events.contains(where: { !$0.kind.isHaptic }) { continue }
      let (values, reason) = values(of: part, in: measured)
      if let points = part.points(values) {
        list.add(part.reading, points, count: values.count)
        parts.append((part, points))
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
    let mean = parts.reduce(0) { $0 + $1.part.weight * log($1.points.value) } / whole
    // Parts share causes, so their uncertainties add as they are.
    let spread =
      parts.reduce(0) { $0 + $1.part.weight * $1.points.relativeUncertainty } / whole
    let half = HarmonyPart.allCases.reduce(0) { $0 + $1.weight } / 2
    guard parts.contains(where: { $0.part == .intensity }), whole >= half else {
      addRange(mean, spread, whole, open: open, without: missing, count: parts.count, to: &list)
      return
    }
    list.add(
      .harmony, exp(mean), uncertainty: exp(mean) * spread, count: parts.count,
      note: missing.isEmpty ? nil : "without \(missing.joined(separator: ", ")), not measured")
  }

  /// The harmony where what is missing weighs too much: the missing parts have anything from 1 to 100 points.
  private func addRange(
    _ mean: Double, _ spread: Double, _ whole: Double, open: Double, without missing: [String],
    count: Int, to list: inout ReadingList
  ) {
    let share = whole / (whole + open)
    let low = exp(share * mean)
    let high = exp(share * mean + (1 - share) * log(100))
    // Anything between is as likely: the deviation of a rectangle.
    let width = (high - low) / 12.0.squareRoot()
    let middle = (low + high) / 2
    let own = middle * share * spread
    list.add(
      .harmony, middle, uncertainty: (width * width + own * own).squareRoot(), count: count,
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
    let reason = found.compactMap(\.note).first
    return (values, reason ?? "there is no \(source.rawValue)")
  }
}

/// One part of a take's harmony: an error that people notice, in points of 100.
///
/// Errors that a just noticeable difference is known of count as d = error / difference, the mean of d^2
/// over the events, and 100 * 2^(-d^2) points: 100 for none, 50 for one difference, 6 for two. The other two parts are
/// shares of a whole. No part is below one point, so that their geometric mean says something.
enum HarmonyPart: CaseIterable {
  case sync, intensity, sharpness, decay, envelope, outside

  /// The reading that it rests on, the one that holds its points, and how much it weighs.
  ///
  /// Levels are absolute under a profile alone; without one it is how well their differences are kept.
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

  /// A decay that people just notice, in seconds: the release that they tell from a sudden one (Balandra 2019).
  private static let decayDifference = 57e-3

  /// The points of some measured values, each with its standard uncertainty; `nil` of none.
  func points(_ values: [Estimate]) -> Estimate? {
    guard !values.isEmpty else { return nil }
    let points: Estimate
    switch self {
    case .sync, .intensity, .sharpness, .decay:
      // What makes one value unsure makes all of them: a sensor's sensitivity, a delay.
      let count = Double(values.count)
      var (square, spread) = (0.0, 0.0)
      for value in values {
        let d = value.value / difference(value.value)
        let u = value.uncertainty / difference(value.value)
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

  private func difference(_ value: Double) -> Double {
    switch self {
    // Positive means that the audio leads, which people notice at half of it.
    case .sync: value > 0 ? JustNoticeable.audioHaptic / 2 : JustNoticeable.audioHaptic
    case .intensity: JustNoticeable.level
    case .sharpness: log2(1 + JustNoticeable.frequency)
    default: Self.decayDifference
    }
  }
}
