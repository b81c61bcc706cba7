// SPDX-License-Identifier: Apache-2.0

/// Whoever looks at the signals of a take while it is played: a session has one or none.
///
/// All calls come from the session's thread, between the devices' own, and return at once: none allocates, locks,
/// waits or touches a file. What a tap does changes nothing of the take.
public protocol SignalTap: AnyObject, Sendable {
  /// A take begins: what follows are its frames from 0 on, of both sides.
  func begin()

  /// These interleaved frames went out to the drive, in the drive's order of channels, -1...1 of full scale.
  func drive(_ frames: Span<Float>)

  /// These interleaved frames came in from the sensors, in the sensors' order of channels, in SI units.
  func capture(_ frames: Span<Float>)

  /// Something was lost or clipped: the event as it is seen first, in frames of the take; it may go on.
  func lost(_ event: StreamEvent, ofDrive: Bool)
}
