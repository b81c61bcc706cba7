// SPDX-License-Identifier: Apache-2.0

import Devices
import Synchronization

@testable import ALSADevices

/// An engine over a scripted card, served round by round in the caller's thread, fed and emptied as
/// a session would.
struct EngineFixture: ~Copyable {
  var engine: DuplexEngine<ScriptedCard>
  let shared: DuplexShared
  /// The drive's samples: never zero, no two near ones alike.
  static func sample(_ frame: Int) -> Float { Float(frame % 9973 + 1) / 10_000 }

  private(set) var captured: [Float] = []
  private(set) var code: Int32 = 0
  private var isAtWork = false
  private let channels: Int

  init(
    _ card: consuming ScriptedCard, isLockStep: Bool = false, hasStamps: Bool = true,
    queueFrames: Int = 4096
  ) {
    let stop = card.stopping?.signal ?? StopSignal()
    let setup = DuplexSetup(
      rate: ScriptedCard.rate, periodFrames: card.period, bufferFrames: card.buffer,
      isLockStep: isLockStep, isLinked: card.isLinked, hasStamps: hasStamps)
    channels = card.channels
    let drive = DriveQueue(frames: queueFrames, channels: card.channels)
    let capture = CaptureQueue(frames: 4 * queueFrames, channels: 1)
    let shared = DuplexShared(drive: drive.writer, capture: capture.reader, stop: stop)
    let (channels, buffer) = (card.channels, card.buffer)
    engine = DuplexEngine(
      pcms: card, setup: setup,
      drive: DriveSide(
        shared: shared, queue: drive.reader, format: .float, width: channels, channels: channels,
        blockFrames: buffer, isLockStep: isLockStep),
      capture: CaptureSide(
        shared: shared, queue: capture.writer, format: .float, inputs: [0], channels: channels,
        blockFrames: buffer, isLockStep: isLockStep))
    self.shared = shared
  }

  /// Starts a take; the engine's answer.
  mutating func begin() -> Int32 {
    shared.reset()
    captured = []
    let code = engine.rest()
    guard code >= 0 else { return code }
    shared.isCaptureWanted.store(true, ordering: .releasing)
    feed(upTo: 2048)
    return engine.begin()
  }

  /// Puts frames into the queue, so that it holds `depth` of them.
  mutating func feed(upTo depth: Int) {
    var sent = shared.sent.load(ordering: .relaxed)
    while sent - shared.driven.load(ordering: .relaxed) < depth,
      shared.drive.withLock({ $0.room }) > 0
    {
      let frame = [Float](repeating: Self.sample(sent), count: channels)
      _ = shared.drive.withLock { $0.write(frame.span) }
      sent += 1
    }
    shared.sent.store(sent, ordering: .releasing)
  }

  /// Serves so many rounds, or until the stream ends; the queue is kept full.
  mutating func serve(rounds: Int, isFed: Bool = true, isHeard: Bool = true) {
    for _ in 0..<rounds where code == 0 {
      code = engine.round(&isAtWork)
      if isFed { feed(upTo: 2048) }
      if isHeard { hear() }
    }
  }

  var isHushed: Bool { shared.isHushed.load(ordering: .acquiring) }
  var isDropped: Bool { engine.pcms.isDropped }
  var tally: StreamTally { engine.tally }

  /// Empties the capture's queue.
  mutating func hear() {
    var block = [Float](repeating: 0, count: 1024)
    while true {
      var span = block.mutableSpan
      let count = shared.capture.withLock { $0.read(into: &span) }
      guard count > 0 else { return }
      captured += block[..<count]
    }
  }

  /// Frames that are heard where they were sent, and the first that is not and is in no event.
  func comparison(
    drive: [StreamEvent], capture: [StreamEvent], tolerance: Int = 0
  ) -> (right: Int, wrong: Int?) {
    var lost = [Bool](repeating: false, count: captured.count)
    for event in drive + capture {
      let margin = (event.frame - tolerance)..<(event.frames.upperBound + tolerance)
      for frame in margin.clamped(to: 0..<captured.count) { lost[frame] = true }
    }
    var right = 0
    for frame in captured.indices where !lost[frame] {
      let isRight = (-tolerance...tolerance).contains { captured[frame] == Self.sample(frame + $0) }
      guard isRight else { return (right, frame) }
      right += 1
    }
    return (right, nil)
  }
}
