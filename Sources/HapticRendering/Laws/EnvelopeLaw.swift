private import Glibc

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
