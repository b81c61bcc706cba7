// SPDX-License-Identifier: Apache-2.0

/// The contract of the ports as checks that every back end has to pass.
///
/// A check throws `ConformanceFailure`, or the `DeviceError` of a call that should have gone well. No
/// check waits by itself: a device that keeps time gets a clock that the caller moves.
public struct DeviceConformance: Sendable {
  /// What holds of some back ends and not of all.
  public struct Traits: OptionSet, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes traits of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The same frames give the same capture whatever the blocks: nothing depends on the host's time.
    public static let repeatable = Traits(rawValue: 1)
    /// A channel of role reference hears the drive's.
    public static let loopedBack = Traits(rawValue: 2)
  }

  /// One check; its raw value is the sentence that it proves.
  public enum Check: String, Sendable, CaseIterable {
    /// Formats, channels and rates fit each other.
    case formatsFit = "the formats of both halves fit"
    /// What was sent is received, neither more nor less, never ahead.
    case framesCounted = "every frame is counted"
    /// A second take begins at frame 0.
    case startResets = "start sets the counters to zero"
    /// Calls outside a take are refused.
    case callsOutsideRefused = "write and read before start are refused"
    /// A stop too many does nothing.
    case stopTwice = "stop may be called without a start and twice"
    /// Silence lasts until the next start.
    case silence = "silence means zeros until the next start"
    /// Blocks of any size give the same capture.
    case anyBlocks = "blocks of any size give the same capture"
    /// Events are told once, in order, inside the take.
    case eventsInOrder = "events come once and in the order of frames"
  }

  /// The traits of the back end.
  public let traits: Traits
  /// The longest way from the drive to the reference, in frames.
  public let delay: Int
  /// What the reference shows where nothing is driven, at most, in its unit.
  public let quiet: Float

  private let makePair: @Sendable () throws -> DevicePair

  /// Makes the checks of a back end.
  ///
  /// - Parameters:
  ///   - traits: What holds of it.
  ///   - delay: The longest way from the drive to the reference, in frames.
  ///   - quiet: What the reference shows where nothing is driven, at most; a drive of a half has to
  ///     show ten times as much.
  ///   - makePair: Opens a fresh rig; each check opens its own.
  public init(
    _ traits: Traits, delay: Int = 0, quiet: Float = 0,
    makePair: @escaping @Sendable () throws -> DevicePair
  ) {
    self.traits = traits
    self.delay = delay
    self.quiet = quiet
    self.makePair = makePair
  }

  /// The checks that apply to a back end of some traits.
  public static func checks(_ traits: Traits) -> [Check] {
    Check.allCases.filter { check in
      switch check {
      case .silence: traits.contains(.loopedBack)
      case .anyBlocks: traits.contains(.repeatable)
      default: true
      }
    }
  }

  /// Runs one check on fresh rigs.
  public func run(_ check: Check) throws {
    switch check {
    case .formatsFit: try checkFormats(makePair())
    case .framesCounted: try checkCounts(makePair())
    case .startResets: try checkSecondStart(makePair())
    case .callsOutsideRefused: try checkCallsOutside(makePair())
    case .stopTwice: try checkStops(makePair())
    case .silence: try checkSilence(makePair())
    case .anyBlocks: try checkBlocks(makePair(), makePair())
    case .eventsInOrder: try checkEvents(makePair())
    }
  }
}
