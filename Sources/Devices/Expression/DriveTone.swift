private import Glibc

/// A tone as an intent asks for it, or a device makes it.
public struct DriveTone: Sendable, Hashable {
  /// Hertz.
  public var frequency: Double
  /// 0 to 1 of the device's safe highest.
  public var amplitude: Double

  /// Makes a tone.
  public init(frequency: Double, amplitude: Double) {
    self.frequency = frequency
    self.amplitude = amplitude
  }
}

extension DriveTone {
  /// The tone of the same energy as several of one length each: silent where all are.
  ///
  /// The effective amplitude, and the mean frequency in octaves, each weighted by its energy. An amplitude
  /// that is no number or below zero is silence. Where none has a frequency, as a motor's drive, which is a
  /// strength and no tone, the amplitude is the plain mean.
  public static func mean(of tones: some Sequence<DriveTone>) -> DriveTone {
    var count = 0
    var energy = 0.0
    var octaves = 0.0
    var pitched = 0.0
    var strength = 0.0
    for tone in tones {
      count += 1
      guard tone.amplitude > 0 else { continue }
      let share = tone.amplitude * tone.amplitude
      energy += share
      strength += tone.amplitude
      guard tone.frequency > 0 else { continue }
      octaves += share * log2(tone.frequency)
      pitched += share
    }
    return DriveTone(
      frequency: pitched > 0 ? exp2(octaves / pitched) : 0,
      amplitude: count == 0
        ? 0 : pitched > 0 ? (energy / Double(count)).squareRoot() : strength / Double(count))
  }
}
