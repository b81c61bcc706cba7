/// A number of frames a second.
///
/// Holds any finite rate above zero; converts between frames and seconds.
public struct SampleRate: Hashable, Sendable, CustomStringConvertible {
  /// Frames a second.
  public let hertz: Double

  /// Makes a rate from frames a second.
  ///
  /// Traps unless `hertz` is finite and above zero: files and devices are checked before this point.
  public init(hertz: Double) {
    precondition(
      hertz.isFinite && hertz > 0, "a sample rate must be finite and positive, not \(hertz)")
    self.hertz = hertz
  }

  /// The rate most sound hardware offers: 48,000 frames a second.
  public static let standard = SampleRate(hertz: 48_000)

  /// The time between two frames, in seconds.
  public var period: Double { 1 / hertz }

  /// The position in frames, with its fraction, of a time in seconds.
  public func frames(_ seconds: Double) -> Double { seconds * hertz }

  /// The smallest whole number of frames that holds a duration in seconds.
  public func wholeFrames(_ seconds: Double) -> Int { Int((seconds * hertz).rounded(.up)) }

  /// The time of a frame position, in seconds.
  public func seconds(_ frames: Double) -> Double { frames / hertz }

  /// The rate with its unit, without a fraction where it has none.
  public var description: String {
    hertz == hertz.rounded() ? "\(Int(hertz)) Hz" : "\(hertz) Hz"
  }
}
