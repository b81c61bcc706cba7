// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Units
import VirtualDevices

/// Noise, quantisation, full scale and gravity as the description documents them.
struct ConverterTests {
  @Test func `each noise has the power that its description asks for`() throws {
    var bench = SimulatedFixture()
    bench.simulation.seed = 0x5eed
    bench.simulation.sensor.noiseDensity = 2e-3
    bench.simulation.sound.noise = 3e-3
    bench.simulation.capture.noiseVolts = 5e-3
    bench.capture = [
      SimulatedFixture.acceleration, SimulatedFixture.reference, SimulatedFixture.audio,
    ]
    let count = 24_000
    let heard = try bench.play(frames: count) { _ in 0 }
    // White up to half the rate: density x sqrt(24 kHz). The converter's noise is in volts and adds
    // to that of the sound; the acceleration comes in SI units, past the converter.
    let expected = [2e-3 * 24_000.0.squareRoot(), 5e-3, 34e-6.squareRoot()]
    for (channel, deviationExpected) in expected.enumerated() {
      let measured = deviation(heard.channels[channel])
      // The standard error of n samples is 1 / sqrt(2 n): 0.46 %; four of them.
      #expect(
        abs(measured / deviationExpected - 1) < 0.019,
        "seed 0x5eed, channel \(channel): \(measured) for \(deviationExpected)")
    }
  }

  @Test func `the converter's noise in volts becomes acceleration by the sensitivity`() throws {
    var bench = SimulatedFixture()
    var wired = SimulatedFixture.acceleration
    wired.fullScaleVolts = 1
    wired.sensor = SensorCertificate(sensitivity: 1e-3)
    bench.capture = [wired]
    bench.simulation.capture.noiseVolts = 2e-5
    let measured = deviation(try bench.play(frames: 12_000) { _ in 0 }.channels[0])
    #expect(abs(measured / 2e-2 - 1) < 0.026, "\(measured) m/s2 for 0.02")
  }

  @Test func `the drive's noise is heard on the wire in volts`() throws {
    var bench = SimulatedFixture()
    bench.capture = [SimulatedFixture.reference]
    bench.simulation.drive.noiseVolts = 1e-2
    // At whole frames nothing is interpolated.
    let measured = deviation(try bench.play(frames: 12_000) { _ in 0 }.channels[0])
    #expect(abs(measured / 1e-2 - 1) < 0.026, "\(measured) V for 0.01")
  }

  @Test func `the capture rounds to the steps of its bits`() throws {
    var bench = SimulatedFixture()
    var wire = SimulatedFixture.reference
    wire.fullScaleVolts = 5
    bench.capture = [wire]
    bench.simulation.capture.bits = 8
    let heard = try bench.play(frames: 1_000) { Double($0) / 1_000 }.channels[0]
    for frame in 50..<950 {
      let steps = Double(heard[frame]) * 128 / 5
      #expect(abs(steps - steps.rounded()) < 1e-4, "frame \(frame): \(steps) steps")
      let error = abs(Double(heard[frame]) - 4 * Double(frame) / 1_000)
      #expect(error <= 0.5 * 5 / 128 + 1e-4, "frame \(frame): off by \(error) V")
    }
  }

  @Test func `the drive rounds to the steps of its bits`() throws {
    var bench = SimulatedFixture()
    bench.capture = [SimulatedFixture.reference]
    bench.simulation.drive.bits = 6
    let heard = try bench.play(frames: 500) { Double($0) / 500 }.channels[0]
    for frame in 0..<500 {
      let expected = 4 * (Double(Float(Double(frame) / 500)) * 32).rounded() / 32
      #expect(abs(Double(heard[frame]) - expected) < 1e-5, "frame \(frame): \(heard[frame]) V")
    }
  }

  @Test func `drive beyond full scale is clipped and told by channel and frame`() throws {
    var bench = SimulatedFixture()
    bench.capture = [SimulatedFixture.reference]
    let heard = try bench.play(frames: 1_000) { (300..<310).contains($0) ? 1.7 : 0.2 }
    #expect(heard.channels[0][305] == 4)
    #expect(
      Set(heard.driveEvents)
        == Set(
          ["haptic", "audio", "reference"].map {
            StreamEvent(kind: .overload, frame: 300, length: 10, channel: $0)
          }))
  }

  @Test func `a drive that is no number drives zero and is told`() throws {
    var bench = SimulatedFixture()
    bench.capture = [SimulatedFixture.reference]
    let heard = try bench.play(frames: 400) { $0 == 200 ? .nan : $0 == 300 ? -.infinity : 0.5 }
    #expect(abs(heard.channels[0][200]) < 1e-6)
    #expect(heard.channels[0][300] == -4)
    // Ten milliseconds make one overload of what lies within.
    #expect(heard.driveEvents.allSatisfy { $0.frame == 200 && $0.length == 101 })
  }

  @Test func `what the capture cannot hold is clipped and told by channel`() throws {
    var bench = SimulatedFixture()
    var wire = SimulatedFixture.reference
    wire.fullScaleVolts = 1
    bench.capture = [SimulatedFixture.audio, wire]
    let heard = try bench.play(frames: 2_000) { (1_000..<1_100).contains($0) ? 0.5 : 0 }
    #expect(heard.channels[1].max() == 1)
    let event = try #require(heard.captureEvents.first)
    #expect(heard.captureEvents.count == 1)
    #expect(event.kind == .overload)
    #expect(event.channel == "reference")
    // The edges ring by a few frames.
    #expect(abs(event.frame - 1_000) <= 1 && abs(event.frames.upperBound - 1_100) <= 1)
  }

  @Test func `the sensor clips at its own full scale`() throws {
    var bench = SimulatedFixture()
    bench.simulation.sensor.fullScale = 4
    let felt = try bench.play(frames: 1_000) { $0 % 282 < 141 ? 0.8 : -0.8 }
    #expect(felt.channels[0].map { abs($0) }.max() == 4)
    #expect(felt.captureEvents.first?.channel == "z")
  }

  @Test func `gravity stands along the axis and its rest across`() throws {
    var bench = SimulatedFixture()
    bench.simulation.sensor.gravity = 0.8
    var across = SimulatedFixture.acceleration
    (across.name, across.axis) = ("x", "x")
    bench.capture = [SimulatedFixture.acceleration, across]
    let felt = try bench.play(frames: 100) { _ in 0 }
    #expect(abs(felt.channels[0][50] - 0.8 * 9.80665) < 1e-5)
    #expect(abs(felt.channels[1][50] - 0.6 * 9.80665) < 1e-5)
  }

  @Test func `an accelerometer across feels its share of the motion`() throws {
    var bench = SimulatedFixture()
    bench.simulation.sensor.crossAxis = 0.02
    bench.simulation.sensor.gravity = 1
    var across = SimulatedFixture.acceleration
    (across.name, across.axis) = ("x", "x")
    bench.capture = [SimulatedFixture.acceleration, across]
    let felt = try bench.play(frames: 800) { Double($0 % 282) / 282 - 0.5 }
    for frame in stride(from: 0, to: 800, by: 50) {
      let motion = felt.channels[0][frame] - 9.80665
      #expect(abs(felt.channels[1][frame] - 0.02 * motion) < 1e-5, "frame \(frame)")
    }
  }
}
