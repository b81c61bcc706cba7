// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
private import Glibc
import HapticRendering
import Perception
import Profiles
import SignalAnalysis
import Units

extension TakeBuilder {
  /// A probe lowered further than this, as a share of its amplitude, shows the actuator no more.
  static let lowestProbeShare = 0.1

  /// How much of its amplitude the slope limit leaves of the probe, 0...1.
  ///
  /// The probe is the rig's own signal and any amplitude measures alike, so it is lowered as a whole:
  /// its shape, which the fit relies on, stays.
  var probeShare: Double {
    guard let slope = limits.slope else { return 1 }
    let samples = probeSamples
    let steepest = zip(samples, samples.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
    let asked =
      steepest * configuration.rate.hertz * configuration.fullScale * rig.drive.fullScaleVolts
    // Not the limit itself: what single precision makes of a sample may be a little more.
    return min(1, (1 - 1e-5) * slope / asked)
  }

  /// Refuses, before anything is played, what cannot be played within the actuator's limits.
  ///
  /// An event whose own drive exceeds a limit, and a probe that a slope limit would leave too weak. What
  /// exceeds a limit for moments only, as where events add up, is not refused but limited and counted.
  package func checkLimits(of patterns: [LoadedPattern]) throws(InputError) {
    if hasProbe, probeShare < Self.lowestProbeShare { throw probeRefusal }
    for pattern in patterns {
      let drive = nominalDrive(of: pattern)
      let breaches = drive.breaches()
      guard let worst = breaches.max(by: { $0.excess.ratio < $1.excess.ratio }) else { continue }
      let (event, others) = (worst.event, breaches.count - 1)
      let more =
        others == 0 ? "" : "; \(others) other event\(others == 1 ? "" : "s") of it ask too much"
      throw InputError(
        "\(pattern.file): event \(event.index) (\(event.kind.rawValue) at "
          + "\(EngineeringFormat.significant(event.start)) s) \(refusal(of: worst, drive))\(more)")
    }
  }

  /// The events whose own drive exceeds a limit, by their places in the timeline: what each asks for, what the
  /// actuator bears, and what would help.
  package func breaches(of pattern: LoadedPattern) -> [(event: Int, sentence: String)] {
    let drive = nominalDrive(of: pattern)
    return drive.breaches().map { ($0.event.index, refusal(of: $0, drive)) }
  }

  private func nominalDrive(of pattern: LoadedPattern) -> NominalDrive {
    NominalDrive(
      intent: Intent(timeline: timeline(of: pattern), configuration: configuration),
      configuration: configuration, limits: limits, fullScaleVolts: rig.drive.fullScaleVolts)
  }

  private func refusal(of breach: NominalDrive.Breach, _ drive: NominalDrive) -> String {
    let limit = breach.excess.limit
    var drawn = EngineeringFormat.text(breach.moment.amplitude, .volt)
    if configuration.waveform == .tone {
      drawn += " at \(EngineeringFormat.text(breach.moment.frequency, .hertz))"
    }
    var remedy = "raise 'limits.\(limit.rawValue)' if the actuator's data sheet allows it"
    // Rounded down: what is told has to keep the limit.
    if let highest = drive.highestIntensity(at: breach), highest >= 0.001 {
      let told = EngineeringFormat.significant((highest * 1000).rounded(.down) / 1000)
      remedy = "lower its intensity there to \(told) or less, or \(remedy)"
    }
    return "asks for \(quantity(breach.excess)) at "
      + "\(EngineeringFormat.significant(breach.moment.time)) s, with \(drawn), and \(actuatorName) bears "
      + "\(amount(breach.excess.allowed, of: limit)) ('limits.\(limit.rawValue)'): \(remedy)"
  }

  private var probeRefusal: InputError {
    let slope = amount(limits.slope ?? 0, of: .slope)
    return InputError(
      "rig \(rig.name): \(actuatorName) bears a slope of \(slope) ('limits.slope'), which leaves the "
        + "probe that identifies it \(EngineeringFormat.significant(100 * probeShare)) % of its "
        + "amplitude: write 'probe: false' in a plan, or raise 'limits.slope' if the actuator's data "
        + "sheet allows it")
  }

  private var actuatorName: String {
    "the actuator '\(rig.actuators[0].id)' on drive channel \(rig.channel(of: rig.actuators[0]))"
  }

  private func quantity(_ excess: DriveLimits.Excess) -> String {
    let asked = amount(excess.asked, of: excess.limit)
    return switch excess.limit {
    case .peak: "a peak of \(asked)"
    case .slope: "a slope of \(asked)"
    case .continuous:
      "an effective voltage of \(asked) over \(EngineeringFormat.text(limits.thermalTime, .second))"
    }
  }

  private func amount(_ value: Double, of limit: DriveLimits.Excess.Limit) -> String {
    switch limit {
    case .peak: EngineeringFormat.text(value, .volt)
    case .slope: EngineeringFormat.text(value, .voltPerSecond)
    case .continuous: EngineeringFormat.text(value, .voltRMS)
    }
  }
}

/// What each event of a pattern asks of an actuator by itself, told before anything is played.
///
/// An event's own tone or voltage counts, under its curves, its envelope and what ducks it. What
/// several events add up to, the crests that the soft limit bends, and where a tone sets in, last for
/// moments: those are limited and counted (`DriveLimiter`). With a profile an event's drive is the one
/// that lasts, too: how the inverse overdrives and brakes is of moments.
struct NominalDrive {
  struct Moment {
    /// Seconds of the pattern.
    let time: Double
    let intensity: Double
    let sharpness: Double
    /// In hertz, of a drive that is a tone.
    let frequency: Double
    /// In volts.
    let amplitude: Double
  }

  struct Breach {
    let event: TimelineEvent
    let moment: Moment
    let excess: DriveLimits.Excess
  }

  /// The time over which the slope of a drive that is no tone is taken, in seconds.
  ///
  /// A motor's speed follows its voltage over tens of milliseconds: a step that a slope limit spreads
  /// over one is a step still.
  static let riseTime = 1e-3

  let intent: Intent
  let configuration: RenderConfiguration
  let limits: DriveLimits
  /// The highest drive that lasts, in volts: without a profile that of intensity 1.
  let volts: Double
  /// What a profile makes of intensity and sharpness; `nil` for shares of the safe full scale.
  private let map: DriveMap?

  init(
    intent: Intent, configuration: RenderConfiguration, limits: DriveLimits,
    fullScaleVolts: Double
  ) {
    self.intent = intent
    self.configuration = configuration
    self.limits = limits
    volts = configuration.fullScale * fullScaleVolts
    map = configuration.profile.map {
      DriveMap(profile: $0.profile, fullScaleVolts: fullScaleVolts)
    }
  }

  /// The events that exceed a limit, in order of time; cost linear in the bends of all events.
  func breaches() -> [Breach] {
    // Where the strongest event there can be keeps the limits, so does every other.
    guard limits.excess(of: strongest) != nil else { return [] }
    return intent.timeline.events.compactMap(breach)
  }

  /// The highest intensity that keeps the limits where an event breaches them; `nil` where none does.
  func highestIntensity(at breach: Breach) -> Double? {
    /// What grows with every demand: a motor's slope is that of its voltage alone.
    func strength(_ intensity: Double) -> Double {
      let (amplitude, frequency) = drawn(intensity, breach.moment.sharpness)
      return breach.excess.limit == .slope && configuration.waveform == .tone
        ? amplitude * frequency : amplitude
    }
    let wanted = strength(breach.moment.intensity) / breach.excess.ratio
    let low = Statistics.bisect(0...breach.moment.intensity, rounds: 50) {
      !(strength($0) <= wanted)
    }.low
    // A law that sets in with a jump may have nothing so low.
    return low > 1e-9 ? low : nil
  }

  /// The amplitude in volts, and the frequency in hertz, of an intensity and a sharpness.
  func drawn(
    _ intensity: Double, _ sharpness: Double
  ) -> (volts: Double, frequency: Double) {
    if let map {
      let command = map.command(intensity: intensity, sharpness: sharpness)
      return (command.volts, command.frequency)
    }
    return (
      volts * configuration.intensityLaw.share(of: intensity),
      configuration.sharpnessLaw.frequency(of: sharpness)
    )
  }

  /// What no event of any pattern passes.
  private var strongest: DriveDemand {
    switch configuration.waveform {
    case .level: return .level(volts, riseTime: Self.riseTime)
    case .tone:
      // A profile moves a frequency by less than a just noticeable difference, some 20 %.
      let highest = configuration.sharpnessLaw.frequency(of: 1) * (map == nil ? 1 : 1.25)
      var demand = DriveDemand.tone(amplitude: volts, frequency: highest)
      demand.slope = hypot(demand.slope, volts * .pi / (2 * configuration.transientShape.length))
      return demand
    }
  }

  private func breach(_ event: TimelineEvent) -> Breach? {
    var worst: Breach?
    var warmth = 0.0
    var last: Moment?
    for segment in intent.segments(of: event) {
      var moments = moments(of: segment)
      if let steepest = steepest(in: segment, among: moments) { moments.append(steepest) }
      for moment in moments.sorted(by: { $0.time < $1.time }) {
        if let last { warm(&warmth, from: last, to: moment) }
        last = moment
        var demand = demand(of: event, at: moment)
        demand.effectiveVolts = warmth.squareRoot()
        guard let excess = limits.excess(of: demand),
          excess.ratio > worst?.excess.ratio ?? 0
        else { continue }
        worst = Breach(event: event, moment: moment, excess: excess)
      }
    }
    return worst
  }

  private func moment(of segment: IntentSegment, at time: Double) -> Moment {
    let age = time - segment.start
    let intensity = min(1, max(0, segment.intensity.value(at: age)))
    let sharpness = min(1, max(0, segment.sharpness.value(at: age)))
    let (volts, frequency) = drawn(intensity, sharpness)
    return Moment(
      time: time, intensity: intensity, sharpness: sharpness, frequency: frequency,
      amplitude: volts * segment.weight.value(at: time))
  }

  /// Both ends of a segment, and enough between them to follow what moves.
  private func moments(of segment: IntentSegment) -> [Moment] {
    let moves =
      segment.intensity.linear != 0 || segment.intensity.square != 0
      || segment.sharpness.linear != 0 || segment.weight.swing != 0
    let count = moves ? 16 : 1
    let step = (segment.end - segment.start) / Double(count)
    return (0...count).map {
      moment(of: segment, at: $0 == count ? segment.end : segment.start + Double($0) * step)
    }
  }

  /// Where amplitude times frequency is highest between the moments of a segment.
  private func steepest(in segment: IntentSegment, among moments: [Moment]) -> Moment? {
    guard moments.count > 2 else { return nil }
    func pace(_ moment: Moment) -> Double { moment.amplitude * moment.frequency }
    var best = 0
    for index in moments.indices where pace(moments[index]) > pace(moments[best]) { best = index }
    var low = moments[max(0, best - 1)].time
    var high = moments[min(moments.count - 1, best + 1)].time
    for _ in 0..<40 {
      let (first, second) = (low + (high - low) / 3, high - (high - low) / 3)
      let rises =
        pace(moment(of: segment, at: first)) < pace(moment(of: segment, at: second))
      if rises { low = first } else { high = second }
    }
    return moment(of: segment, at: (low + high) / 2)
  }

  private func demand(of event: TimelineEvent, at moment: Moment) -> DriveDemand {
    switch configuration.waveform {
    case .level:
      let now = moment.amplitude
      // From the higher side of a change, whether it comes up or goes down from here.
      let slope = max(
        0, now - level(of: event, at: moment.time - Self.riseTime),
        now - level(of: event, at: moment.time + Self.riseTime))
      return DriveDemand(peakVolts: now, slope: slope / Self.riseTime, effectiveVolts: 0)
    case .tone:
      var demand = DriveDemand.tone(amplitude: moment.amplitude, frequency: moment.frequency)
      if event.kind == .transient, moment.time == event.start {
        demand.slope = moment.amplitude * burstSlope(at: moment.frequency)
      }
      return demand
    }
  }

  /// The voltage of an event that is no tone, zero before and after it.
  private func level(of event: TimelineEvent, at time: Double) -> Double {
    let intensity = intent.intensity(of: event, at: time)
    guard intensity > 0 else { return 0 }
    return drawn(intensity, intent.sharpness(of: event, at: time)).volts
      * intent.weight(of: event, at: time)
  }

  /// The steepest slope of a tap of amplitude 1, per second.
  ///
  /// Of sin(w t) (1 + cos(u t)) / 2, u = pi / T. For w >= u, half a cycle in the burst or more, the
  /// slope's envelope is highest at the start, where the slope is w; a shorter burst is looked through.
  private func burstSlope(at frequency: Double) -> Double {
    let turn = 2 * .pi * frequency
    let length = configuration.transientShape.length
    let fall = .pi / length
    guard turn < fall else { return turn }
    return (0...256).reduce(turn) { steepest, step in
      let time = length * Double(step) / 256
      let slope =
        turn * cos(turn * time) * (1 + cos(fall * time)) / 2
        - sin(turn * time) * fall * sin(fall * time) / 2
      return max(steepest, abs(slope))
    }
  }

  /// Carries the average of the squared voltage, E' = (V^2 - E) / T, from one moment to the next.
  private func warm(_ average: inout Double, from first: Moment, to second: Moment) {
    let share = configuration.waveform == .tone ? 0.5 : 1
    let square =
      share * (first.amplitude * first.amplitude + second.amplitude * second.amplitude) / 2
    average += (square - average) * (1 - exp((first.time - second.time) / limits.thermalTime))
  }
}
