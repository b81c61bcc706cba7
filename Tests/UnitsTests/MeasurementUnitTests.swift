// SPDX-License-Identifier: Apache-2.0

import Testing
import Units

struct MeasurementUnitTests {
  @Test func `a base unit has factor 1 and its own dimension`() {
    for dimension in Dimension.allCases {
      #expect(dimension.base.factor == 1, "\(dimension)")
      #expect(dimension.base.dimension == dimension)
      #expect(dimension.units.contains(dimension.base))
    }
  }

  @Test func `every unit belongs to one dimension and converts to its base`() {
    for unit in MeasurementUnit.allCases {
      #expect(unit.dimension.units.contains(unit))
      #expect(unit.base == unit.dimension.base)
      #expect(unit.factor > 0 && unit.factor.isFinite, "\(unit)")
    }
    let counted = Dimension.allCases.reduce(0) { $0 + $1.units.count }
    #expect(counted == MeasurementUnit.allCases.count)
  }

  @Test(
    arguments: [
      (.millisecond, 1e-3), (.microsecond, 1e-6), (.minute, 60), (.kilohertz, 1e3),
      (.millivolt, 1e-3), (.voltPerMillisecond, 1e3), (.standardGravity, 9.80665),
      (.millivoltPerGravity, 1e-3 / 9.80665), (.millivoltPerMetrePerSecondSquared, 1e-3),
      (.microgravityPerRootHertz, 9.80665e-6),
      (.millihenry, 1e-3), (.gram, 1e-3), (.millimetre, 1e-3), (.partsPerMillion, 1e-6),
      (.percent, 0.01), (.one, 1), (.celsius, 1), (.decibel, 1),
    ] as [(MeasurementUnit, Double)])
  func `a unit converts by its definition`(unit: MeasurementUnit, factor: Double) {
    #expect(unit.factor == factor)
  }

  @Test func `symbols are the names that records carry`() {
    #expect(MeasurementUnit(rawValue: "m/s2") == .metrePerSecondSquared)
    #expect(MeasurementUnit(rawValue: "V/ms") == .voltPerMillisecond)
    #expect(MeasurementUnit(rawValue: "1") == .one)
    #expect(MeasurementUnit(rawValue: "furlong") == nil)
  }
}

struct DecibelsTests {
  @Test func `an amplitude ratio of ten is 20 dB and a power ratio of ten is 10 dB`() {
    #expect(abs(Decibels.of(amplitude: 10) - 20) < 1e-12)
    #expect(abs(Decibels.of(power: 10) - 10) < 1e-12)
    #expect(abs(Decibels.of(amplitude: 0.5) + 6.020599913279624) < 1e-12)
  }

  @Test func `levels and ratios are each other's inverse`() {
    for level in stride(from: -120.0, through: 60, by: 7.3) {
      #expect(abs(Decibels.of(amplitude: Decibels.amplitude(level)) - level) < 1e-10)
    }
  }
}

struct SampleRateTests {
  @Test func `frames and seconds convert both ways`() {
    let rate = SampleRate(hertz: 44_100)
    #expect(rate.frames(2) == 88_200)
    #expect(rate.seconds(22_050) == 0.5)
    #expect(abs(rate.period - 1 / 44_100.0) < 1e-18)
    #expect(SampleRate.standard.hertz == 48_000)
  }

  @Test func `a duration is held by whole frames`() {
    let rate = SampleRate(hertz: 1000)
    #expect(rate.wholeFrames(0) == 0)
    #expect(rate.wholeFrames(0.25) == 250)
    #expect(rate.wholeFrames(0.2501) == 251)
  }

  @Test func `a rate prints its unit and a fraction only where it has one`() {
    #expect(SampleRate(hertz: 48_000).description == "48000 Hz")
    #expect(SampleRate(hertz: 47_999.5).description == "47999.5 Hz")
  }

  // As bits: what is passed to the other process goes through JSON, which has no infinity.
  @Test(arguments: [0, -1, Double.nan, .infinity].map(\.bitPattern))
  func `a rate that is none is a programmer's error`(bits: UInt64) async {
    await #expect(processExitsWith: .failure) { [bits] in
      _ = SampleRate(hertz: Double(bitPattern: bits))
    }
  }
}

struct SignalTests {
  @Test func `a signal lasts as long as its samples`() {
    let signal = Signal(
      samples: [Float](repeating: 0, count: 480), rate: .standard, unit: .volt)
    #expect(signal.duration == 0.01)
    #expect(Signal(samples: [], rate: .standard, unit: .volt).duration == 0)
  }
}
