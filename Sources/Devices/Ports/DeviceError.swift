/// Why a device could not do what was asked, named for what a person can do about it.
public struct DeviceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What a person can do.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The name as it stands in records.
    public let rawValue: String

    /// Makes a code of another back end.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing by that name is there: check the name and the cable.
    public static let notFound = Code(rawValue: "not-found")
    /// The device went away: plug it in again.
    public static let unplugged = Code(rawValue: "unplugged")
    /// The device does not answer in time.
    public static let stalled = Code(rawValue: "stalled")
    /// The device or program ended.
    public static let ended = Code(rawValue: "ended")
    /// What the device says cannot be understood.
    public static let garbled = Code(rawValue: "garbled")
    /// The device cannot do what the rig file asks.
    public static let refused = Code(rawValue: "refused")
    /// Somebody else holds the device.
    public static let busy = Code(rawValue: "busy")
    /// The operating system refuses access.
    public static let denied = Code(rawValue: "denied")
    /// The run was stopped from outside.
    public static let interrupted = Code(rawValue: "interrupted")
  }

  /// What a person can do.
  public let code: Code
  /// The device, as the rig file names it.
  public let device: String
  /// One sentence: what happened, with its values, and what to do.
  public let message: String
  /// The error number of the operating system, where there is one.
  public let errno: Int32?

  /// Makes an error.
  public init(_ code: Code, device: String, message: String, errno: Int32? = nil) {
    self.code = code
    self.device = device
    self.message = message
    self.errno = errno
  }

  /// The device and the sentence.
  public var description: String { "\(device): \(message)" }
}
