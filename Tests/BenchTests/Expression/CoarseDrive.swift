// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import HapticRendering
import Perception
import Units

@testable import Bench

/// A drive that makes tones on a coarse grid, worked out apart from the product's own arithmetic.
struct CoarseDrive {
  /// A vibration of steady strength, as the tests' patterns have them.
  struct Buzz {
    var start: Double
    var duration: Double
    var intensity: Double
    var sharpness: Double

    var text: String {
      AHAPText.buzz(at: start, duration: duration, intensity: intensity, sharpness: sharpness)
    }
  }

  static let frequencies = [80.0, 113, 160, 226, 320]
  static let amplitudes = [0, 0.2, 0.45, 0.7]
  /// Seconds of a command: 96 frames at 48 kHz, of which a take without probe has 175 before its pattern.
  static let interval = 2e-3
  static let expressible = ExpressibleDrive(
    frequencies: .grid(frequencies), amplitudes: amplitudes, updateInterval: interval)

  let configuration: RenderConfiguration

  /// Instants of a command that are looked at.
  static let instants = 8

  /// What a buzz is driven with while it lasts: hertz, and a share of full scale.
  func asked(_ buzz: Buzz) -> (frequency: Double, amplitude: Double) {
    (configuration.sharpnessLaw.frequency(of: buzz.sharpness), amplitude(buzz, gain: 1))
  }

  /// The nearest that the device has.
  func made(_ buzz: Buzz) -> (frequency: Double, amplitude: Double) {
    let (frequency, amplitude) = asked(buzz)
    return (nearest(frequency), Self.nearestAmplitude(amplitude))
  }

  /// The amplitudes that a buzz asks for at the instants of a command.
  func amplitudes(_ buzz: Buzz, from start: Double) -> [Double] {
    (0..<Self.instants).map { index in
      let age =
        start + (Double(index) + 0.5) * Self.interval / Double(Self.instants) - buzz.start
      // Apple's shortest attack and release are a millisecond here, both straight.
      let gain = min(age / 1e-3, 1, (buzz.duration + 1e-3 - age) / 1e-3)
      return gain > 0 ? amplitude(buzz, gain: gain) : 0
    }
  }

  /// The amplitude of a command that begins at a time.
  func commanded(_ buzz: Buzz, from start: Double) -> Double {
    let asked = amplitudes(buzz, from: start)
    let energy = asked.reduce(0) { $0 + $1 * $1 }
    return Self.nearestAmplitude((energy / Double(Self.instants)).squareRoot())
  }

  private func amplitude(_ buzz: Buzz, gain: Double) -> Double {
    configuration.fullScale * configuration.intensityLaw.share(of: buzz.intensity * gain)
  }

  private func nearest(_ frequency: Double) -> Double {
    Self.frequencies.min { abs(log2($0 / frequency)) < abs(log2($1 / frequency)) } ?? 0
  }

  private static func nearestAmplitude(_ amplitude: Double) -> Double {
    amplitudes.min { abs($0 - amplitude) < abs($1 - amplitude) } ?? 0
  }

  /// The take as the device plays it: one tone an interval, its phase going on.
  func playing(_ take: TakeDrive, _ buzzes: [Buzz]) -> TakeDrive {
    var samples = [Float](repeating: 0, count: take.layout.frameCount)
    let width = Int(Self.interval * take.rate.hertz)
    var turns = 0.0
    for first in stride(from: 0, to: samples.count - width, by: width) {
      let time = Double(first - take.layout.pattern) / take.rate.hertz
      for buzz in buzzes {
        let (frequency, amplitude) = (made(buzz).frequency, commanded(buzz, from: time))
        guard amplitude > 0 else { continue }
        for frame in first..<(first + width) {
          samples[frame] = Float(amplitude * sin(2 * .pi * turns))
          turns += frequency / take.rate.hertz
        }
      }
    }
    var channels = take.channels
    channels[.haptic] = Samples(samples)
    return TakeDrive(
      channels: channels, layout: take.layout, rate: take.rate, limited: take.limited,
      mixingLimited: 0, profileLimited: nil, droppedEvents: [], gamutOutside: nil,
      intent: take.intent, sounds: take.sounds, configuration: take.configuration)
  }
}

extension Recording {
  /// The same recording of a drive that says what it can express.
  func of(_ drive: ExpressibleDrive?) -> Recording {
    Recording(
      channels: channels, rate: rate, frameCount: frameCount, driveFrameCount: driveFrameCount,
      expressible: drive)
  }
}
