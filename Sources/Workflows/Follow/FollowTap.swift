// SPDX-License-Identifier: Apache-2.0

import Devices

/// Looks at a rig while it follows a sound: the drive as it was sent and what came back, for the meter and for who watches.
///
/// Where the meter does not come to look in time, zeros stand for what found no room: a frame stays where it belongs.
final class FollowTap: SignalTap, @unchecked Sendable {
  // Sendable: all calls come from the session's thread, as `SignalTap` says.
  private var drive: CaptureWriter
  private var captured: CaptureWriter
  private let driveWidth: Int
  private let driveChannel: Int
  private let captureWidth: Int
  /// The frame that is passed on next.
  private var nextFrame = 0
  /// Where motion, sound and reference are in a captured frame; -1 for what the rig does not capture.
  private let channels: [3 of Int]
  private let watcher: (any SignalTap)?

  /// How many signals of the capture are passed on: motion, sound and reference.
  static let capturedCount = 3

  init(
    _ rig: RigDescription, drive: consuming CaptureWriter, captured: consuming CaptureWriter,
    watcher: (any SignalTap)?
  ) {
    self.drive = drive
    self.captured = captured
    driveWidth = rig.drive.channelCount
    driveChannel = (rig.drive.channels[.haptic] ?? 1) - 1
    let channels = rig.capture.channels
    captureWidth = max(1, channels.count)
    let reference =
      rig.drive.channels[.reference] == nil
      ? nil : channels.firstIndex { $0.role == .reference }
    self.channels = [
      channels.firstIndex { $0.role == .acceleration } ?? -1,
      channels.firstIndex { $0.role == .audio } ?? -1, reference ?? -1,
    ]
    self.watcher = watcher
  }

  func begin() { watcher?.begin() }

  func drive(_ frames: Span<Float>) {
    watcher?.drive(frames)
    for frame in 0..<(frames.count / driveWidth) {
      let sample: [1 of Float] = [frames[frame * driveWidth + driveChannel]]
      _ = drive.write(sample.span)
    }
  }

  func capture(_ frames: Span<Float>) {
    watcher?.capture(frames)
    var samples: [3 of Float] = .init(repeating: 0)
    for frame in 0..<(frames.count / captureWidth) {
      for place in 0..<3 where channels[place] >= 0 {
        samples[place] = frames[frame * captureWidth + channels[place]]
      }
      if !captured.write(samples.span) { captured.note(.overrun, frame: nextFrame, length: 1) }
      nextFrame += 1
    }
  }

  func lost(_ event: StreamEvent, ofDrive: Bool) {
    watcher?.lost(event, ofDrive: ofDrive)
    switch event.kind {
    case .underrun where ofDrive:
      drive.note(.underrun, frame: event.frame, length: event.length)
    case .overrun where !ofDrive:
      captured.note(.overrun, frame: event.frame, length: event.length)
    default: break
    }
  }
}
