// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
import Devices
import Glibc
import HapticRendering
import Perception
import Profiles
import SeededRandom
import Testing
import Units

/// What a pattern asks for by itself is compared with the limits before anything plays.
struct NominalDriveTests {
  /// 2 V for ever and a peak of 3 V make a safe full scale of 2.83 V of a tone.
  private static let volts = 2 * 2.0.squareRoot()

  private func builder(
    slope: Double?, kind: ActuatorKind = .lra, laws: RenderConfiguration = .init(),
    hasProbe: Bool = false
  ) -> TakeBuilder {
    TakeBuilder(
      rig: Rigs.described(
        kind: kind, limits: DriveLimits(continuousVolts: 2, peakVolts: 3, slope: slope)),
      laws: laws, hasProbe: hasProbe)
  }

  /// The sentence with which a pattern is refused; `nil` where it is not.
  private func sentence(_ events: [String], _ builder: TakeBuilder) throws -> String? {
    let pattern = try Rigs.pattern(events)
    do throws(InputError) {
      try builder.checkLimits(of: [pattern])
      return nil
    } catch {
      return error.description
    }
  }

  /// A curve of the pattern.
  private func curve(_ name: String, _ points: [(Double, Double)]) -> String {
    let list = points.map { "{\"Time\": \($0.0), \"ParameterValue\": \($0.1)}" }
    return """
      {"ParameterCurve": {"ParameterID": "\(name)", "Time": 0,
      "ParameterCurveControlPoints": [\(list.joined(separator: ", "))]}}
      """
  }

  @Test func `without a slope limit the strongest events keep every limit`() throws {
    let events = [
      AHAPText.buzz(at: 0, duration: 20, sharpness: 1), AHAPText.tap(at: 21, sharpness: 1),
    ]
    for kind in ActuatorKind.allCases {
      #expect(try sentence(events, builder(slope: nil, kind: kind)) == nil, "\(kind)")
    }
  }

  /// A profile of a textbook resonator with a slope limit.
  private func profile(slope: Double) throws -> CalibrationProfile {
    func exact(_ value: Double, _ unit: ProfileUnit) -> MeasuredQuantity {
      MeasuredQuantity(value, unit, uncertainty: 0)
    }
    let model = ActuatorModel(
      kind: .resonator,
      modes: [
        .init(
          f0: exact(150, .hertz), q: exact(10, .one),
          gain: exact(5, .metrePerSecondSquaredPerVolt))
      ], delay: exact(0, .second))
    return CalibrationProfile(
      actuator: Actuator(
        id: "a", model: "m",
        limits: DriveLimits(continuousVolts: 2, peakVolts: 3, slope: slope)),
      rig: "r", model: model,
      feedForward: try #require(FeedForward(inverting: model)),
      ceiling: ReachableCeiling(
        points: [60, 250].map { .init(frequency: $0, acceleration: 50, binding: .peak) }),
      laws: ProfileLaws(referenceLevel: 24),
      uncertainty: UncertaintyBudget(lines: []),
      source: ProfileSource(run: "", hash: "", program: "", date: ""))
  }

  @Test func `with a profile the drive that lasts is held against the limits`() throws {
    let resonance = log(150.0 / 80) / log(230.0 / 80)
    let events = [AHAPText.buzz(at: 0, duration: 0.5, intensity: 1, sharpness: resonance)]
    // At its resonance g volts give 5 g m/s2: the target over 5 is the amplitude in volts.
    let target = ProfileLaws(referenceLevel: 24).target.acceleration(intensity: 1, frequency: 150)
    let slope = 2 * .pi * 150 * target / 5
    for (share, isRefused) in [(0.95, true), (1.05, false)] {
      let builder = TakeBuilder(
        rig: Rigs.described(
          kind: .lra, limits: DriveLimits(continuousVolts: 2, peakVolts: 3)),
        profile: try profile(slope: share * slope), hasProbe: false)
      #expect((try sentence(events, builder) != nil) == isRefused, "\(share)")
    }
  }

  @Test func `events that only together exceed a limit are not refused`() throws {
    let steepest = 2 * .pi * 230 * Self.volts
    let events = (0..<8).map { _ in AHAPText.buzz(at: 0, duration: 0.4, sharpness: 1) }
    #expect(try sentence(events, builder(slope: 1.001 * steepest)) == nil)
  }

  // A tone's slope is 2 pi f A, and A is the square of the intensity times the safe full scale.
  @Test(arguments: [(0.0, 1.0), (0.5, 1), (1, 1), (1, 0.3), (0.3, 0.6)])
  func `a steady vibration is refused exactly where its slope passes the limit`(
    sharpness: Double, intensity: Double
  ) throws {
    let frequency = 80 * pow(230.0 / 80, sharpness)
    let steepest = 2 * .pi * frequency * intensity * intensity * Self.volts
    let events = [
      AHAPText.buzz(at: 0.25, duration: 1, intensity: intensity, sharpness: sharpness)
    ]
    #expect(try sentence(events, builder(slope: 1.001 * steepest)) == nil)
    #expect(try sentence(events, builder(slope: 0.999 * steepest)) != nil)
  }

  @Test func `a tap is refused by the slope of its first moment`() throws {
    let steepest = 2 * .pi * 230 * Self.volts
    let events = [AHAPText.tap(at: 0, sharpness: 1)]
    #expect(try sentence(events, builder(slope: 1.001 * steepest)) == nil)
    #expect(try sentence(events, builder(slope: 0.999 * steepest)) != nil)
  }

  // With bursts of a millisecond at 80 Hz the fall is steeper than the tone.
  @Test(arguments: [1e-3, 2e-3, 5e-3, 22e-3], [0.0, 1])
  func `the slope of a tap is that of its waveform as drawn`(
    length: Double, sharpness: Double
  ) throws {
    let (rate, frequency) = (4e6, 80 * pow(230.0 / 80, sharpness))
    let wave = (0...Int(length * rate)).map { index in
      let time = Double(index) / rate
      return Self.volts * sin(2 * .pi * frequency * time) * (1 + cos(.pi * time / length)) / 2
    }
    let steepest = zip(wave, wave.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) } * rate
    let laws = RenderConfiguration(transientShape: TransientShape(length: length))
    let events = [AHAPText.tap(at: 0, sharpness: sharpness)]
    #expect(try sentence(events, builder(slope: 1.002 * steepest, laws: laws)) == nil)
    #expect(try sentence(events, builder(slope: 0.998 * steepest, laws: laws)) != nil)
  }

  @Test func `curves count where amplitude times frequency is highest`() throws {
    // The intensity halves while the frequency nearly trebles: the highest product comes after 0.1 s.
    let events = [
      AHAPText.buzz(at: 0, duration: 1, intensity: 1, sharpness: 0),
      curve("HapticIntensityControl", [(0, 1), (1, 0.5)]),
      curve("HapticSharpnessControl", [(0, 0), (1, 1)]),
    ]
    let steepest = (0...100_000).reduce(0.0) { highest, step in
      let time = Double(step) / 100_000
      let intensity = 1 - 0.5 * time
      return max(
        highest, 2 * .pi * 80 * pow(230.0 / 80, time) * intensity * intensity * Self.volts)
    }
    #expect(try sentence(events, builder(slope: 1.0001 * steepest)) == nil)
    #expect(try sentence(events, builder(slope: 0.9999 * steepest)) != nil)
  }

  @Test func `a moment between the points of a curve is found`() throws {
    // Both rise and fall against each other: the highest product lies inside.
    let events = [
      AHAPText.buzz(at: 0, duration: 1, intensity: 1, sharpness: 0),
      curve("HapticIntensityControl", [(0, 0.6), (1, 0.5)]),
      curve("HapticSharpnessControl", [(0, 0), (0.5, 1), (1, 0)]),
    ]
    let told = try #require(try sentence(events, builder(slope: 100)))
    let time = try #require(told.firstMatch(of: /V\/s at ([0-9.]+) s/)?.output.1)
    #expect(time == "0.5", "\(told)")
  }

  @Test func `what is told names file, event, actuator, limit, value and remedy`() throws {
    let events = [
      AHAPText.tap(at: 0, intensity: 0.1), AHAPText.buzz(at: 0.25, duration: 1, sharpness: 1),
      AHAPText.tap(at: 2),
    ]
    let told = try #require(try sentence(events, builder(slope: 100)))
    // 2 pi 230 Hz 2.828 V; sqrt(100 / 4087) = 0.1564.
    #expect(
      told.contains("/pattern.ahap: event 1 (HapticContinuous at 0.25 s) asks for"), "\(told)")
    #expect(told.contains("a slope of 4087 V/s at 0.251 s, with 2.828 V at 230 Hz"), "\(told)")
    #expect(
      told.contains("the actuator 'one' on drive channel 1 bears 100 V/s ('limits.slope'): "),
      "\(told)")
    #expect(told.contains("lower its intensity there to 0.156 or less"), "\(told)")
    #expect(told.contains("or raise 'limits.slope' if the actuator's data sheet allows"), "\(told)")
    #expect(told.hasSuffix("; 1 other event of it ask too much"), "\(told)")
  }

  @Test(arguments: ["square", "linear", "sone"])
  func `the intensity that is told keeps the limit`(law: String) throws {
    var random = SeededRandom(seed: 0x11AB)
    for _ in 0..<20 {
      let sharpness = random.uniform(0...1)
      let laws = RenderConfiguration(intensityLaw: try #require(.init(rawValue: law)))
      let builder = builder(slope: random.uniform(50...900), laws: laws)
      func events(_ intensity: Double) -> [String] {
        [AHAPText.buzz(at: 0, duration: 1, intensity: intensity, sharpness: sharpness)]
      }
      let told = try #require(try sentence(events(1), builder))
      let lower = try #require(told.firstMatch(of: /there to ([0-9.]+) or less/)?.output.1)
      let intensity = try #require(Double(lower))
      #expect(try sentence(events(intensity), builder) == nil, "\(random): \(told)")
      #expect(try sentence(events(intensity + 0.002), builder) != nil, "\(random): \(told)")
    }
  }

  @Test func `an actuator that no pattern can drive is only told when one needs it`() throws {
    let builder = builder(slope: 1e-5)
    #expect(try sentence([AHAPText.buzz(at: 0, duration: 1, intensity: 0)], builder) == nil)
    let told = try #require(try sentence([AHAPText.tap(at: 0, sharpness: 0)], builder))
    #expect(!told.contains("lower its intensity"), "\(told)")
    #expect(told.contains("raise 'limits.slope'"), "\(told)")
  }

  // A step of 2 V spread over a millisecond is 2000 V/s.
  @Test func `a motor's steps count over a millisecond`() throws {
    for event in [AHAPText.tap(at: 0), AHAPText.buzz(at: 0.2, duration: 1)] {
      #expect(try sentence([event], builder(slope: 2_010, kind: .erm)) == nil)
      let told = try #require(try sentence([event], builder(slope: 1_990, kind: .erm)))
      #expect(told.contains("a slope of 2000 V/s"), "\(told)")
      #expect(told.contains("with 2 V, and"), "\(told)")
    }
  }

  @Test func `a motor's slow swell keeps a limit that a step does not`() throws {
    let events = [
      AHAPText.buzz(at: 0, duration: 1, intensity: 1),
      curve("HapticIntensityControl", [(0, 0), (0.5, 1), (1, 0)]),
    ]
    // The square of a line from 0 to 1 in half a second is at most 4 a second steep: 8 V/s.
    #expect(try sentence(events, builder(slope: 8.1, kind: .erm)) == nil)
    #expect(try sentence(events, builder(slope: 7.8, kind: .erm)) != nil)
  }

  @Test func `a drive that keeps its slope limit is held back at most where it sets in and ends`()
    throws
  {
    let builder = builder(slope: 1_000)
    let events = [
      AHAPText.buzz(at: 0, duration: 1, intensity: 0.49, sharpness: 1),
      AHAPText.tap(at: 1.5, intensity: 0.8, sharpness: 0),
    ]
    let pattern = try Rigs.pattern(events)
    try builder.checkLimits(of: [pattern])
    // A millisecond of attack and one of release.
    #expect(builder.build(pattern).limited.slope < 96)
  }

  @Test func `the probe is lowered to what the slope limit allows`() throws {
    let builder = builder(slope: 1_000, hasProbe: true)
    let pattern = try Rigs.pattern([AHAPText.tap(at: 0, intensity: 0.3, sharpness: 0)])
    try builder.checkLimits(of: [pattern])
    let take = builder.build(pattern)
    #expect(take.limited.slope == 0)
    let haptic = try #require(take.channels[.haptic])
    let probe = try #require(take.layout.probe)
    let volts = haptic[probe..<(probe + take.layout.probeLength)].map { 4 * Double($0) }
    let steepest = zip(volts, volts.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) } * 48_000
    #expect((990...1_000).contains(steepest), "\(steepest) V/s")
  }

  @Test func `a probe that hardly anything is left of is refused`() throws {
    let soft = [AHAPText.tap(at: 0, intensity: 0.05, sharpness: 0)]
    let told = try #require(try sentence(soft, builder(slope: 100, hasProbe: true)))
    #expect(told.contains("rig bench: the actuator 'one' on drive channel 1 bears"), "\(told)")
    #expect(told.contains("which leaves the probe that identifies it 2.35"), "\(told)")
    #expect(told.contains("write 'probe: false' in a plan"), "\(told)")
    #expect(try sentence(soft, builder(slope: 100)) == nil)
  }
}
