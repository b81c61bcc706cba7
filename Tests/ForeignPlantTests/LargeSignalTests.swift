// SPDX-License-Identifier: Apache-2.0

import ForeignPlant
import Foundation
import Testing

private let obstacle = Comment(rawValue: ForeignPlant.obstacle ?? "")

/// What the foreign plant does at its rated drive and beyond.
@Suite(.disabled(if: ForeignPlant.obstacle != nil, obstacle))
struct LargeSignalTests {
  @Test(arguments: ["coinZ-170", "linX-145", "lin-230", "vcm-pad", "dual-160/320"])
  func `what the source gives goes into coil and friction`(_ name: String) throws {
    let plant = ForeignPlant(name, "stops=0")
    let truth = try plant.truth()
    let tone = try plant.steady(
      frequency: try #require(truth.f0), volts: 1.5 * truth.ratedVolts)
    let power = try #require(tone.power)
    #expect(power.friction > 0)
    #expect(
      abs((power.copper + power.friction) / power.in - 1) < 1e-5, "\(power) of \(name)")
    #expect(try #require(tone.distortion) > 1e-3)
  }

  @Test(arguments: [0.3, 1.0, 1.4])
  func `a take settles where the steady tone is`(_ level: Double) throws {
    var plant = ForeignPlant("coinZ-170", "bandwidth=0")
    plant.parameters += ForeignPlant.quiet
    let truth = try plant.truth()
    let volts = level * truth.ratedVolts
    let steady = try plant.steady(frequency: 160, volts: volts)
    let drive = Tone.sine(160, amplitude: volts / truth.fullScale, seconds: 1.2)
    try #require(volts <= truth.fullScale)
    let column = try plant.play(drive, capture: ["z"])[0]
    let (z, third) = (Tone(column, 160), Tone(column, 480))
    #expect(abs(z.amplitude / steady.acceleration - 1) < 1e-3, "\(z.amplitude) m/s2")
    let expected = try #require(steady.harmonics)[2]
    #expect(abs(third.amplitude - expected) < 1e-3 * steady.acceleration, "\(third.amplitude)")
  }

  @Test func `a harder spring moves the resonance up and a softer one down`() throws {
    func slope(_ hardening: String) throws -> Double {
      let plant = ForeignPlant("linX-170", "force-factor-loss=0", "hardening=\(hardening)")
      let below = try plant.steady(frequency: 167, volts: 3.5)
      let above = try plant.steady(frequency: 173, volts: 3.5)
      return above.acceleration / below.acceleration
    }
    let flat = try slope("0")
    #expect(try slope("0.05") > flat * 1.05)
    #expect(try slope("-0.05") < flat * 0.95)
  }

  @Test func `a small signal is that of the linear limit`() throws {
    let plant = ForeignPlant("lin-230")
    let truth = try plant.truth()
    let frequency = try #require(truth.f0)
    let tone = try plant.steady(frequency: frequency, volts: 0.001)
    #expect(abs(tone.acceleration / (0.001 * (try #require(truth.gain))) - 1) < 1e-6)
  }

  @Test func `end stops hold the travel and distort`() throws {
    let plant = ForeignPlant("linX-170", "travel=0.3")
    let tone = try plant.steady(frequency: 170, volts: 3.5)
    #expect(try #require(tone.travel) < 0.3e-3 * 1.5)
    #expect(try #require(tone.distortion) > 0.2)
  }

  @Test func `a motor turns with its voltage and follows with its time constant`() throws {
    var plant = ForeignPlant("erm-200", "bandwidth=0")
    plant.parameters += ForeignPlant.quiet
    let truth = try plant.truth()
    #expect(abs(try #require(truth.acceleration) / 9.80665 - 1.61) < 0.005)
    #expect(try plant.steady(frequency: 0, volts: 0.5).frequency == 0)
    let half = try plant.steady(frequency: 0, volts: 1.65)
    #expect(abs(half.frequency - 100) < 1e-6)
    let drive = [Double](repeating: 1.65 / truth.fullScale, count: 48_000)
    let columns = try plant.play(drive, capture: ["x", "z"])
    // On both axes of its plane the same circle, so that the squares add up to a constant.
    let radius = { (frame: Int) in hypot(columns[0][frame], columns[1][frame]) }
    #expect(abs(radius(47_000) / half.acceleration - 1) < 1e-3, "\(radius(47_000)) m/s2")
    // After one time constant 63 % of the speed; the tangential part adds little.
    let begin = 8.3e-3 + 0.4e-3
    let speed = (radius(Int((begin + 0.06) * 48_000)) / half.acceleration).squareRoot()
    #expect(abs(speed - (1 - exp(-1))) < 0.01, "\(speed)")
  }

  @Test func `a coil that carries current warms and takes less`() throws {
    var plant = ForeignPlant("coinZ-170", "linear=1", "heat=100", "heat-time=0.2")
    plant.parameters += ForeignPlant.quiet
    let volts = try plant.truth().fullScale
    let drive = Tone.sine(500, amplitude: 0.8, seconds: 2)
    let columns = try plant.play(drive, capture: ["voltage", "current"])
    let (voltage, current) = (Tone(columns[0], 500), Tone(columns[1], 500))
    #expect(abs(voltage.amplitude / (0.8 * volts) - 1) < 1e-3)
    // R' = R (1 + a H V^2 / (2 R')), with motion's share of the impedance left out.
    let (cold, rise) = (13.8, 0.0039 * 100 * 0.5 * 16.0)
    let warm = (cold + (cold * cold + 4 * cold * rise).squareRoot()) / 2
    let measured = voltage.amplitude / current.amplitude
    #expect(abs(measured / warm - 1) < 5e-3, "\(measured) ohm, not \(warm)")
  }
}
