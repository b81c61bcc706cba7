// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import Testing
import Units
import VirtualDevices

/// What the converters, the way of the sound and the mount delay, against exact copies.
struct DelayTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var drive: Double
    var capture: Double
    var drivePPM: Double
    var capturePPM: Double

    var testDescription: String {
      "\(drive * 1e3) ms + \(capture * 1e3) ms, \(drivePPM) and \(capturePPM) ppm"
    }
  }

  private static let cases = [
    Case(drive: 0, capture: 0, drivePPM: 0, capturePPM: 0),
    Case(drive: 5.2e-3, capture: 3.1e-3, drivePPM: 0, capturePPM: 12),
    Case(drive: 1.234_567e-3, capture: 0, drivePPM: -80, capturePPM: 0),
    Case(drive: 10.4e-6, capture: 1e-6, drivePPM: 100, capturePPM: -100),
    Case(drive: 21.7e-3, capture: 8.33e-3, drivePPM: 35, capturePPM: 35),
    Case(drive: 3.3e-3, capture: 2.1e-3, drivePPM: -180, capturePPM: 180),
    Case(drive: 3.3e-3, capture: 2.1e-3, drivePPM: 900, capturePPM: -900),
  ]

  private static let tones = Tones(
    frequencies: [53, 170, 997, 3_001, 7_919, 15_013], amplitude: 0.15)

  @Test(arguments: cases)
  func `reference and sound are exactly delayed copies of the drive`(item: Case) throws {
    var bench = SimulatedFixture()
    bench.capture = [SimulatedFixture.reference, SimulatedFixture.audio]
    bench.simulation.drive.latency = item.drive
    bench.simulation.drive.clockOffset = item.drivePPM * 1e-6
    bench.simulation.capture.latency = item.capture
    bench.simulation.capture.clockOffset = item.capturePPM * 1e-6
    bench.simulation.sound.latency = 1.5e-3
    bench.simulation.sound.gain = 0.7
    let frames = 6_000
    let heard = try bench.play(frames: frames) { Self.tones.value(at: Double($0) / 48_000) }
    for (channel, gain, delay) in [(0, 4.0, 0.0), (1, 0.7, 1.5e-3)] {
      var worst = 0.0
      for frame in 2_000..<(frames - 100) {
        let moment = Double(frame) / (48_000 * (1 + item.capturePPM * 1e-6))
        let position =
          (moment - item.capture - item.drive - delay) * 48_000 * (1 + item.drivePPM * 1e-6)
        let truth = gain * Self.tones.value(at: position / 48_000)
        worst = max(worst, abs(Double(heard.channels[channel][frame]) - truth) / gain)
      }
      #expect(worst < 1e-4, "channel \(channel): \(worst)")
    }
  }

  @Test func `the transport and the sensor's own delay turn the phase and nothing else`() throws {
    let tones = Tones(frequencies: [100, 140, 180, 220, 260, 500], amplitude: 0.01)
    var bench = SimulatedFixture()
    var late = SimulatedFixture.acceleration
    late.name = "late"
    late.sensor = SensorCertificate(sensitivity: 1, delay: 123.4e-6)
    bench.capture = [SimulatedFixture.acceleration, late]
    func measured(transport: Double) throws -> [[Complex]] {
      bench.simulation.transportDelay = transport
      let felt = try bench.play(frames: 9_600 + 2_500) { tones.value(at: Double($0) / 48_000) }
      return felt.channels.map { samples in
        tones.frequencies.map {
          component(samples[9_600..<12_000], frequency: $0, rate: 48_000, first: 9_600)
        }
      }
    }
    let near = try measured(transport: 0)
    let far = try measured(transport: 0.4e-3)
    for (index, frequency) in tones.frequencies.enumerated() {
      func turn(_ seconds: Double) -> Complex {
        let angle = -2 * Double.pi * frequency * seconds
        return Complex(cos(angle), sin(angle))
      }
      for (ratio, delay) in [
        (far[0][index] / near[0][index], 0.4e-3), (near[1][index] / near[0][index], 123.4e-6),
        (far[1][index] / near[0][index], 523.4e-6),
      ] {
        let error = (ratio - turn(delay)).magnitude
        #expect(error < 1e-4, "\(error) at \(frequency) Hz after \(delay) s")
      }
    }
  }

  @Test func `the truth names what was injected, jitter and all`() throws {
    var bench = SimulatedFixture()
    bench.capture = [SimulatedFixture.reference]
    bench.simulation.drive = .init(latency: 5e-3, jitter: 0.1e-3, clockOffset: 10e-6, bits: 0)
    bench.simulation.capture = .init(latency: 3e-3, jitter: 0.1e-3, clockOffset: -2e-6, bits: 0)
    let rig = try bench.open()
    var delays: [Double] = []
    for _ in 0..<3 {
      let heard = try playTake(rig.drive, rig.sensors, frames: 1_500) {
        Self.tones.value(at: Double($0) / 48_000)
      }
      let truth = rig.truth
      delays.append(truth.electricalDelay)
      #expect(
        abs(truth.electricalDelay - 8e-3 - truth.driveJitter - truth.captureJitter) < 1e-12)
      #expect(abs(truth.driftPPM + 12) < 1e-3)
      // Frame 1,200 shows the drive as it was the delay before.
      let moment = 1_200 / (48_000 * (1 - 2e-6)) - truth.electricalDelay
      let expected = 4 * Self.tones.value(at: moment * (1 + 10e-6))
      #expect(abs(Double(heard.channels[0][1_200]) - expected) < 4e-4)
    }
    #expect(Set(delays).count == 3, "every take has its own jitter: \(delays)")
  }
}
