// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import Glibc
import SeededRandom
import SignalAnalysis
import Units

/// Recordings made from a formula: delays and a resonator in the frequency domain, white noise.
///
/// What a rig does is known here in closed form: volts in, acceleration out,
/// H(f) = exp(-j 2 pi f d) (g/Q) s^2 / (s^2 + s w0/Q + w0^2), s = j 2 pi f.
struct SyntheticPlant {
  /// Seconds from a drive frame to the reference as captured.
  var electrical = 6.4321e-3
  /// Seconds from the reference to the motion.
  var transport = 0.7654e-3
  /// Seconds from a drive frame to the sound as captured.
  var sound = 9.1357e-3
  /// How much the capture's clock is ahead of the drive's.
  var driftPPM = 0.0
  var frequency = 163.7
  var q = 11.3
  /// m/s2 per volt at resonance.
  var gain = 30.0
  /// What the sensor shows at rest, in m/s2.
  var offset = 9.8
  /// Standard deviations of white noise on motion, reference and sound.
  var noise = 0.01
  var wireNoise = 1e-4
  var seed: UInt64 = 0xbe9c4

  var decayTime: Double { q / (.pi * frequency) }

  /// What the sensors deliver for a take.
  func record(_ take: TakeDrive, on rig: RigDescription) -> Recording {
    var random = SeededRandom(seed: seed)
    let volts = rig.drive.fullScaleVolts
    let channels = rig.capture.channels.map { channel in
      let values: [Double]
      switch channel.role {
      case .acceleration: values = motion(take, volts: volts)
      case .audio:
        values = delayed(take.channels[.audio] ?? [], by: sound, rate: take.rate, gain: 1)
      default: values = reference(take, volts: volts)
      }
      let rest = rest(of: channel.role)
      return Recording.Channel(
        description: channel.port,
        samples: values.map { Float($0 + rest.offset + rest.sigma * random.gaussian()) })
    }
    return Recording(
      channels: channels, rate: take.rate, frameCount: take.layout.frameCount,
      driveFrameCount: take.layout.frameCount)
  }

  /// What a channel shows where nothing reaches it.
  func rest(of role: CaptureRole) -> (offset: Double, sigma: Double) {
    role == .acceleration ? (offset, noise) : (0, wireNoise)
  }

  /// The motion without noise and offset, at `oversampling` values a frame.
  func motion(_ take: TakeDrive, volts: Double, oversampling: Int = 1) -> [Double] {
    let drive = (take.channels[.haptic] ?? []).map { Double($0) * volts }
    return Self.filtered(drive, oversampling: oversampling) { cyclesPerFrame in
      let hertz = cyclesPerFrame * take.rate.hertz
      let ratio = hertz / frequency
      let resonator = Complex(-ratio * ratio) / Complex(1 - ratio * ratio, ratio / q)
      return (gain / q) * (Complex(angle: -2 * .pi * hertz * (electrical + transport)) * resonator)
    }
  }

  /// The wire: the drive late, and each marker where the drifting clock sees it.
  private func reference(_ take: TakeDrive, volts: Double) -> [Double] {
    let rate = take.rate.hertz
    var wire = delayed(
      take.channels[.haptic] ?? [], by: electrical, rate: take.rate, gain: volts)
    for start in [take.layout.startMarker, take.layout.endMarker] {
      let until = start + take.layout.markerLength + take.rate.wholeFrames(0.1)
      for frame in start..<min(until, wire.count) {
        // Capture frame k shows what was sent at k / (1 + drift) less the delay: a formula, no filter.
        let sent = (Double(frame) - electrical * rate) / (1 + driftPPM * 1e-6) - Double(start)
        wire[frame] += volts * Sweep.marker.value(at: sent / rate)
      }
    }
    return wire
  }

  private func delayed(
    _ samples: Samples, by seconds: Double, rate: SampleRate, gain: Double
  ) -> [Double] {
    Self.filtered(samples.map(Double.init)) {
      gain * Complex(angle: -2 * .pi * $0 * seconds * rate.hertz)
    }
  }

  /// Applies a response over cycles a frame to samples; zeros enough follow for it to die away.
  private static func filtered(
    _ samples: [Double], oversampling: Int = 1, _ response: (Double) -> Complex
  ) -> [Double] {
    let length = FourierTransform.fastLength(atLeast: samples.count + 48_000)
    var transform = FourierTransform(length: length)
    var bins = transform.forward(samples.span)
    for index in bins.indices {
      bins[index] = bins[index] * response(Double(index) / Double(length))
    }
    guard oversampling > 1 else { return Array(transform.inverse(bins).prefix(samples.count)) }
    var fine = FourierTransform(length: length * oversampling)
    bins = bins.map { Double(oversampling) * $0 }
    bins += [Complex](repeating: Complex(0), count: fine.binCount - bins.count)
    return Array(fine.inverse(bins).prefix(samples.count * oversampling))
  }
}
