// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import VirtualDevices

/// The simulated rig behind a card's capture, fed with what the playback sent.
///
/// It lives in the process that captures. A take of it runs from the capture's start to its stop;
/// an xrun does not end it, since the actuator goes on ringing.
struct CardPhysics: Sendable {
  private(set) var isRunning = false
  private(set) var captured = 0

  private let rig: SimulatedRig
  /// Where each channel of the simulation goes in a frame of the card, and by what factor.
  private let outputs: [(place: Int, factor: Float)]
  private let channels: Int
  private let driveChannels: Int
  private var block: [Float]
  private let silence: [Float]

  /// The card's capture buffer; a power of two of frames.
  private var buffer: [Float] = []
  private var bufferFrames = 1
  /// Card frame 0 of the take.
  private var takeFrame = 0
  /// Frames of the take that were captured, and how many of them to let go before the stream's.
  private var takeCaptured = 0
  private var skipped = 0
  private var fedSinceEvents = 0
  /// Frames of silence that were played before their time.
  private var ahead = 0

  private static let blockFrames = 1024

  init(_ setup: CardSetup, frame: Int) throws(CardError) {
    let description = setup.simulatedRig(after: frame)
    do {
      rig = try SimulatedRig(description)
    } catch {
      throw CardError(EINVAL, error.description)
    }
    driveChannels = rig.drive.format.channelCount
    guard driveChannels == setup.driveChannels else {
      throw CardError(
        EINVAL,
        "the rig '\(description.name)' plays on channel \(driveChannels), which has no role: give "
          + "it one in the drive's 'channels'")
    }
    channels = setup.captureChannels
    outputs = description.capture.channels.map { channel in
      // As a converter gives it: volts at its input in parts of its full scale.
      let factor = (channel.sensor?.sensitivity ?? 1) / (channel.fullScaleVolts ?? 1)
      let input = setup.simulation.wiring?.inputs[channel.role] ?? channel.input
      return (abs(input) - 1, Float(input < 0 ? -factor : factor))
    }
    block = [Float](
      repeating: 0, count: Self.blockFrames * max(description.capture.channels.count, 1))
    silence = [Float](repeating: 0, count: Self.blockFrames * driveChannels)
  }

  mutating func makeRoom(frames: Int) {
    bufferFrames = 1
    while bufferFrames < frames { bufferFrames *= 2 }
    buffer = [Float](repeating: 0, count: bufferFrames * channels)
    captured = 0
  }

  /// Starts a stream at a card frame, in the take that runs or in a new one.
  ///
  /// The stream's frame 0 is captured at the instant at which drive frame `frame` is played. A capture that is faster
  /// than the drive is no faster here: the simulation gives no more frames than were played, so what the
  /// clocks have drifted apart by stays as it is over a break.
  mutating func start(at frame: Int, ratio: Double) throws(DeviceError) {
    if !isRunning {
      try rig.drive.start()
      try rig.sensors.start()
      isRunning = true
      takeFrame = frame
      takeCaptured = 0
      ahead = 0
    }
    captured = 0
    skipped = max(0, Int(Double(frame - takeFrame) * min(1, ratio)) - takeCaptured)
  }

  mutating func skip(_ frames: Int) { skipped += frames }

  mutating func end() {
    guard isRunning else { return }
    isRunning = false
    // Both ends of a simulated rig stop without fail.
    try? rig.drive.stop()
    try? rig.sensors.stop()
    _ = rig.drive.takeEvents()
    _ = rig.sensors.takeEvents()
  }

  /// Plays silence before its time, where it is known that nothing else will come.
  mutating func playAhead(_ frames: Int) throws(DeviceError) {
    try play(nil, count: ahead + frames)
    ahead = frames
  }

  mutating func play(_ frames: UnsafePointer<Float>?, count: Int) throws(DeviceError) {
    // What was played ahead is silence that has passed here already.
    var done = frames == nil ? min(ahead, count) : 0
    ahead -= done
    while done < count {
      let part = min(count - done, Self.blockFrames)
      let taken: Int
      if let frames {
        let samples = UnsafeBufferPointer(
          start: frames + done * driveChannels, count: part * driveChannels)
        taken = try rig.drive.write(samples.span)
      } else {
        taken = try rig.drive.write(silence.span.extracting(0..<(part * driveChannels)))
      }
      guard taken > 0 else { return }
      done += taken
    }
    fedSinceEvents += count
    // What the rig notes of clipping is shown by the samples; here it would only pile up.
    if fedSinceEvents >= 1 << 16 {
      fedSinceEvents = 0
      _ = rig.drive.takeEvents()
      _ = rig.sensors.takeEvents()
    }
  }

  mutating func capture(atMost count: Int) throws(DeviceError) {
    let goal = captured + count
    // What is let go is let go at once: left to pile up it would be what the stream gets next, ever later.
    while captured < goal || skipped > 0 {
      let wanted = min(goal - captured + skipped, Self.blockFrames)
      let read = try block.withUnsafeMutableBufferPointer { (room) throws(DeviceError) in
        var frames = UnsafeMutableBufferPointer(rebasing: room[..<(wanted * outputs.count)])
          .mutableSpan
        return try rig.sensors.read(into: &frames)
      }
      guard read > 0 else { return }
      takeCaptured += read
      let dropped = min(skipped, read)
      skipped -= dropped
      keep(dropped..<read)
    }
  }

  private mutating func keep(_ frames: Range<Int>) {
    let (mask, channels, width) = (bufferFrames - 1, channels, outputs.count)
    for (source, output) in outputs.enumerated() {
      for frame in frames {
        let slot = (captured + frame - frames.lowerBound) & mask
        buffer[slot * channels + output.place] = block[frame * width + source] * output.factor
      }
    }
    captured += frames.count
  }

  func forEachStretch(
    of frames: Range<Int>,
    _ body: (_ offset: Int, _ samples: UnsafePointer<Float>, _ count: Int) -> Void
  ) {
    buffer.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var frame = frames.lowerBound
      while frame < frames.upperBound {
        let slot = frame & (bufferFrames - 1)
        let count = min(frames.upperBound - frame, bufferFrames - slot)
        body(frame - frames.lowerBound, base + slot * channels, count)
        frame += count
      }
    }
  }
}
