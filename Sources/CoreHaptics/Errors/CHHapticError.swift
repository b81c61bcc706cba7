// SPDX-License-Identifier: Apache-2.0

public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of this module's errors; the name is Apple's.
public let CoreHapticsErrorDomain = "com.apple.CoreHaptics"

/// Why something could not be done; bridges to `NSError` with Apple's domain and numbers.
public struct CHHapticError: CustomNSError, LocalizedError, CustomStringConvertible, Hashable,
  Sendable
{
  /// The reasons, with the numbers of Apple's header.
  public enum Code: Int, Sendable, CaseIterable {
    /// The engine does not run: start it.
    case engineNotRunning = -4805
    /// The operation is not permitted in this state.
    case operationNotPermitted = -4806
    case engineStartTimeout = -4808
    /// The device has no haptics: here, no rig.
    case notSupported = -4809
    /// The haptic server could not be made: here, the rig could not be opened.
    case serverInitFailed = -4810
    /// The haptic server failed while it was used.
    case serverInterrupted = -4811
    /// The player belongs to an engine that was reset, or is not one of this module.
    case invalidPatternPlayer = -4812
    /// The data are not a pattern.
    case invalidPatternData = -4813
    /// The dictionary is not a pattern.
    case invalidPatternDictionary = -4814
    case invalidAudioSession = -4815
    case invalidEngineParameter = -4816
    case invalidParameterType = -4820
    case invalidEventType = -4821
    case invalidEventTime = -4822
    /// An event's duration is out of its range.
    case invalidEventDuration = -4823
    /// There is no such audio resource, or it is no sound.
    case invalidAudioResource = -4824
    case resourceNotAvailable = -4825
    /// An entry of a pattern is no event.
    case badEventEntry = -4830
    /// An entry of a pattern is no parameter.
    case badParameterEntry = -4831
    case invalidTime = -4840
    case fileNotFound = -4851
    case insufficientPower = -4897
    case unknownError = -4898
    /// There is no room for more.
    case memoryError = -4899
  }

  /// The reason.
  public let code: Code
  private let bridged: NSError

  /// Makes an error.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    bridged = NSError(domain: Self.errorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// Makes an error with one sentence: what, where, what was expected, what to do.
  init(_ code: Code, _ message: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
  }

  /// The sentence and what else is known, as `NSError` has it.
  public var userInfo: [String: Any] { bridged.userInfo }

  /// The domain of this module's errors.
  public static var errorDomain: String { CoreHapticsErrorDomain }

  /// Apple's number of the reason.
  public var errorCode: Int { code.rawValue }

  /// The sentence and what else is known.
  public var errorUserInfo: [String: Any] { userInfo }

  /// One sentence.
  public var errorDescription: String? {
    userInfo[NSLocalizedDescriptionKey] as? String ?? "Core Haptics error \(code.rawValue): \(code)"
  }

  /// Tells whether two have the same reason, whatever their sentences.
  public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

  /// Adds the reason.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// Domain, number and sentence, as an `NSError` prints them.
  public var description: String {
    "Error Domain=\(Self.errorDomain) Code=\(errorCode) \"\(errorDescription ?? "")\""
  }
}

/// An error is an `NSError` where an app asks for one, and an `NSError` of this domain is an error of this
/// type: `catch let error as NSError` and `as? CHHapticError` find both, as on Apple's systems.
extension CHHapticError: _ObjectiveCBridgeable {
  /// Gives the `NSError`.
  public func _bridgeToObjectiveC() -> NSError { bridged }

  /// Takes an `NSError` of this domain.
  public static func _conditionallyBridgeFromObjectiveC(
    _ source: NSError, result: inout CHHapticError?
  ) -> Bool {
    guard source.domain == errorDomain, let code = Code(rawValue: source.code) else { return false }
    result = CHHapticError(code, userInfo: source.userInfo)
    return true
  }

  /// Takes an `NSError` that is known to be of this domain.
  public static func _forceBridgeFromObjectiveC(
    _ source: NSError, result: inout CHHapticError?
  ) {
    precondition(
      _conditionallyBridgeFromObjectiveC(source, result: &result),
      "\(source.domain) \(source.code) is no error of \(errorDomain)")
  }

  /// Takes an `NSError` that is known to be of this domain; unknown without one.
  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CHHapticError {
    var result: CHHapticError?
    if let source { _forceBridgeFromObjectiveC(source, result: &result) }
    return result ?? CHHapticError(.unknownError)
  }
}

extension CHHapticError {
  /// The reason by its name, as `CHHapticError.engineNotRunning`.
  public static var engineNotRunning: Code { .engineNotRunning }
  /// The reason by its name.
  public static var operationNotPermitted: Code { .operationNotPermitted }
  /// The reason by its name.
  public static var engineStartTimeout: Code { .engineStartTimeout }
  /// The reason by its name.
  public static var notSupported: Code { .notSupported }
  /// The reason by its name.
  public static var serverInitFailed: Code { .serverInitFailed }
  /// The reason by its name.
  public static var serverInterrupted: Code { .serverInterrupted }
  /// The reason by its name.
  public static var invalidPatternPlayer: Code { .invalidPatternPlayer }
  /// The reason by its name.
  public static var invalidPatternData: Code { .invalidPatternData }
  /// The reason by its name.
  public static var invalidPatternDictionary: Code { .invalidPatternDictionary }
  /// The reason by its name.
  public static var invalidAudioSession: Code { .invalidAudioSession }
  /// The reason by its name.
  public static var invalidEngineParameter: Code { .invalidEngineParameter }
  /// The reason by its name.
  public static var invalidParameterType: Code { .invalidParameterType }
  /// The reason by its name.
  public static var invalidEventType: Code { .invalidEventType }
  /// The reason by its name.
  public static var invalidEventTime: Code { .invalidEventTime }
  /// The reason by its name.
  public static var invalidEventDuration: Code { .invalidEventDuration }
  /// The reason by its name.
  public static var invalidAudioResource: Code { .invalidAudioResource }
  /// The reason by its name.
  public static var resourceNotAvailable: Code { .resourceNotAvailable }
  /// The reason by its name.
  public static var badEventEntry: Code { .badEventEntry }
  /// The reason by its name.
  public static var badParameterEntry: Code { .badParameterEntry }
  /// The reason by its name.
  public static var invalidTime: Code { .invalidTime }
  /// The reason by its name.
  public static var fileNotFound: Code { .fileNotFound }
  /// The reason by its name.
  public static var insufficientPower: Code { .insufficientPower }
  /// The reason by its name.
  public static var unknownError: Code { .unknownError }
  /// The reason by its name.
  public static var memoryError: Code { .memoryError }
}

extension CHHapticError.Code {
  /// Matches an error of this reason, so that `catch CHHapticError.engineNotRunning` works.
  public static func ~= (code: Self, error: any Error) -> Bool {
    (error as? CHHapticError)?.code == code
  }
}

/// What to tell of an error of any kind: haprig's own are sentences, Foundation's print their insides.
func sentence(of error: any Error) -> String {
  guard let error = error as? CocoaError else { return "\(error)" }
  return switch error.code {
  case .fileReadNoSuchFile, .fileNoSuchFile: "there is no such file: check the path"
  case .fileReadNoPermission, .fileWriteNoPermission:
    "the system does not permit it: check whose it is"
  default: (error.underlying as? POSIXError)?.localizedDescription ?? error.localizedDescription
  }
}
