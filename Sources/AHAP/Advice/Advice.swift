// SPDX-License-Identifier: Apache-2.0

import JSONText

/// Advice on the design of a pattern: what plays as written but may not be felt as meant.
public enum Advice {
  /// Finds what could be designed better.
  ///
  /// All findings are notes with codes from `AHAP101`; the reader never gives these. Cost: n log n in
  /// entries and control points.
  public static func findings(
    for document: AHAPDocument, rules: AdviceRules = AdviceRules(), defaults: EventDefaults = .apple
  ) -> [Diagnostic] {
    let score = Score(document.pattern, defaults: defaults)
    let found =
      score.weakFirstTaps(rules) + score.soundsApart(rules) + score.vibrationsWithoutHeadroom(rules)
      + score.longEffect(rules)
    return found.sorted { $0.position < $1.position }
  }
}

/// The thresholds of the advice on the design of a pattern.
///
/// Apple's talk on the design of haptics gives the advice and no numbers: the numbers are choices,
/// made so that what the rules say of Apple's own samples makes sense.
public struct AdviceRules: Sendable, Hashable {
  /// The longest time in seconds between two taps of a quick row; about ten taps a second and more
  /// are felt as a row, not one by one.
  public var rowGap = 0.1
  /// The numbers of taps of a row; fewer are single taps, more a texture whose first tap is no loss.
  public var rowCounts = 3...12
  /// Taps that follow each other within this time in seconds are felt as one, as strong as the
  /// strongest: a weak tap just before another is its primer.
  public var mergeGap = 0.03
  /// How strong the first tap of a row must be at least, as a share of the second.
  public var firstTapShare = 0.8
  /// A vibration that is on within this time in seconds before a tap is a primer for it.
  public var primerLead = 0.1
  /// The offset in seconds up to which haptics and sound start together, the amber band of a run's
  /// verdict; half of it where the sound comes first.
  public var syncBand = 0.01
  /// The offset in seconds up to which haptics and sound were meant to start together.
  public var meantTogether = 0.05
  /// The intensity, with its control, from which a vibration leaves no headroom for taps.
  public var fullStrength = 0.95
  /// The longest effect in seconds.
  public var longestEffect = 30.0

  /// Creates the rules with their usual thresholds.
  public init() {}
}

/// A pattern as it is felt: events by time with their strength.
struct Score {
  struct Tap {
    var event: HapticEvent
    /// Intensity with its control at the tap's start.
    var strength: Double
  }

  struct Vibration {
    var event: HapticEvent
    var intensity: Double
    var isSustained: Bool
  }

  private(set) var taps: [Tap] = []
  private(set) var vibrations: [Vibration] = []
  private(set) var sounds: [HapticEvent] = []
  let intensityControl: ControlLevel
  let duration: Double

  init(_ pattern: HapticPattern, defaults: EventDefaults) {
    intensityControl = ControlLevel(.hapticIntensity, in: pattern)
    duration = pattern.duration
    for event in pattern.eventsByTime {
      let values = event.resolved(defaults: defaults)
      switch event.kind {
      case .hapticTransient:
        let strength = values.intensity * intensityControl.value(at: event.time)
        if strength > 0 { taps.append(Tap(event: event, strength: strength)) }
      case .hapticContinuous:
        vibrations.append(
          Vibration(event: event, intensity: values.intensity, isSustained: values.isSustained))
      case .audioContinuous, .audioCustom:
        if values.audioVolume > 0 { sounds.append(event) }
      }
    }
  }

  private func finding(
    _ code: DiagnosticCode, at event: HapticEvent, _ message: String
  ) -> Diagnostic {
    Diagnostic(
      code: code, severity: code.defaultSeverity,
      position: event.source.position ?? JSONPosition(offset: 0, line: 1, column: 1),
      message: message)
  }

  /// Finds sounds that start near one haptic start, but not with it.
  ///
  /// Where haptics start several times around a sound, none of them is taken for its partner.
  func soundsApart(_ rules: AdviceRules) -> [Diagnostic] {
    let starts = (taps.map(\.event.time) + vibrations.map(\.event.time)).sorted()
    return sounds.compactMap { sound in
      let low = starts.firstIndexAfter { $0 < sound.time - rules.meantTogether }
      let high = starts.firstIndexAfter { $0 <= sound.time + rules.meantTogether }
      guard low < high, starts[high - 1] - starts[low] <= rules.syncBand,
        let near = starts[low..<high].min(by: { abs($0 - sound.time) < abs($1 - sound.time) })
      else { return nil }
      let lead = near - sound.time
      guard abs(lead) > (lead > 0 ? rules.syncBand / 2 : rules.syncBand) + 1e-9 else { return nil }
      return finding(
        .soundApart, at: sound,
        "the sound starts \(abs(lead * 1000).briefShare) ms \(lead > 0 ? "before" : "after") the "
          + "haptics at \(near.briefSeconds) s; what is meant together must start together")
    }
  }

  /// Finds vibrations that are at full strength where a tap starts, which then is not felt.
  func vibrationsWithoutHeadroom(_ rules: AdviceRules) -> [Diagnostic] {
    // No product reaches full strength where the control alone does not.
    let open = taps.filter { intensityControl.value(at: $0.event.time) >= rules.fullStrength }
    return vibrations.compactMap { vibration in
      guard vibration.isSustained, vibration.intensity >= rules.fullStrength else { return nil }
      let start = open.firstIndexAfter { $0.event.time < vibration.event.time }
      let under = open[start...].prefix(1000).first {
        $0.event.time >= vibration.event.end
          || vibration.intensity * intensityControl.value(at: $0.event.time) >= rules.fullStrength
      }
      guard let under, under.event.time < vibration.event.end else { return nil }
      return finding(
        .noHeadroom, at: vibration.event,
        "the vibration is at full strength under the tap at \(under.event.time.briefSeconds) s and "
          + "masks it; lower its intensity, to 80 % say, to leave headroom")
    }
  }

  func longEffect(_ rules: AdviceRules) -> [Diagnostic] {
    let events = taps.map(\.event) + vibrations.map(\.event) + sounds
    guard duration > rules.longestEffect, let last = events.max(by: { $0.end < $1.end }) else {
      return []
    }
    return [
      finding(
        .effectLong, at: last,
        "the effect lasts \(duration.briefSeconds) s; beyond \(rules.longestEffect.plain) s haptics "
          + "tire: end it earlier or split it")
    ]
  }

  private struct Beat {
    var first: HapticEvent
    var last: Double
    var strength: Double
  }

  /// Finds quick rows whose first tap is weaker than the next, with nothing before it to wake the
  /// skin.
  func weakFirstTaps(_ rules: AdviceRules) -> [Diagnostic] {
    var rows: [[Beat]] = []
    for beat in beats(rules) {
      if let previous = rows.last?.last, beat.first.time - previous.last <= rules.rowGap {
        rows[rows.count - 1].append(beat)
      } else {
        rows.append([beat])
      }
    }
    return rows.compactMap { judged($0, rules) }
  }

  private func beats(_ rules: AdviceRules) -> [Beat] {
    var beats: [Beat] = []
    for tap in taps {
      if let last = beats.last, tap.event.time - last.last < rules.mergeGap {
        beats[beats.count - 1].last = tap.event.time
        beats[beats.count - 1].strength = max(last.strength, tap.strength)
      } else {
        beats.append(Beat(first: tap.event, last: tap.event.time, strength: tap.strength))
      }
    }
    return beats
  }

  private func judged(_ row: [Beat], _ rules: AdviceRules) -> Diagnostic? {
    guard rules.rowCounts.contains(row.count), row.count > 1,
      row[0].strength < row[1].strength * rules.firstTapShare, !isPrimed(row[0].first.time, rules)
    else { return nil }
    return finding(
      .weakFirstTap, at: row[0].first,
      "the first of \(row.count) quick taps is weaker (\(row[0].strength.briefShare)) than the "
        + "second (\(row[1].strength.briefShare)) and may not be felt; make it stronger or put a "
        + "primer before it")
  }

  private func isPrimed(_ time: Double, _ rules: AdviceRules) -> Bool {
    let candidates = vibrations.firstIndexAfter { $0.event.time < time }
    return vibrations[..<candidates].suffix(1000).contains {
      $0.event.end >= time - rules.primerLead
    }
  }
}

/// The value of a dynamic parameter over a pattern: neutral at first, then by the newest source.
struct ControlLevel {
  private let neutral: Double
  /// The points of each step and curve in seconds of the pattern, by the time of the first.
  private let sources: [[ParameterCurve.Point]]

  init(_ id: DynamicParameterID, in pattern: HapticPattern) {
    neutral = id.neutral
    sources = PatternEntry.entries(of: pattern).compactMap { entry in
      switch entry {
      case .parameter(let step) where step.id == id: [.init(time: step.time, value: step.value)]
      case .curve(let curve) where curve.id == id && !curve.points.isEmpty:
        curve.points.map { .init(time: curve.time + $0.time, value: $0.value) }
      default: nil
      }
    }.sorted { $0[0].time < $1[0].time }
  }

  /// The value at a time in seconds of the pattern.
  func value(at time: Double) -> Double {
    let count = sources.firstIndexAfter { $0[0].time <= time }
    guard count > 0 else { return neutral }
    let points = sources[count - 1]
    let next = points.firstIndexAfter { $0.time <= time }
    guard next < points.count, next > 0 else { return points[max(next - 1, 0)].value }
    let (a, b) = (points[next - 1], points[next])
    return a.value + (b.value - a.value) * (time - a.time) / (b.time - a.time)
  }
}

extension Double {
  /// A time for a message, to a tenth of a millisecond.
  fileprivate var briefSeconds: String { (((self * 1e4).rounded()) / 1e4).plain }

  fileprivate var briefShare: String { ((self * 100).rounded() / 100).plain }
}
