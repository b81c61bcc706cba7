// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Glibc
import HapticRendering
import SeededRandom
import Testing
import Units

/// What is measured of recordings whose every number is known.
struct TakeAnalysisTests {
  private static let whole = Result { try Measured() }

  private var measured: Measured { get throws { try Self.whole.get() } }

  @Test func `electrical, transport and rise are those of the plant, to a microsecond`() throws {
    let measured = try measured
    let plant = measured.plant
    try measured.expect(.latencyElectrical, is: plant.electrical, within: 1e-6)
    try measured.expect(.latencyTransport, is: plant.transport, within: 5e-6)
    // ln 9 decay times from 10 to 90 % of an envelope that goes as 1 - exp(-t / tau).
    try measured.expect(.latencyRise, is: log(9) * plant.decayTime, within: 2e-4)
  }

  @Test func `delays of any plant are found again within their uncertainties`() throws {
    var random = SeededRandom(seed: 0xde1a)
    for round in 0..<3 {
      let plant = SyntheticPlant(
        electrical: random.uniform(0.2e-3...0.1), transport: random.uniform(0.05e-3...3e-3),
        driftPPM: random.uniform(-50...50), frequency: random.uniform(90...230),
        q: random.uniform(4...14), noise: random.uniform(0.002...0.1), seed: random.next())
      let measured = try Measured(
        plant, events: [AHAPText.tap(at: 0)], rate: SampleRate(hertz: 24_000))
      let electrical = try measured.reading(.latencyElectrical)
      let value = try #require(electrical.value, "\(random), round \(round): \(plant)")
      let spread = try #require(electrical.uncertainty)
      #expect(
        abs(value - plant.electrical) < 5 * spread + 2e-8, "\(random), round \(round): \(plant)")
      let transport = try measured.reading(.latencyTransport)
      let delay = try #require(
        transport.value, "\(random), round \(round): \(plant), \(transport.note ?? "")")
      #expect(abs(delay - plant.transport) < 1e-4, "\(random), round \(round): \(plant)")
    }
  }

  @Test(arguments: [-40.0, 0, 100])
  func `drift is the slope of the delay between the markers`(ppm: Double) throws {
    let plant = SyntheticPlant(driftPPM: ppm)
    let measured = try Measured(plant, events: [AHAPText.tap(at: 0)], hasProbe: false)
    try measured.expect(.drift, is: ppm, within: 1, floor: 0.05)
    try measured.expect(.latencyElectrical, is: plant.electrical, within: 2e-6, floor: 1e-8)
  }

  @Test func `the noise floor is the noise, the offset apart`() throws {
    try measured.expect(.noiseFloor, is: measured.plant.noise, within: 5e-4)
  }

  @Test func `an isolated tap sets in where the plant first passes a tenth of its peak`() throws {
    let measured = try measured
    let fine = 8
    let motion = measured.plant.motion(measured.take, volts: 4, oversampling: fine)
    for (event, time) in [(0, 0.0), (2, 0.3), (3, 0.6)] {
      let start = (Double(measured.take.layout.pattern) + time * 48_000) * Double(fine)
      let end = Int(start) + (event == 3 ? 19_200 : 9_600) * fine
      let level = 0.1 * motion[Int(start)..<end].reduce(0) { max($0, abs($1)) }
      let passing = try #require(motion[Int(start)...].firstIndex { abs($0) > level })
      let share =
        (level - abs(motion[passing - 1])) / (abs(motion[passing]) - abs(motion[passing - 1]))
      let frame = (Double(passing - 1) + share) / Double(fine)
      let truth = frame / 48_000 - start / Double(fine) / 48_000 - measured.plant.electrical
      try measured.expect(.latencyOnset, event: event, is: truth, within: 2e-5, floor: 1e-6)
      let figure = try #require(measured.result.figure.events.first { $0.index == event }?.onset)
      #expect(abs(figure - time - truth) < 2e-5)
    }
  }

  @Test func `sync is the haptic delay less the sound's, which a pattern cannot move`() throws {
    let plant = SyntheticPlant()
    let truth = plant.electrical + plant.transport - plant.sound
    try measured.expect(.syncAudioHaptic, event: 1, is: truth, within: 1e-5)
    let moved = try Measured(
      plant, events: [AHAPText.sound("burst.wav", at: 0), AHAPText.tap(at: 0.2)])
    try moved.expect(.syncAudioHaptic, event: 0, is: truth, within: 1e-5)
  }

  @Test func `a sensor's own delay is no latency of the rig`() throws {
    var rig = Rigs.described()
    rig.capture.channels[0].sensor = .init(sensitivity: 0.001, delay: 0.3e-3)
    let measured = try Measured(rig: rig)
    let plant = measured.plant
    try measured.expect(
      .latencyTransport, is: plant.transport - 0.3e-3, within: 5e-6)
    // The onset likewise: 0.3 ms before that of a sensor without a delay.
    let plain = try Measured().reading(.latencyOnset, event: 0).value
    try measured.expect(
      .latencyOnset, event: 0, is: try #require(plain) - 0.3e-3, within: 1e-6)
    try measured.expect(
      .syncAudioHaptic, event: 1, is: plant.electrical + plant.transport - 0.3e-3 - plant.sound,
      within: 1e-5)
  }

  @Test func `peak and frequency are those of the motion`() throws {
    let measured = try measured
    let motion = measured.plant.motion(measured.take, volts: 4)
    let start = measured.take.layout.pattern
    let peak = motion[start..<(start + 48 * 40)].reduce(0) { max($0, abs($1)) }
    let reading = try measured.reading(.responsePeak, event: 0)
    #expect(abs(try #require(reading.value) - peak) < 6 * measured.plant.noise)
    let buzz = try measured.reading(.responseFrequency, event: 3)
    // Sharpness 0.7 asks for 80 (230/80)^0.7 = 167.6 Hz.
    #expect(abs(try #require(buzz.value) - 80 * pow(230.0 / 80, 0.7)) < 2)
  }

  @Test func `a faithful plant correlates with the intent and keeps quiet between`() throws {
    let correlation = try #require(try measured.reading(.envelopeCorrelation).value)
    #expect((0.8...1).contains(correlation))
    #expect(try #require(try measured.reading(.energyOutside).value) < -10)
  }

  @Test func `nothing is lost, clipped or limited, and that is measured`() throws {
    for kind in [ReadingKind.dropouts, .xruns, .overloads, .driveLimited] {
      #expect(try measured.reading(kind).value == 0, "\(kind.rawValue)")
    }
  }

  @Test func `every reading names its pattern and take, and none is judged`() throws {
    let readings = try measured.result.readings
    #expect(readings.allSatisfy { $0.pattern == "pattern" && $0.take == 1 })
    #expect(readings.allSatisfy { $0.limit == nil })
    #expect(readings.allSatisfy { ($0.value == nil) == ($0.verdict == .notMeasured) })
    #expect(readings.allSatisfy { $0.value != nil || $0.note?.isEmpty == false })
  }

  @Test func `the same inputs give the same readings and pictures`() throws {
    let again = try Measured()
    #expect(try again.result.readings == measured.result.readings)
    #expect(try again.result.figure == measured.result.figure)
  }
}
