// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import SeededRandom
import SignalAnalysis
import Units

/// A whole rig in closed form, its capture's clock included: fractional delays, a resonator, noise.
///
/// Capture frame k shows what was sent at drive time k / (1 + drift) less the delays, on every channel.
/// The band-limited drive is filtered at eight times its rate and read between samples by a polynomial of
/// the fifth degree, which is exact to 1e-7 for all that a take holds.
struct ExactPlant {
  /// Seconds from a drive frame to the reference, to the motion after it, and to the sound.
  var electrical = 6.4321e-3
  var transport = 0.7654e-3
  var sound = 9.1357e-3
  /// How much faster the capture's clock is.
  var driftPPM = 0.0
  var frequency = 163.7
  var q = 11.3
  /// m/s2 per volt at resonance.
  var gain = 30.0
  /// Standard deviations of white noise on motion and on reference and sound.
  var noise = 0.05
  var wireNoise = 1e-3
  /// The haptic drive that arrives instead of the one that is sent, of full scale.
  var arriving: [Float]?
  /// What moves instead of the resonator: acceleration from volts, both at a rate in hertz.
  var body: ((_ volts: [Double], _ rate: Double) -> [Double])?
  /// How much later than the rest the haptic events from a time of the pattern on come, in seconds.
  var lateFrom: (time: Double, delay: Double)?

  var decayTime: Double { q / (.pi * frequency) }

  private static let fine = 8

  /// What the rig answers to a take, without noise, a list of samples for each channel.
  struct Answer {
    let rig: RigDescription
    let channels: [[Double]]
    /// The motion at eight values a drive frame, on the drive's clock, without the electrical delay.
    let motion: [Double]
    let rate: SampleRate
    let take: TakeDrive
  }

  /// Plays a take.
  func answer(_ take: TakeDrive, on rig: RigDescription) -> Answer {
    let volts = rig.drive.fullScaleVolts
    let haptic = (arriving ?? Array(take.channels[.haptic] ?? [])).map { Double($0) * volts }
    let rate = take.rate.hertz
    let whole = Self.filtered(haptic) { cycles in
      if body != nil { return Complex(angle: -2 * .pi * cycles * rate * transport) }
      let hertz = cycles * rate
      let ratio = hertz / frequency
      let resonator = Complex(-ratio * ratio) / Complex(1 - ratio * ratio, ratio / q)
      return (gain / q) * (Complex(angle: -2 * .pi * hertz * transport) * resonator)
    }
    let motion = body.map { $0(whole, rate * Double(Self.fine)) } ?? whole
    let wire = Self.filtered((take.channels[.reference] ?? []).map { Double($0) * volts }) { _ in
      Complex(1)
    }
    let heard = Self.filtered((take.channels[.audio] ?? []).map(Double.init)) { _ in Complex(1) }
    let limit = lateFrom.map {
      (Double(take.layout.pattern) + $0.time * rate, $0.delay * rate)
    }
    let channels = rig.capture.channels.map { channel in
      (0..<take.layout.frameCount).map { frame in
        let sent = Double(frame) / (1 + driftPPM * 1e-6)
        switch channel.role {
        case .acceleration:
          var moment = sent - electrical * rate
          if let (from, late) = limit, moment - late > from - 0.02 * rate { moment -= late }
          return Self.read(motion, at: moment)
        case .audio: return Self.read(heard, at: sent - sound * rate)
        default: return Self.read(wire, at: sent - electrical * rate)
        }
      }
    }
    return Answer(rig: rig, channels: channels, motion: motion, rate: take.rate, take: take)
  }

  /// A recording of an answer with the plant's noise, and gravity.
  func recording(_ answer: Answer, seed: UInt64, gravity: Double = 9.8) -> Recording {
    var random = SeededRandom(seed: seed)
    let channels = zip(answer.rig.capture.channels, answer.channels).map { channel, values in
      let isMotion = channel.role == .acceleration
      let (offset, sigma) = isMotion ? (gravity, noise) : (0, wireNoise)
      return Recording.Channel(
        description: channel.port,
        samples: values.map { Float($0 + offset + sigma * random.gaussian()) })
    }
    let count = answer.take.layout.frameCount
    return Recording(
      channels: channels, rate: answer.rate, frameCount: count, driveFrameCount: count)
  }

  /// The peak acceleration of a lasting tone of a peak voltage.
  func amplitude(volts: Double, frequency hertz: Double) -> Double {
    let ratio = hertz / frequency
    let across = ((1 - ratio * ratio) * (1 - ratio * ratio) + ratio * ratio / (q * q)).squareRoot()
    return volts * gain / q * ratio * ratio / across
  }

  private static func filtered(
    _ samples: [Double], _ response: (Double) -> Complex
  ) -> [Double] {
    let length = FourierTransform.fastLength(atLeast: samples.count + 24_000)
    var transform = FourierTransform(length: length)
    var bins = transform.forward(samples.span)
    for index in bins.indices {
      bins[index] = Double(fine) * (bins[index] * response(Double(index) / Double(length)))
    }
    var wide = FourierTransform(length: length * fine)
    bins += [Complex](repeating: Complex(0), count: wide.binCount - bins.count)
    return Array(wide.inverse(bins).prefix(samples.count * fine))
  }

  /// A value between samples, by Lagrange's polynomial through six.
  private static func read(_ values: [Double], at frame: Double) -> Double {
    let place = frame * Double(fine)
    let base = Int(place.rounded(.down))
    guard base >= 2, base + 3 < values.count else { return 0 }
    let t = place - Double(base)
    let (a, b, c, d, e, f) = (t + 2, t + 1, t, t - 1, t - 2, t - 3)
    let (ab, ef, cd) = (a * b, e * f, c * d)
    return -values[base - 2] * b * cd * ef / 120 + values[base - 1] * a * cd * ef / 24
      - values[base] * ab * d * ef / 12 + values[base + 1] * ab * c * ef / 12
      - values[base + 2] * ab * cd * f / 24 + values[base + 3] * ab * cd * e / 120
  }
}

extension ExactPlant.Answer {
  /// The largest excursion of the motion between two times of the pattern.
  func peak(from start: Double, to end: Double) -> Double {
    let fine = 8 * rate.hertz
    let origin = Double(take.layout.pattern) / rate.hertz
    return motion[Int((origin + start) * fine)..<Int((origin + end) * fine)]
      .reduce(0) { max($0, abs($1)) }
  }

  /// When the motion first passes a level after a time of the pattern, in seconds from that time.
  func passage(of level: Double, after time: Double) -> Double? {
    let fine = 8.0
    let start = (Double(take.layout.pattern) + time * rate.hertz) * fine
    guard let passing = motion[max(1, Int(start))...].firstIndex(where: { abs($0) > level }) else {
      return nil
    }
    let (before, after) = (abs(motion[passing - 1]), abs(motion[passing]))
    let place = Double(passing - 1) + (level - before) / (after - before)
    return (place - start) / fine / rate.hertz
  }
}
