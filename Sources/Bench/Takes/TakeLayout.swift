public import Units

/// Where the parts of one take lie, in drive frames.
///
/// Quiet, a marker on the reference, quiet in which the noise floor is read, the probe that identifies
/// the actuator and its ringing out, the pattern, at least half a second of silence, a marker on the
/// reference, and silence for what is still on its way.
public struct TakeLayout: Sendable, Equatable {
  /// The first frame of the marker before.
  public let startMarker: Int
  /// The length of either marker.
  public let markerLength: Int
  /// The first frame of the probe; `nil` where none is played.
  public let probe: Int?
  /// The length of the probe.
  public let probeLength: Int
  /// The frame at which the pattern's time is 0.
  public let pattern: Int
  /// How many frames the pattern takes, release tails included.
  public let patternLength: Int
  /// The first frame of the marker after.
  public let endMarker: Int
  /// The first frames of both markers.
  var markers: [Int] { [startMarker, endMarker] }
  /// How many frames the take has.
  public let frameCount: Int

  /// Silence in which the noise floor is read, in seconds: from the capture's first frame.
  public static let quiet = 0.30
  /// Ringing out after the probe, in seconds.
  public static let ringOut = 0.40
  /// Silence after the pattern, in seconds.
  public static let tail = 0.50
  /// The longest electrical delay that is looked for, in seconds.
  public static let longestDelay = 0.25

  /// Lays out a take.
  public init(
    rate: SampleRate, patternLength: Int, probeLength: Int?, markerLength: Int
  ) {
    let quiet = rate.wholeFrames(Self.quiet)
    startMarker = rate.wholeFrames(0.05)
    self.markerLength = markerLength
    self.patternLength = patternLength
    if let probeLength {
      probe = quiet
      self.probeLength = probeLength
      pattern = quiet + probeLength + rate.wholeFrames(Self.ringOut)
    } else {
      probe = nil
      self.probeLength = 0
      pattern = quiet + rate.wholeFrames(0.05)
    }
    endMarker = pattern + patternLength + rate.wholeFrames(Self.tail)
    frameCount = endMarker + markerLength + rate.wholeFrames(Self.longestDelay + 0.01)
  }
}
