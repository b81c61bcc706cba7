// SPDX-License-Identifier: Apache-2.0

public import USBModels

/// How strongly a controller's actuators are driven from a time of the bus on.
public struct DrivenStrength: Sendable, Equatable {
  /// Nanoseconds of the bus.
  public var nanoseconds: UInt64
  /// The left actuator, 0 to 1.
  public var left: Double
  /// The right actuator, 0 to 1.
  public var right: Double

  /// Whether nothing is driven.
  public var isNeutral: Bool { left == 0 && right == 0 }
}

/// A controller on a bus in this process that remembers what it drove, and is shaken along z.
public protocol ControllerModel: FakeUSBDevice {
  /// What it drove, change by change.
  var strengths: [DrivenStrength] { get }

  /// Reports nothing from now on.
  func fallSilent()

  /// The address of its endpoint that takes reports.
  static var output: UInt8 { get }
  /// The address of its endpoint that gives reports.
  static var input: UInt8 { get }
}

extension ControllerModel {
  /// Since when it is at rest, in nanoseconds of the bus; `nil` while it is driven.
  public var neutralSince: UInt64? {
    guard let last = strengths.last else { return 0 }
    return last.isNeutral ? last.nanoseconds : nil
  }
}
