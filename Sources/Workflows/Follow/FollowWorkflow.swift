// SPDX-License-Identifier: Apache-2.0

import Actuators
package import Bench
package import Composing
import CoreHaptics
package import Devices
import LiveRuns
import Units

/// What follows what.
package struct FollowRequest: Sendable {
  package var input: FollowInput
  package var settings: ComposeSettings
  /// In dB; nil lets it ride.
  package var gain: Double?
  /// In dB of full scale.
  package var gate: Double
  /// Whether the sound is passed to the rig's loudspeaker, and delayed so that the touch comes with it.
  package var aligns: Bool
  /// Whether a line tells ten times a second how loud the sound is.
  package var tellsLevels: Bool

  package init(
    _ input: FollowInput, settings: ComposeSettings, gain: Double? = nil,
    gate: Double = LiveMethod.standardGate, aligns: Bool = false, tellsLevels: Bool = false
  ) {
    self.input = input
    self.settings = settings
    self.gain = gain
    self.gate = gate
    self.aligns = aligns
    self.tellsLevels = tellsLevels
  }
}

/// A rig that follows a sound.
package enum FollowWorkflow {
  /// Opens the sound and the rig, which drives zero until the sound is there.
  ///
  /// A request to the operator to stop leaves the drive at zero at once.
  package static func open(
    _ request: FollowRequest, _ builder: TakeBuilder, by user: RigOperator
  ) throws -> FollowDirector {
    try check(request, builder.rig)
    let queue = RealtimeQueue<Float>(
      capacity: builder.rig.drive.rate.wholeFrames(FollowSource.queueSeconds))
    let source = try FollowSource(request.input, rig: builder.rig, into: queue.producer)
    do {
      try source?.begin(until: user.stop)
    } catch {
      // What cannot be read as a sound is a matter of what was asked, and no fault of a device.
      guard case .file = request.input else { throw error }
      throw InputError(error.message)
    }
    return try open(
      request, builder, samples: queue.consumer, feed: source?.feed, source: source, by: user)
  }

  /// Opens a rig that follows samples of the caller's own, whose end its feed tells.
  ///
  /// `isStepped` is for tests: nothing moves but by `RigStage.advance`. `watcher` looks at the signals, besides.
  package static func open(
    _ request: FollowRequest, _ builder: TakeBuilder, isStepped: Bool,
    samples: consuming RealtimeQueue<Float>.Consumer, feed: SoundFeed,
    watcher: (any SignalTap)? = nil, by user: RigOperator
  ) throws -> FollowDirector {
    try check(request, builder.rig)
    return try open(
      request, builder, isStepped: isStepped, samples: samples, feed: feed, source: nil,
      watcher: watcher, by: user)
  }

  private static func open(
    _ request: FollowRequest, _ builder: TakeBuilder, isStepped: Bool = false,
    samples: consuming RealtimeQueue<Float>.Consumer, feed: SoundFeed?, source: FollowSource?,
    watcher: (any SignalTap)? = nil, by user: RigOperator
  ) throws -> FollowDirector {
    let rig = builder.rig
    let capacity = rig.drive.rate.wholeFrames(LatencyMeter.queueSeconds)
    let heard = CaptureQueue(frames: capacity, channels: 1)
    let marks = RealtimeQueue<HeardMark>(capacity: 1 << 16)
    let drive = CaptureQueue(frames: capacity, channels: 1)
    let captured = CaptureQueue(frames: capacity, channels: FollowTap.capturedCount)
    let meter = LatencyMeter(
      rate: rig.drive.rate, isOwn: request.input == .own, isPaced: request.input.pace == .drive,
      heard: heard.reader, marks: marks.consumer, drive: drive.reader,
      captured: captured.reader)
    let tap = FollowTap(
      rig, drive: drive.writer, captured: captured.writer, watcher: watcher ?? user.tap(rig))
    user.tell(
      .work(
        LiveEvent.Work(
          rig: rig.name, title: "follow", actuators: rig.actuators.map(\.id), patterns: [])))
    let line: SoundLine
    if request.input != .own, let feed {
      line = SoundLine(
        samples, pace: request.input.pace, feed: feed, heard: heard.writer,
        marks: marks.producer)
    } else {
      line = SoundLine(captureOf: rig, heard: heard.writer, marks: marks.producer)
    }
    let stage = try RigStage(
      rig, laws: builder.configuration, limits: builder.limits, isStepped: isStepped, sound: line,
      stop: user.stop, tap: { _ in tap }, log: { user.notice(.device, $0) })
    return try FollowDirector(
      request, builder: builder, stage: stage, feed: feed, source: source, meter: meter)
  }

  private static func check(_ request: FollowRequest, _ rig: RigDescription) throws {
    if case .file = rig.drive.device {
      throw InputError("\(rig.name): a file follows no sound: name a rig that is on line")
    }
    guard request.input != .own || rig.capture.channel(.audio) != nil else {
      throw InputError(
        "\(rig.name): the rig captures no sound: name a sound by --input, or give it a capture channel "
          + "with 'role: audio'")
    }
    guard request.aligns else { return }
    let outputs: [DriveRole] = [.audio, .audioLeft, .audioRight]
    guard request.input != .own else {
      throw InputError(
        "--align passes the sound to the rig's loudspeaker, which its own microphone would hear again: name "
          + "another sound by --input")
    }
    guard outputs.contains(where: { rig.drive.channels[$0] != nil }) else {
      throw InputError("\(rig.name): --align needs a sound output: the rig drives none")
    }
    guard rig.capture.channel(.audio) != nil, rig.capture.channel(.acceleration) != nil else {
      throw InputError(
        "\(rig.name): --align needs a capture channel with 'role: audio' and one with 'role: acceleration', "
          + "by which it measures what it has done")
    }
  }
}
