// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Perception
public import Units

/// Everything that decides how a timeline becomes samples, by name; records carry it.
public struct RenderConfiguration: Sendable, Equatable {
  /// What the actuator is driven with.
  public enum Waveform: String, Sendable, Hashable {
    /// A tone at the frequency of the sharpness: resonant actuators, voice coils, piezo.
    case tone
    /// The strength itself as a voltage: eccentric rotating masses.
    case level
  }

  /// Frames a second.
  public var rate: SampleRate
  /// What the actuator is driven with.
  public var waveform: Waveform
  /// Sharpness to frequency.
  public var sharpnessLaw: SharpnessLaw
  /// Intensity to amplitude.
  public var intensityLaw: IntensityLaw
  /// Attack, decay and release to seconds.
  public var envelopeLaw: EnvelopeLaw
  /// How a transient is drawn.
  public var transientShape: TransientShape
  /// How events that sound together become one drive.
  public var mixingLaw: MixingLaw
  /// The drive of intensity 1: the safe full scale as a share of the device's.
  public var fullScale: Double
  /// Whether `HapticSharpnessControl` moves transients too; Apple's article says no.
  public var sharpnessControlMovesTransients: Bool
  /// The pitch of an `AudioContinuous` event at `AudioPitch` 0, in hertz; Apple publishes none.
  public var toneFrequency: Double
  /// How many events may sound at once; further ones are left out, counted and named
  /// (`HapticRenderer.droppedEventIndices`).
  public var voiceLimit: Int
  /// The profile of the actuator; `nil` drives it uncalibrated, by shares of the full scale.
  public var profile: ProfileRendering?

  /// Makes a configuration; what is not given has haprig's documented default.
  public init(
    rate: SampleRate = .standard, waveform: Waveform = .tone,
    sharpnessLaw: SharpnessLaw = .log80To230, intensityLaw: IntensityLaw = .square,
    envelopeLaw: EnvelopeLaw = .standard, transientShape: TransientShape = .standard,
    mixingLaw: MixingLaw = .standard, fullScale: Double = 1,
    sharpnessControlMovesTransients: Bool = false,
    toneFrequency: Double = 220, voiceLimit: Int = 128, profile: ProfileRendering? = nil
  ) {
    self.rate = rate
    self.waveform = waveform
    self.sharpnessLaw = sharpnessLaw
    self.intensityLaw = intensityLaw
    self.envelopeLaw = envelopeLaw
    self.transientShape = transientShape
    self.mixingLaw = mixingLaw
    self.fullScale = fullScale
    self.sharpnessControlMovesTransients = sharpnessControlMovesTransients
    self.toneFrequency = toneFrequency
    self.voiceLimit = voiceLimit
    self.profile = profile
  }

  /// The names of the laws, as records carry them.
  public var lawNames: [String: String] {
    [
      "sharpness": sharpnessLaw.name, "intensity": intensityLaw.name,
      "envelope": envelopeLaw.name, "transient": transientShape.name,
      "mixing": mixingLaw.name, "waveform": waveform.rawValue, "tone": "\(toneFrequency) Hz",
      "sharpnessControlOnTransients": sharpnessControlMovesTransients ? "yes" : "no",
    ]
  }
}

/// How the normalized attack, decay and release values become seconds: t(v) = shortest (longest/shortest)^v.
///
/// Apple says only that time grows exponentially with the value and that 1 is not one second; both
/// ends are choices, and the law's name is in every record.
public struct EnvelopeLaw: Sendable, Equatable {
  /// The time of value 0, in seconds.
  public let shortest: Double
  /// The time of value 1, in seconds.
  public let longest: Double

  /// Makes a law.
  public init(shortest: Double, longest: Double) {
    precondition(0 < shortest && shortest <= longest, "0 < \(shortest) <= \(longest) is needed")
    self.shortest = shortest
    self.longest = longest
  }

  /// One millisecond to one second.
  public static let standard = EnvelopeLaw(shortest: 1e-3, longest: 1)

  /// The name that records carry.
  public var name: String { "exponential \(shortest) s to \(longest) s" }

  /// The seconds of a value; the value is limited to 0...1.
  public func seconds(_ value: Double) -> Double {
    shortest * pow(longest / shortest, min(1, max(0, value)))
  }
}

/// How a transient is drawn: a burst whose strength falls as half a raised cosine.
///
/// a(t) = A sin(2 pi f t) (1 + cos(pi t / T)) / 2 for 0 <= t < T. It starts at full strength, ends at
/// zero with zero slope, and is a sum of three sines, so that it renders by recurrence.
public struct TransientShape: Sendable, Equatable {
  /// The length T in seconds.
  public let length: Double

  /// Makes a shape.
  public init(length: Double) {
    precondition(length > 0, "a transient needs a length, not \(length) s")
    self.length = length
  }

  /// 22 ms, as MPEG's reference software draws a transient.
  public static let standard = TransientShape(length: 22e-3)

  /// The name that records carry.
  public var name: String { "half-hann \(length) s" }

  /// The share of the amplitude at an age in seconds: (1 + cos(pi t / T)) / 2 in the burst, else 0.
  public func weight(at age: Double) -> Double {
    age >= 0 && age < length ? 0.5 * (1 + cos(.pi * age / length)) : 0
  }
}

/// How events that sound together become one drive.
///
/// They add. The sum is counted in units of full scale, the drive of intensity 1
/// (`RenderConfiguration.fullScale`): up to the knee it is left as it is, to the bit; above, a soft
/// limit takes it towards the ceiling, which it never reaches:
///
///     y = knee + (ceiling - knee) t / (t + ceiling - knee),   t = |x| - knee
///
/// whose slope is 1 at the knee. The knee is at least 1, so one event alone is never changed. While a
/// tap sounds, vibrations may be lowered (*ducked*): their amplitude is multiplied by
/// 1 - (1 - d) w, w the weight of the tap that began last (`TransientShape.weight(at:)`), 1 at its
/// start, so the greatest of all that sound. A tap of intensity 0 ducks nothing. Taps are never
/// ducked, nor is sound.
///
/// The limit belongs to the drawing: it bends the waveform's crests, and the drive may still pass full
/// scale, up to the ceiling; what a device or an actuator does not bear is for the drive limiter.
/// Ducking belongs to the intent as well: `Intent.weight(of:at:)` has it.
public struct MixingLaw: Sendable, Equatable {
  /// What is done to sums above full scale.
  public enum Limit: Sendable, Equatable {
    case none
    /// The soft limit, its knee and ceiling in units of full scale.
    case soft(knee: Double, ceiling: Double)
  }

  /// What is done to sums above full scale.
  public let limit: Limit
  /// What a tap leaves of the vibrations at its start, d, 0...1; 1 lowers nothing.
  public let ducking: Double

  /// Makes a law.
  public init(limit: Limit, ducking: Double = 1) {
    if case .soft(let knee, let ceiling) = limit {
      precondition(1 <= knee && knee < ceiling, "1 <= \(knee) < \(ceiling) is needed")
    }
    precondition((0...1).contains(ducking), "ducking is 0 to 1, not \(ducking)")
    self.limit = limit
    self.ducking = ducking
  }

  /// The sum, softly limited from 1 to 1.5 times full scale; the default.
  public static let standard = MixingLaw(limit: .soft(knee: 1, ceiling: 1.5))
  /// The sum and nothing else.
  public static let sum = MixingLaw(limit: .none)
  /// The soft limit, with vibrations at 80 % under taps.
  public static let ducked = standard.ducking(metaDucking)
  /// What Meta's and Lofelt's exporters leave of the vibration under an emphasis.
  public static let metaDucking = 0.8

  /// The same law with another ducking.
  public func ducking(_ ducking: Double) -> MixingLaw { MixingLaw(limit: limit, ducking: ducking) }

  /// The name that records carry.
  public var name: String {
    let summing =
      switch limit {
      case .none: "sum"
      case .soft(let knee, let ceiling): "soft limit \(knee) to \(ceiling)"
      }
    return ducking < 1 ? "\(summing), ducking \(ducking)" : summing
  }

  /// What the limit makes of a sum, both in units of full scale.
  public func limited(_ sum: Double) -> Double {
    guard case .soft(let knee, let ceiling) = limit, sum.magnitude > knee else { return sum }
    let (above, room) = (sum.magnitude - knee, ceiling - knee)
    return (knee + room * above / (above + room)) * (sum < 0 ? -1 : 1)
  }
}
