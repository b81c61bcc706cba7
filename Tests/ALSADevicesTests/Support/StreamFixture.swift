// SPDX-License-Identifier: Apache-2.0

import DeviceConformance
import Devices
import Synchronization
import Units

@testable import ALSADevices

/// The two ports over a scripted card, as a session has them.
struct StreamFixture {
  let drive: ALSADrive
  let sensors: ALSASensors
  let stream: Duplex<ScriptedCard>
  let shared: DuplexShared

  static let driveDepth = 4096
  private static let captureDepth = 1 << 16

  init(_ card: consuming sending ScriptedCard, isLockStep: Bool = false) {
    let rate = SampleRate(hertz: ScriptedCard.rate)
    let (channels, period, buffer) = (card.channels, card.period, card.buffer)
    let driveQueue = DriveQueue(frames: Self.driveDepth, channels: channels)
    let captureQueue = CaptureQueue(frames: Self.captureDepth, channels: 1)
    let stop = card.stopping?.signal ?? StopSignal()
    let shared = DuplexShared(
      drive: driveQueue.writer, capture: captureQueue.reader, stop: stop)
    card.isLockStep = isLockStep
    // The card goes on only while it is fed and heard: nothing depends on the host's time.
    card.gate = {
      let ahead =
        shared.sent.load(ordering: .acquiring) - shared.driven.load(ordering: .acquiring)
      if ahead >= 2 * buffer || shared.isEnding.load(ordering: .acquiring) { return true }
      let isHeard = shared.capture.withLock({ $0.available }) < Self.captureDepth / 2
      return isHeard && (shared.isDriveEnded.load(ordering: .acquiring) || shared.isQuiet)
    }
    let setup = DuplexSetup(
      rate: rate.hertz, periodFrames: period, bufferFrames: buffer, isLockStep: isLockStep,
      isLinked: card.isLinked, hasStamps: true)
    let engine = DuplexEngine(
      pcms: card, setup: setup,
      drive: DriveSide(
        shared: shared, queue: driveQueue.reader, format: .float, width: channels,
        channels: channels, blockFrames: buffer, isLockStep: isLockStep),
      capture: CaptureSide(
        shared: shared, queue: captureQueue.writer, format: .float, inputs: [0],
        channels: channels, blockFrames: buffer, isLockStep: isLockStep))
    let stream = Duplex(
      engine, names: DuplexNames(rig: "bench", playback: "hw:A", capture: "hw:A"),
      negotiations: [], priority: nil, serve: { $0.serve() })
    let halves = StreamHalves(stream, device: "bench")
    self.shared = shared
    self.stream = stream
    drive = ALSADrive(
      halves,
      format: StreamFormat(rate: rate, channelCount: channels, periodFrames: period),
      capacity: Self.driveDepth)
    sensors = ALSASensors(
      halves,
      format: StreamFormat(rate: rate, channelCount: 1, periodFrames: period),
      channels: [CaptureChannel(name: "loop", role: .reference, unit: .volt)], scales: [5],
      largest: 1, driveCapacity: Self.driveDepth)
  }

  var pair: DevicePair { DevicePair(output: drive, input: sensors) }

  /// Plays so many frames in blocks, and collects what is heard, until the end or a fault.
  ///
  /// `progress` is called between the blocks with the count of frames that were sent.
  func play(
    _ total: Int, block: Int = 100, progress: (Int) -> Void = { _ in }
  ) throws -> [Float] {
    try drive.start()
    try sensors.start()
    var heard: [Float] = []
    var sent = 0
    while sent < total {
      let frames = (sent..<min(total, sent + block)).flatMap {
        [Float](repeating: EngineFixture.sample($0), count: drive.format.channelCount)
      }
      var done = 0
      while done < frames.count {
        done += try drive.write(frames.span.extracting(done...)) * drive.format.channelCount
      }
      sent = min(total, sent + block)
      while heard.count < sent {
        let count = try read(into: &heard, atMost: sent - heard.count)
        if count == 0 { break }
      }
      progress(sent)
    }
    try drive.stop()
    while heard.count < total, try read(into: &heard, atMost: 512) > 0 {}
    try sensors.stop()
    return heard
  }

  private func read(into heard: inout [Float], atMost limit: Int) throws -> Int {
    var room = [Float](repeating: 0, count: limit)
    var span = room.mutableSpan
    let count = try sensors.read(into: &span)
    heard += room[..<count]
    return count
  }
}
