// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Perception
public import Units

/// What can be set of the methods: one table for commands, presets and sliders.
///
/// The raw value is the key in a preset.
public enum ComposeParameter: String, Sendable, Hashable, CaseIterable {
  case headroom
  case dynamics
  case gate
  case lowest
  case highest
  case attack
  case hold
  case release
  case noiseMargin
  case threshold
  case spacing
  case tapHeadroom
  case ducking
  case levelTolerance
  case sharpnessTolerance

  /// The unit of the value.
  public var unit: MeasurementUnit { row.unit }
  /// The values that it may have.
  public var range: ClosedRange<Double> { row.range }
  /// What it does, in a sentence.
  public var about: String { row.about }
  /// The methods that it acts on.
  public var methods: Set<ComposeMethod> { Set(row.standard.keys) }

  /// The value that it has unless another is set; nil where the method does not use it.
  public func standard(for method: ComposeMethod) -> Double? { row.standard[method] }

  private struct Row {
    let unit: MeasurementUnit
    let range: ClosedRange<Double>
    let standard: [ComposeMethod: Double]
    let about: String
  }

  /// The difference of sharpness that is just noticed, where it spans 80 to 230 Hz.
  private static let noticedSharpness = JustNoticeable.octaves / log2(230.0 / 80)
  private static let every = ComposeMethod.allCases
  private static let layered: [ComposeMethod] = [.envelope, .bands, .pitch]
  private static let tapping: [ComposeMethod] = [.envelope, .bands, .onsets]

  private static func all(
    _ methods: [ComposeMethod], _ value: Double, but others: [ComposeMethod: Double] = [:]
  ) -> [ComposeMethod: Double] {
    Dictionary(uniqueKeysWithValues: methods.map { ($0, others[$0] ?? value) })
  }

  private var row: Row {
    switch self {
    case .headroom:
      Row(
        unit: .decibel, range: 0...30, standard: Self.all(Self.layered, 8),
        about: "how far above the loudness of the whole sound the vibration is at full intensity")
    case .dynamics:
      Row(
        unit: .one, range: 0.1...2, standard: Self.all(Self.every, 1, but: [.bands: 0.5]),
        about: "how many dB of vibration one dB of sound is worth")
    case .gate:
      Row(
        unit: .decibel, range: -70...(-10), standard: Self.all(Self.every, -46),
        about: "the level of the sound, below that of full intensity, under which nothing is played"
      )
    case .lowest:
      Row(
        unit: .hertz, range: 20...2_000, standard: Self.all(Self.every, 60),
        about: "the frequency of the sound that has sharpness 0")
    case .highest:
      Row(
        unit: .hertz, range: 200...16_000,
        standard: Self.all(Self.every, 6_000, but: [.pitch: 3_000]),
        about: "the frequency of the sound that has sharpness 1")
    case .attack:
      Row(
        unit: .second, range: 0...0.1, standard: Self.all(Self.layered, 0.0025),
        about: "the time in which the level follows a rise, to 63 %")
    case .hold:
      Row(
        unit: .second, range: 0...0.2, standard: Self.all(Self.layered, 0.0125),
        about: "how long the level stays before it falls")
    case .release:
      Row(
        unit: .second, range: 0.005...2, standard: Self.all(Self.layered, 0.1),
        about: "the time in which the level falls by 40 dB")
    case .noiseMargin:
      Row(
        unit: .decibel, range: 0...30, standard: [.bands: 9],
        about: "how far above its own steady noise a band must be to count")
    case .threshold:
      Row(
        unit: .decibel, range: 0.05...20,
        standard: Self.all(Self.tapping, 4, but: [.onsets: 0.75]),
        about: "how much bands must rise within 10 ms for a tap")
    case .spacing:
      Row(
        unit: .second, range: 0.02...1,
        standard: Self.all(Self.tapping, 0.1, but: [.onsets: 0.03]),
        about: "the shortest time between two taps")
    case .tapHeadroom:
      Row(
        unit: .decibel, range: 0...30, standard: Self.all(Self.tapping, 14),
        about: "how far above the loudness of the whole sound a tap is at full intensity")
    case .ducking:
      Row(
        unit: .second, range: 0.005...0.2, standard: Self.all([.envelope, .bands], 0.025),
        about: "how long the vibration makes room for a tap")
    case .levelTolerance:
      Row(
        unit: .decibel, range: 0.1...JustNoticeable.level.value,
        standard: Self.all(Self.layered, 0.6, but: [.bands: 0.4]),
        about: "how far a curve may be from the level that it draws")
    case .sharpnessTolerance:
      Row(
        unit: .one, range: 0.005...Self.noticedSharpness, standard: Self.all(Self.layered, 0.08),
        about: "how far a curve may be from the sharpness that it draws")
    }
  }
}
