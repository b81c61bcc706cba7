// SPDX-License-Identifier: Apache-2.0

import AHAP
import Composing
import Glibc
import SeededRandom
import Units

/// Sounds whose truth is known, in samples of one channel.
enum Sounds {
  static let rate = SampleRate.standard

  /// A tone whose level in dB of full scale and frequency in hertz are functions of time.
  static func tone(
    seconds: Double, rate: SampleRate = rate, level: (Double) -> Double,
    frequency: (Double) -> Double
  ) -> [Float] {
    var phase = 0.0
    return (0..<Int(seconds * rate.hertz)).map { index in
      let time = Double(index) / rate.hertz
      phase += 2 * .pi * frequency(time) / rate.hertz
      return Float(pow(10, level(time) / 20) * sin(phase))
    }
  }

  static func noise(
    seconds: Double, level: Double, rate: SampleRate = rate, _ random: inout SeededRandom
  ) -> [Float] {
    let amplitude = pow(10, level / 20)
    return (0..<Int(seconds * rate.hertz)).map { _ in Float(amplitude * random.gaussian()) }
  }

  /// Plucked strings: harmonics that die away within 0.2 s, each with its time, level in dB and pitch in hertz.
  static func plucks(
    _ notes: [(time: Double, level: Double, pitch: Double)], seconds: Double,
    rate: SampleRate = rate
  ) -> [Float] {
    var sound = [Float](repeating: 0, count: Int(seconds * rate.hertz))
    for note in notes {
      let first = Int((note.time * rate.hertz).rounded(.up))
      for index in first..<min(sound.count, first + Int(rate.hertz)) {
        let time = Double(index) / rate.hertz - note.time
        var sum = 0.0
        for partial in 1...5 where note.pitch * Double(partial) < 0.45 * rate.hertz {
          let own = Double(partial)
          sum += exp(-time * 5 * own) * sin(2 * .pi * note.pitch * own * time) / own
        }
        sound[index] += Float(pow(10, note.level / 20) * sum)
      }
    }
    return sound
  }
}

/// Composes samples at once.
func compose(
  _ method: ComposeMethod, _ samples: [Float], rate: SampleRate = Sounds.rate, channels: Int = 1,
  tracePoints: Int? = nil, _ change: (inout ComposeSettings) -> Void = { _ in }
) -> Composition {
  var settings = ComposeSettings(method)
  change(&settings)
  return compose(settings, samples, rate: rate, channels: channels, tracePoints: tracePoints)
}

func compose(
  _ settings: ComposeSettings, _ samples: [Float], rate: SampleRate = Sounds.rate,
  channels: Int = 1, tracePoints: Int? = nil, blocks: () -> Int = { .max }
) -> Composition {
  func blockwise(_ take: (Span<Float>) -> Void) {
    var first = 0
    while first < samples.count {
      let count = min(samples.count - first, max(1, min(blocks(), 1 << 40)) * channels)
      take(samples.span.extracting(first..<(first + count)))
      first += count
    }
  }
  var meter = LoudnessMeter(rate: rate, channelCount: channels)
  blockwise { meter.append($0) }
  var composer = Composer(
    settings, rate: rate, channelCount: channels, loudness: meter.finish(),
    tracePoints: tracePoints)
  blockwise { composer.append($0) }
  return composer.finish()
}

extension HapticPattern {
  var taps: [HapticEvent] { events.filter { $0.kind == .hapticTransient } }
  var vibrations: [HapticEvent] { events.filter { $0.kind == .hapticContinuous } }

  /// What a control is at a time: the newest curve's value.
  func control(_ id: DynamicParameterID, at time: Double) -> Double {
    guard let curve = curves.last(where: { $0.id == id && $0.time <= time }) else {
      return id.neutral
    }
    let own = time - curve.time
    guard let next = curve.points.firstIndex(where: { $0.time > own }) else {
      return curve.points.last?.value ?? id.neutral
    }
    guard next > 0 else { return curve.points[0].value }
    let (from, to) = (curve.points[next - 1], curve.points[next])
    return from.value + (to.value - from.value) * (own - from.time) / (to.time - from.time)
  }

  /// Intensity and sharpness of the vibration at a time; nil where there is none.
  func vibration(at time: Double) -> (intensity: Double, sharpness: Double)? {
    guard let event = vibrations.last(where: { $0.time <= time && time < $0.end }) else {
      return nil
    }
    return (
      event.value(of: .hapticIntensity) * control(.hapticIntensity, at: time),
      event.value(of: .hapticSharpness) + control(.hapticSharpness, at: time)
    )
  }
}
