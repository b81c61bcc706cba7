// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
private import Glibc
import HapticRendering
import Perception
import Profiles
import SignalAnalysis
import Units

/// What a pattern asks for as its drive can express it, where that makes tones of its own by commands.
///
/// The device takes a command each update interval, counted from frame 0 of the take, and holds it. All
/// events together make one tone: their energies add, and the frequency is that of the strongest.
struct ExpressedIntent {
  /// The share of the interval that is looked at in one go, in seconds at the most.
  private static let finest = 0.25e-3

  let loss: QuantisedIntent.Loss

  private let intent: Intent
  private let interval: Double
  /// When the first command begins, in seconds of the pattern: at its start or less than an interval before.
  private let origin: Double
  private let density: Int
  private let commands: [Command]

  private struct Command {
    /// In hertz; `nil` where the drive is no tone.
    let frequency: Double?
    /// The amplitude that is made over the effective one that is asked for; 0 for silence.
    let ratio: Double
  }

  /// Cost: linear in the commands, and in the instants that each event touches.
  init(_ take: TakeDrive, rig: RigDescription, by drive: ExpressibleDrive) {
    intent = take.intent
    interval = drive.updateInterval
    density = max(1, Int((interval / Self.finest).rounded(.up)))
    let start = Double(take.layout.pattern) / take.rate.hertz
    // A hair more: what is a whole number of intervals may come out a little below.
    origin = -max(0, start - (start / interval + 1e-9).rounded(.down) * interval)
    let count = max(1, Int(((take.intent.timeline.end - origin) / interval).rounded(.up)))
    let isTone = take.configuration.waveform == .tone
    let step = interval / Double(density)
    let asked = Self.tones(take, rig: rig, from: origin, step: step, count: count * density)
    let made = QuantisedIntent(asked, step: step, by: drive)
    loss = made.loss
    commands = (0..<count).map { [density] command in
      let mean = DriveTone.mean(of: asked[(command * density)..<((command + 1) * density)])
      let tone = made.tones[command * density]
      return Command(
        frequency: isTone ? tone.frequency : nil,
        ratio: mean.amplitude > 0 ? tone.amplitude / mean.amplitude : 0)
    }
  }

  /// The drive's tone at the middle of each step, its amplitude as a share of full scale.
  private static func tones(
    _ take: TakeDrive, rig: RigDescription, from origin: Double, step: Double, count: Int
  ) -> [DriveTone] {
    let intent = take.intent
    let volts = rig.drive.fullScaleVolts
    let nominal = NominalDrive(
      intent: intent, configuration: take.configuration,
      limits: rig.actuators[0].limits, fullScaleVolts: volts)
    let isTone = take.configuration.waveform == .tone
    var energies = [Double](repeating: 0, count: count)
    var strongest = [DriveTone](repeating: DriveTone(frequency: 0, amplitude: 0), count: count)
    let dropped = Set(take.droppedEvents)
    for event in intent.timeline.events
    where event.kind.isHaptic && !dropped.contains(event.index) {
      let first = max(0, Int(((event.start - origin) / step).rounded(.down)))
      let last = min(count, Int(((event.end - origin) / step).rounded(.up)))
      for index in first..<max(first, last) {
        let time = origin + (Double(index) + 0.5) * step
        let level = intent.intensity(of: event, at: time)
        guard level > 0 else { continue }
        let drawn = nominal.drawn(level, intent.sharpness(of: event, at: time))
        let amplitude = drawn.volts / volts * intent.weight(of: event, at: time)
        energies[index] += amplitude * amplitude
        if amplitude > strongest[index].amplitude {
          strongest[index] = DriveTone(
            frequency: isTone ? drawn.frequency : 0, amplitude: amplitude)
        }
      }
    }
    return zip(energies, strongest).map { energy, strongest in
      DriveTone(frequency: strongest.frequency, amplitude: min(1, energy.squareRoot()))
    }
  }

  func held(_ event: TimelineEvent, _ target: IntensityTarget) -> HeldEvent {
    let first = max(0, Int(((event.start - origin) / interval).rounded(.down)))
    let last = min(commands.count, Int(((event.end - origin) / interval).rounded(.up)))
    let step = interval / Double(density)
    var (levels, frequencies): ([Double], [Double]) = ([], [])
    for command in first..<max(first, last) {
      var sum = 0.0
      var frequency = intent.frequency(of: event, at: event.start)
      for index in 0..<density {
        let time = origin + Double(command) * interval + (Double(index) + 0.5) * step
        guard time >= event.start, time < event.end else { continue }
        frequency = commands[command].frequency ?? intent.frequency(of: event, at: time)
        let asked =
          target.acceleration(
            intensity: intent.intensity(of: event, at: time), frequency: frequency)
          * intent.weight(of: event, at: time)
        sum += asked * asked
      }
      levels.append((sum / Double(density)).squareRoot() * commands[command].ratio)
      frequencies.append(frequency)
    }
    return HeldEvent(
      start: origin + Double(first) * interval, interval: interval, levels: levels,
      frequencies: frequencies)
  }

  /// The delay in frames from what was asked to the response, by their envelopes; `nil` where unlike.
  ///
  /// For a drive whose frames nothing carries to the capture. It holds the actuator's rise, and is good
  /// for laying windows, not for timing.
  func delay(
    of samples: Samples, offset: Double, _ take: TakeDrive, _ target: IntensityTarget
  ) -> Double? {
    // The steps that are tried, in seconds.
    let step = 1e-3
    // Envelopes that are less alike than this are not those of one pattern.
    let leastLikeness = 0.6
    // What both envelopes are averaged over, in steps: a period of the lowest tone.
    let width = 12
    let asked = acceleration(
      target, step: step, count: Int(((intent.timeline.end + 0.2) / step).rounded(.up)))
    let pattern = take.layout.pattern
    let longest = Int(TakeLayout.longestDelay / step)
    let frames = step * take.rate.hertz
    let whole = Int(Double(samples.count - pattern) / frames)
    var reader = SampleReader(samples)
    let powers = (0..<max(0, min(whole, asked.count + longest))).map { column in
      let first = pattern + Int(Double(column) * frames)
      let last = pattern + Int(Double(column + 1) * frames)
      return reader.power(of: first..<last, about: offset)
    }
    let measured = Smoothing.mean(powers, width: width).map { $0.squareRoot() }
    let wanted = Smoothing.mean(asked.map { $0 * $0 / 2 }, width: width).map { $0.squareRoot() }
    var best: (lag: Int, likeness: Double)?
    for lag in 0...longest where lag + wanted.count <= measured.count {
      guard
        let likeness = Correlation.pearson(
          wanted.span, measured.span.extracting(lag..<(lag + wanted.count))),
        likeness > best?.likeness ?? leastLikeness
      else { continue }
      best = (lag, likeness)
    }
    return best.map { Double($0.lag) * step * take.rate.hertz }
  }

  /// The peak acceleration in m/s2 that all events ask for at evenly spaced times of the pattern.
  func acceleration(_ target: IntensityTarget, step: Double, count: Int) -> [Double] {
    var squares = [Double](repeating: 0, count: count)
    for event in intent.timeline.events where event.kind.isHaptic {
      let held = held(event, target)
      let first = max(0, Int((held.start / step).rounded(.up)))
      let last = min(count, Int((held.end / step).rounded(.up)))
      for column in first..<max(first, last) {
        let level = held.level(at: Double(column) * step)
        squares[column] += level * level
      }
    }
    return squares.map { $0.squareRoot() }
  }
}

/// One event as a drive of commands expresses it: steady within each.
struct HeldEvent {
  /// When its first command begins, in seconds of the pattern.
  let start: Double
  let interval: Double
  /// The peak acceleration that each asks of the response, in m/s2.
  let levels: [Double]
  /// The frequency of each in hertz.
  let frequencies: [Double]

  /// When the last command that drives ends, in seconds of the pattern.
  var end: Double {
    let count = (levels.lastIndex { $0 > 0 } ?? -1) + 1
    return start + Double(count) * interval
  }

  var isSilent: Bool { !levels.contains { $0 > 0 } }

  private func index(at time: Double) -> Int {
    Int(((time - start) / interval + 1e-9).rounded(.down))
  }

  /// The peak acceleration in m/s2 that is asked for at a time of the pattern.
  func level(at time: Double) -> Double {
    let index = index(at: time)
    return levels.indices.contains(index) ? levels[index] : 0
  }

  /// The frequency in hertz at a time of the pattern; that of the nearest command outside of all.
  func frequency(at time: Double) -> Double? {
    guard !frequencies.isEmpty else { return nil }
    return frequencies[min(max(0, index(at: time)), frequencies.count - 1)]
  }

  /// The highest crest of the tone, which begins at a phase in turns.
  func crest(phase: Double, rate: Double) -> Double {
    stride(from: start, to: end, by: 1 / rate).reduce(0) { highest, time in
      let carrier = sin(2 * .pi * ((frequency(at: time) ?? 0) * (time - start) + phase))
      return max(highest, abs(carrier) * level(at: time))
    }
  }
}

extension SampleReader {
  /// The mean power of some frames about an offset.
  mutating func power(of frames: Range<Int>, about offset: Double) -> Double {
    var sum = 0.0
    for sample in read(frames) {
      let value = Double(sample) - offset
      sum += value * value
    }
    return sum / Double(frames.count)
  }
}

enum Smoothing {
  /// The mean about each value, over at most `width` of them.
  static func mean(
    _ values: some RandomAccessCollection<Double>, width: Int
  ) -> [Double] {
    let sums = values.runningSums()
    return (0..<values.count).map { index in
      let first = max(0, index - width / 2)
      let last = min(values.count, index + width - width / 2)
      return (sums[last] - sums[first]) / Double(last - first)
    }
  }
}
