private import Glibc

/// An intent as a device can express it, and what got lost on the way there.
///
/// Scoring compares the response with `tones`; the loss is the device's own, and is reported apart.
public struct QuantisedIntent: Sendable, Hashable {
  /// What got lost; every number is 0 where the device can express all.
  public struct Loss: Sendable, Hashable {
    /// Root mean square of 20 log10(expressed / intended), in dB, where both are driven.
    public var level: Double
    /// Root mean square of log2(expressed / intended), in octaves, where both are driven.
    public var frequency: Double
    /// Share of the driven time in which the device is silent, 0 to 1.
    public var silenced: Double
    /// Share of the silent time in which the device still drives, 0 to 1.
    public var prolonged: Double
    /// Seconds that commands wait at most: one update interval.
    public var delay: Double
    /// Samples where both are driven: what `level` and `frequency` rest on.
    public var sampleCount: Int
  }

  /// The device's tones, one for each of the intent's.
  public let tones: [DriveTone]
  /// What got lost.
  public let loss: Loss

  /// Lays an intent on a device's grid.
  ///
  /// The device takes a command at time 0 and then each update interval, and holds it until the next. A
  /// command is the tone nearest to the mean of the intent over its interval (`DriveTone.mean`).
  ///
  /// - Parameters:
  ///   - intent: Tones at equal steps of time.
  ///   - step: Seconds between two.
  ///   - drive: What the device can express.
  public init(_ intent: [DriveTone], step: Double, by drive: ExpressibleDrive) {
    precondition(step > 0, "a step of \(step) s")
    var tones: [DriveTone] = []
    tones.reserveCapacity(intent.count)
    while tones.count < intent.count {
      let first = tones.count
      let update = (Double(first) * step / drive.updateInterval + 1e-6).rounded(.down) + 1
      let next = (update * drive.updateInterval / step - 1e-6).rounded(.up)
      let last = next < Double(intent.count) ? max(first + 1, Int(next)) : intent.count
      let held = drive.nearest(.mean(of: intent[first..<last]))
      tones.append(contentsOf: repeatElement(held, count: last - first))
    }
    self.tones = tones
    loss = Self.loss(intent, tones, delay: drive.updateInterval)
  }

  private static func loss(
    _ intent: [DriveTone], _ tones: [DriveTone], delay: Double
  ) -> Loss {
    var levels = 0.0
    var octaves = 0.0
    var both = 0
    var driven = 0
    var silenced = 0
    var prolonged = 0
    for (wanted, made) in zip(intent, tones) {
      guard wanted.amplitude > 0 else {
        if made.amplitude > 0 { prolonged += 1 }
        continue
      }
      driven += 1
      guard made.amplitude > 0 else {
        silenced += 1
        continue
      }
      both += 1
      let level = 20 * log10(made.amplitude / wanted.amplitude)
      levels += level * level
      let octave = wanted.frequency > 0 ? log2(made.frequency / wanted.frequency) : 0
      octaves += octave * octave
    }
    let silent = intent.count - driven
    return Loss(
      level: both > 0 ? (levels / Double(both)).squareRoot() : 0,
      frequency: both > 0 ? (octaves / Double(both)).squareRoot() : 0,
      silenced: driven > 0 ? Double(silenced) / Double(driven) : 0,
      prolonged: silent > 0 ? Double(prolonged) / Double(silent) : 0, delay: delay,
      sampleCount: both)
  }
}
