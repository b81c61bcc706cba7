// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

extension DeviceConformance {
  /// A tone of a half on every channel, its period no divisor of any block.
  private static func tone(_ frame: Int, _ channel: Int) -> Float {
    let phase = (frame * 37 + channel * 101) % 1024
    // A triangle: no library of mathematics is needed for it.
    return Float(abs(phase - 512)) / 512 - 0.5
  }

  func checkFormats(_ pair: DevicePair) throws {
    let (drive, capture) = (pair.output.format, pair.input.format)
    try require(drive.rate == capture.rate, "the drive is at \(drive.rate), not \(capture.rate)")
    try require(
      pair.input.channels.count == capture.channelCount,
      "\(pair.input.channels.count) channels in frames of \(capture.channelCount)")
    let names = Set(pair.input.channels.map(\.name))
    try require(names.count == capture.channelCount, "two channels share a name: \(names.sorted())")
  }

  func checkCounts(_ pair: DevicePair) throws {
    let period = pair.output.format.periodFrames
    let total = 4 * period + 3
    let take = try pair.play(frames: total, blocks: [1, period, 7, 2 * period], signal: Self.tone)
    try require(take.sent == total, "\(take.sent) of \(total) frames were taken")
    if let reading = pair.output.clockReading() {
      try require(
        reading.frame >= total, "after \(total) frames the drive's clock shows \(reading.frame)")
    }
    for (index, sample) in take.samples.enumerated() {
      try require(sample.isFinite, "sample \(index) of the capture is \(sample)")
    }
  }

  func checkSecondStart(_ pair: DevicePair) throws {
    let period = pair.output.format.periodFrames
    for number in 1...2 {
      let take = try pair.play(frames: 2 * period, blocks: [period], signal: Self.tone)
      try require(
        take.received == 2 * period,
        "take \(number) delivered \(take.received) of \(2 * period) frames")
    }
    try pair.output.start()
    try pair.input.start()
    for reading in [pair.output.clockReading(), pair.input.clockReading()] {
      if let reading {
        try require(reading.frame == 0, "after start a clock shows frame \(reading.frame), not 0")
      }
    }
    // A device with a clock of its own would block here until its first frame is there.
    if traits.contains(.repeatable) {
      var room = [Float](repeating: 0, count: period * pair.input.format.channelCount)
      var span = room.mutableSpan
      let early = try pair.input.read(into: &span)
      try require(early == 0, "\(early) frames of an older take came after start")
    }
    try pair.output.stop()
    try pair.input.stop()
  }

  func checkCallsOutside(_ pair: DevicePair) throws {
    let frame = [Float](repeating: 0, count: pair.output.format.channelCount)
    var room = [Float](repeating: 0, count: pair.input.format.channelCount)
    func requireRefusal(_ call: String, _ body: () throws -> Int) throws {
      do {
        let count = try body()
        throw ConformanceFailure("\(call) moved \(count) frames")
      } catch let error as DeviceError {
        try require(error.code == .refused, "\(call) was \(error.code.rawValue), not refused")
      }
    }
    func write() throws -> Int { try pair.output.write(frame.span) }
    func read() throws -> Int {
      var span = room.mutableSpan
      return try pair.input.read(into: &span)
    }
    try requireRefusal("write before start", write)
    try requireRefusal("read before start", read)
    _ = try pair.play(frames: pair.output.format.periodFrames, blocks: [16], signal: Self.tone)
    try requireRefusal("write after stop", write)
    try requireRefusal("read after stop", read)
  }

  func checkStops(_ pair: DevicePair) throws {
    try pair.output.stop()
    try pair.input.stop()
    _ = try pair.play(frames: pair.output.format.periodFrames, blocks: [16], signal: Self.tone)
    try pair.output.stop()
    try pair.input.stop()
  }

  func checkSilence(_ pair: DevicePair) throws {
    guard let place = pair.input.channels.firstIndex(where: { $0.role == .reference }) else {
      throw ConformanceFailure("no channel has the role reference")
    }
    let period = pair.output.format.periodFrames
    // Between two blocks, so that nothing is half sent, and late enough to be heard before.
    let quietFrom = (delay / period + 3) * period
    let total = quietFrom + 2 * delay + 3 * period
    func loudest(_ frames: Range<Int>, _ samples: [Float]) -> Float {
      samples[frames].map { abs($0) }.max() ?? 0
    }
    let silenced = try pair.play(
      frames: total, blocks: [period],
      during: { if $0 == quietFrom { pair.output.silence() } }, signal: Self.tone
    ).channel(place, of: pair.input.format.channelCount)
    let before = loudest(0..<quietFrom, silenced)
    try require(before > 10 * quiet, "the reference hears only \(before) of a drive of 0.5")
    let rest = loudest((quietFrom + delay + period)..<total, silenced)
    try require(rest <= quiet, "the reference still hears \(rest) after silence, not \(quiet)")
    let again = try pair.play(frames: total, blocks: [period], signal: Self.tone)
      .channel(place, of: pair.input.format.channelCount)
    let after = loudest(quietFrom..<total, again)
    try require(after > 10 * quiet, "after the next start the reference hears only \(after)")
  }

  func checkBlocks(_ first: DevicePair, _ second: DevicePair) throws {
    let period = first.output.format.periodFrames
    let total = 5 * period + 11
    let whole = try first.play(frames: total, blocks: [period], signal: Self.tone).samples
    let cut = try second.play(frames: total, blocks: [1, 3 * period, 13], signal: Self.tone).samples
    for (index, pair) in zip(whole, cut).enumerated() where pair.0 != pair.1 {
      throw ConformanceFailure(
        "sample \(index) is \(pair.0) in blocks of \(period) and \(pair.1) in others")
    }
  }

  func checkEvents(_ pair: DevicePair) throws {
    let period = pair.output.format.periodFrames
    let gap = Int(pair.output.format.rate.hertz * 0.05)
    let loud = [period, period + gap]
    let total = 2 * period + gap
    let take = try pair.play(frames: total, blocks: [period]) { frame, channel in
      loud.contains(frame) && channel == 0 ? 1.5 : Self.tone(frame, channel)
    }
    let overloads = take.driveEvents.filter { $0.kind == .overload }.map(\.frame)
    try require(overloads == loud, "drives of 1.5 at \(loud) gave overloads at \(overloads)")
    for events in [take.driveEvents, take.captureEvents] {
      let starts = events.map(\.frame)
      try require(starts == starts.sorted(), "events come in the order \(starts)")
      for event in events {
        try require(
          event.length > 0 && event.frame >= 0 && event.frames.upperBound <= total,
          "an event at \(event.frames) of a take of \(total) frames")
      }
    }
    try require(
      pair.output.takeEvents().isEmpty && pair.input.takeEvents().isEmpty,
      "events that were taken came again")
  }
}
