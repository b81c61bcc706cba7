// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc
import HapticRendering
import Profiles
import SignalAnalysis
import Units

/// How an actuator answers a drive that makes tones of its own, by the take itself.
///
/// The drive's phase is its own, but what rings on is the actuator's: wherever the drive is silent, the response
/// decays with the actuator's frequency and damping. With those the ringing is taken out of all of the response, and
/// what remains has the strength of the commands at each instant, whatever their phases were.
struct ToneResponse {
  /// From a command to what it does, in seconds: after the reference, or where there is none after the drive's
  /// frame.
  var delay: Estimate
  /// What rings; `nil` where nothing rings for long enough to be seen.
  let resonance: Resonance?
  /// The same with uncertainties, where it was read off this take.
  let ring: (frequency: Estimate, q: Estimate)?
  let band: ClosedRange<Double>
  /// Peak acceleration at resonance for an amplitude of 1, in m/s2.
  let strength: Double

  /// The 10-90 % rise in seconds; `nil` where the ringing was not read off this take.
  var rise: Estimate? {
    guard let ring else { return nil }
    let time = ring.q.value / (.pi * ring.frequency.value)
    return Estimate(log(9) * time, uncertainty: log(9) * time * ring.q.relativeUncertainty)
  }

  /// The delays that are looked for, in seconds: after a reference, and without one.
  private static let delays = (wired: -0.005...0.060, lone: 0.0...TakeLayout.longestDelay)
  /// Strengths that are less alike than this are not those of one take: as they are, and with the ringing taken out.
  private static let likeness = (raw: 0.3, sharp: 0.6)
  /// A ring that is read, in seconds: at least, at most, and what is left out after the drive's end and before the next
  /// command.
  private static let rings = (least: 0.025, most: 0.25, after: 0.003, before: 0.012)
  private static let mostRings = 40
  /// A Q less sure than this share of itself says nothing.
  private static let vaguestQ = 0.15

  init(
    _ commands: ToneCommands, _ alignment: TakeAlignment, _ samples: Samples, offset: Double,
    over frames: Range<Int>
  ) throws(NotMeasured) {
    let take = alignment.take
    let driven = commands.tones.filter { $0.amplitude > 0 }.map(\.frequency)
    guard let low = driven.min(), let high = driven.max() else {
      throw NotMeasured(reason: "the drive stays silent")
    }
    let rate = take.rate
    func course(_ band: ClosedRange<Double>, _ resonance: Resonance?) -> StrengthCourse {
      alignment.strength(of: samples, offset: offset, over: frames, band: band, undoing: resonance)
    }
    let powers = ToneCommands.Course(
      commands.tones.map { $0.amplitude * $0.amplitude }, from: 0, width: commands.width)
    let raw = course(StrengthCourse.felt, nil)
    let delays = alignment.electrical == nil ? Self.delays.lone : Self.delays.wired
    guard
      let rough = Self.delay(
        of: raw, after: powers, in: delays, least: Self.likeness.raw, rate: rate)
    else { throw NotMeasured(reason: "the response does not follow the drive's commands") }
    ring = Self.ring(commands, alignment, samples, late: rough * rate.hertz, rate: rate)
    let known = take.configuration.profile?.profile.model.modes.first
    resonance =
      ring.map { Resonance(frequency: $0.frequency.value, q: $0.q.value) }
      ?? known.map { Resonance(frequency: $0.f0.value, q: $0.q.value) }
    let bottom = max(StrengthCourse.felt.lowerBound, 0.5 * min(low, resonance?.frequency ?? low))
    band = bottom...min(StrengthCourse.felt.upperBound, max(2 * high, 2 * bottom))
    let sharp = course(band, resonance)
    guard
      let found = Self.delay(
        of: sharp, after: powers, in: delays, least: Self.likeness.sharp, rate: rate)
    else { throw NotMeasured(reason: "the response does not follow the drive's commands") }
    delay = Estimate(found, uncertainty: 1 / StrengthCourse.rate)
    let wanted = Self.amplitudes(powers, sharp, late: found * rate.hertz, rate: rate)
    let square = wanted.reduce(0) { $0 + $1 * $1 }
    let product = zip(wanted, sharp.amplitudes).reduce(0) { $0 + $1.0 * $1.1 }
    guard square > 0, product > 0 else { throw NotMeasured(reason: "the drive stays silent") }
    strength = product / square
  }

  private static func amplitudes(
    _ powers: ToneCommands.Course, _ course: StrengthCourse, late: Double, rate: SampleRate
  ) -> [Double] {
    let half = StrengthCourse.width / 2 * rate.hertz
    return course.amplitudes.indices.map {
      max(
        0, powers.mean(around: Double(course.first) + Double($0) * course.step - late, half: half)
      ).squareRoot()
    }
  }

  /// The delay in seconds at which a course is likest to the commands; `nil` where it is not like them.
  private static func delay(
    of course: StrengthCourse, after powers: ToneCommands.Course, in range: ClosedRange<Double>,
    least: Double, rate: SampleRate
  ) -> Double? {
    let step = 1 / StrengthCourse.rate
    let first = Int((range.lowerBound / step).rounded(.down))
    let last = Int((range.upperBound / step).rounded(.up))
    let alike = (first...last).map { lag in
      let asked = amplitudes(powers, course, late: Double(lag) * step * rate.hertz, rate: rate)
      return Correlation.pearson(asked.span, course.amplitudes.span) ?? -1
    }
    guard let best = alike.indices.max(by: { alike[$0] < alike[$1] }), alike[best] > least
    else { return nil }
    var place = Double(best)
    if best > 0, best + 1 < alike.count {
      let (before, after) = (alike[best - 1], alike[best + 1])
      let bend = before - 2 * alike[best] + after
      if bend < 0 { place += max(-0.5, min(0.5, 0.5 * (before - after) / bend)) }
    }
    return (Double(first) + place) * step
  }

  private static func ring(
    _ commands: ToneCommands, _ alignment: TakeAlignment, _ samples: Samples, late: Double,
    rate: SampleRate
  ) -> (frequency: Estimate, q: Estimate)? {
    var stretches: [Range<Int>] = []
    var command = 1
    while command < commands.tones.count {
      defer { command += 1 }
      guard commands.tones[command].amplitude == 0, commands.tones[command - 1].amplitude > 0
      else { continue }
      let first = commands.frame(of: command)
      while command + 1 < commands.tones.count, commands.tones[command + 1].amplitude == 0 {
        command += 1
      }
      let moved = Double(first) + alignment.electricalFrames(at: Double(first)) + late
      let silent = commands.frame(of: command + 1) - first
      let start = Int(moved) + rate.wholeFrames(rings.after)
      let end = min(
        Int(moved) + silent - rate.wholeFrames(rings.before), start + rate.wholeFrames(rings.most),
        samples.count)
      if end - start >= rate.wholeFrames(rings.least) { stretches.append(start..<end) }
    }
    // The longest tell most; those of one length by time.
    stretches.sort { ($1.count, $0.lowerBound) < ($0.count, $1.lowerBound) }
    let found = stretches.prefix(mostRings).compactMap { frames -> (f0: Estimate, q: Estimate)? in
      let room = rate.wholeFrames(0.1)
      let window = (frames.lowerBound - room)..<(frames.upperBound + room)
      guard
        let ring = RingDown.measure(
          samples.padded(window), frames: room..<(room + frames.count), rate: rate),
        ring.q.relativeUncertainty < vaguestQ
      else { return nil }
      return (ring.frequency, ring.q)
    }
    guard let surest = found.map({ $0.q.relativeUncertainty }).min() else { return nil }
    let good = found.filter { $0.q.relativeUncertainty < 5 * max(surest, 0.002) }
    func middle(_ values: [Estimate]) -> Estimate {
      let median = Statistics.median(values.map(\.value))
      let scatter = 1.4826 * Statistics.median(values.map { abs($0.value - median) })
      let own = Statistics.median(values.map(\.uncertainty))
      let spread = max(scatter, own) * 1.25 / Double(values.count).squareRoot()
      return Estimate(median, uncertainty: spread)
    }
    return (middle(good.map(\.f0)), middle(good.map(\.q)))
  }
}

/// What a drive that makes tones of its own is told during a take: one tone each update interval, from frame 0.
///
/// The drive follows the waveform of all events together, which it is sent; what of a command's power belongs to
/// which event is the share of that waveform that the event's own has.
struct ToneCommands {
  struct Source {
    var share: DriveShares.Share
    var gain = 1.0
    var delay = 0
  }

  struct Powers {
    var first: Int
    /// By command; together with all others' the square of the amplitude that is made.
    var values: [Double]
    /// The amplitude that the event alone would be given, by command.
    var alone: [Double]
  }

  /// Frames of one command, with a fraction.
  let width: Double
  private(set) var tones: [DriveTone] = []
  private(set) var powers: [Int: Powers] = [:]

  private let drive: ExpressibleDrive
  private let tracker: ToneTracker

  /// Cost: linear in the frames of the take and of all waveforms.
  init(
    _ sources: [Source], over samples: Samples, from pattern: Int, rate: SampleRate,
    by drive: ExpressibleDrive
  ) {
    self.drive = drive
    width = drive.updateInterval * rate.hertz
    tracker = ToneTracker(rate: rate, form: .wave)
    var sum = samples[samples.indices]
    for frame in sum.indices where frame >= pattern { sum[frame] = 0 }
    for source in sources {
      let (first, gain) = (source.share.first + source.delay, Float(source.gain))
      let frames = (first..<(first + source.share.samples.count)).clamped(to: sum.indices)
      for frame in frames { sum[frame] += gain * source.share.samples[frame - first] }
    }
    let count = Int((Double(sum.count) / width).rounded(.up))
    tones.reserveCapacity(count)
    var ratios: [Double] = []
    ratios.reserveCapacity(count)
    for command in 0..<count {
      let asked = tone(command, of: sum, from: 0)
      let made = asked.amplitude > 0 ? drive.nearest(asked) : asked
      tones.append(made)
      ratios.append(asked.amplitude > 0 ? made.amplitude / asked.amplitude : 0)
    }
    for source in sources { add(source, to: sum, ratios: ratios) }
  }

  func frame(of command: Int) -> Int { Int((Double(command) * width).rounded()) }

  private func tone(_ command: Int, of samples: [Float], from first: Int) -> DriveTone {
    let wanted =
      (frame(of: command) - tracker.lag - first)..<(frame(of: command + 1) + tracker.lag - first)
    let inside = wanted.clamped(to: samples.indices)
    guard inside.contains(where: { samples[$0] != 0 }) else {
      return DriveTone(frequency: 0, amplitude: 0)
    }
    var window = [Float](repeating: 0, count: wanted.count)
    for place in inside { window[place - wanted.lowerBound] = samples[place] }
    return tracker.tone(of: window.span)
  }

  private mutating func add(_ source: Source, to sum: [Float], ratios: [Double]) {
    let (start, own) = (source.share.first + source.delay, source.share.samples)
    let begin = max(0, Int((Double(start - tracker.lag) / width).rounded(.down)))
    let end = min(tones.count, Int((Double(start + own.count + tracker.lag) / width).rounded(.up)))
    guard begin < end else { return }
    var powers = Powers(first: begin, values: [], alone: [])
    for command in begin..<end {
      let frames =
        ((frame(of: command) - tracker.lag)..<(frame(of: command + 1) + tracker.lag))
        .clamped(to: sum.indices)
      var (whole, part) = (0.0, 0.0)
      for frame in frames {
        whole += Double(sum[frame]) * Double(sum[frame])
        if own.indices.contains(frame - start) {
          part += Double(sum[frame]) * Double(own[frame - start])
        }
      }
      let made = tones[command].amplitude
      powers.values.append(whole > 0 ? made * made * source.gain * part / whole : 0)
      powers.alone.append(tone(command, of: own, from: start).amplitude * ratios[command])
    }
    self.powers[source.share.event] = powers
  }

  // MARK: Over time

  /// The mean around frames of a value that holds for a command each, over `half` frames to either side.
  struct Course {
    private let first: Int
    private let values: [Double]
    private let sums: [Double]
    private let width: Double

    init(_ values: [Double], from first: Int, width: Double) {
      self.first = first
      self.values = values
      self.width = width
      sums = values.runningSums()
    }

    private func integral(to frame: Double) -> Double {
      let place = frame / width - Double(first)
      guard place > 0 else { return 0 }
      guard place < Double(values.count) else { return sums.last ?? 0 }
      let index = Int(place)
      return sums[index] + (place - Double(index)) * values[index]
    }

    func mean(around frame: Double, half: Double) -> Double {
      (integral(to: frame + half) - integral(to: frame - half)) * width / (2 * half)
    }
  }
}
