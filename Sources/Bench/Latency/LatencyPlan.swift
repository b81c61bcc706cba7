import Devices
import SignalAnalysis
import Units

/// How the electrical loop is measured: sweeps on the reference output, several streams of them.
public struct LatencyPlan: Sendable, Equatable {
  /// How often the devices are started anew.
  public var restarts: Int
  /// The length of one stream in seconds.
  public var duration: Double

  /// Time between the starts of two sweeps in seconds, on average.
  public static let interval = 0.4
  /// How much later every second sweep begins, in seconds: a delay of a whole interval then shows as
  /// delays that scatter, and is not taken for none.
  static let stagger = 0.05
  /// The longest delay that is told, in seconds.
  static let longestDelay = interval - stagger - Sweep.marker.duration
  /// Silence before the first sweep in seconds.
  public static let lead = 0.1

  /// Makes a plan; a stream has at least three sweeps.
  public init(restarts: Int = 5, duration: Double = 10) {
    self.restarts = max(1, restarts)
    self.duration = max(duration, Self.lead + 3 * Self.interval)
  }

  /// The frames at which sweeps begin.
  func starts(at rate: SampleRate) -> [Int] {
    let count = Int(((duration - Self.lead) / Self.interval).rounded(.down))
    return (0..<count).map { index in
      let time = Self.lead + Double(index) * Self.interval + Double(index % 2) * Self.stagger
      return Int(rate.frames(time).rounded())
    }
  }

  /// The frames of one stream: sweeps on the reference, silence on all others.
  func drive(for rig: RigDescription) -> DriveFrames {
    let rate = rig.drive.rate
    let count = rate.wholeFrames(duration + Self.interval)
    let sweep = Sweep.marker.samples(at: rate)
    var reference = [Float](repeating: 0, count: count)
    for start in starts(at: rate) {
      reference.place(sweep, at: start)
    }
    return DriveFrames(channels: [.reference: reference], count: count, rate: rate)
  }
}
