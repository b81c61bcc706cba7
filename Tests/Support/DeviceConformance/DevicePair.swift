// SPDX-License-Identifier: Apache-2.0

public import Devices

/// The two halves of one open rig.
public struct DevicePair {
  /// Where drive leaves.
  public let output: any DriveOutput
  /// Where the sensors come in.
  public let input: any SensorInput

  /// Makes a pair of halves that belong together.
  public init(output: any DriveOutput, input: any SensorInput) {
    self.output = output
    self.input = input
  }
}

/// What one take of a check delivered.
struct Take {
  /// Interleaved capture samples.
  var samples: [Float] = []
  /// Frames that the drive took.
  var sent = 0
  /// Frames that the capture delivered.
  var received = 0
  var driveEvents: [StreamEvent] = []
  var captureEvents: [StreamEvent] = []

  /// The samples of one channel.
  func channel(_ index: Int, of count: Int) -> [Float] {
    stride(from: index, to: samples.count, by: count).map { samples[$0] }
  }
}

extension DevicePair {
  /// Plays a signal in blocks of the sizes given in turn, and collects what comes back.
  ///
  /// Requires on the way what holds of every call. `during` runs before each block with the frame
  /// that the block begins at.
  func play(
    frames total: Int, blocks: [Int], during: (Int) -> Void = { _ in },
    signal: (_ frame: Int, _ channel: Int) -> Float
  ) throws -> Take {
    var take = Take()
    try output.start()
    try input.start()
    var turn = 0
    while take.sent < total {
      let count = min(blocks[turn % blocks.count], total - take.sent)
      turn += 1
      during(take.sent)
      try send(count, signal, &take)
      try receive(count, &take)
    }
    try output.stop()
    while take.received < take.sent, try receive(512, &take) > 0 {}
    try require(
      take.received == take.sent,
      "after stop the capture drained to frame \(take.received), and \(take.sent) were driven")
    try input.stop()
    let (drive, capture) = (output.seenEvents(), input.seenEvents())
    take.driveEvents = output.takeEvents()
    take.captureEvents = input.takeEvents()
    for (seen, taken) in [(drive, take.driveEvents), (capture, take.captureEvents)] {
      try require(
        seen.count == taken.count && Set(seen) == Set(taken),
        "before the events \(taken) were taken, \(seen) were seen: a look takes nothing away")
    }
    return take
  }

  private func send(
    _ count: Int, _ signal: (Int, Int) -> Float, _ take: inout Take
  ) throws {
    let width = output.format.channelCount
    let first = take.sent
    var block: [Float] = []
    for frame in first..<(first + count) {
      for channel in 0..<width { block.append(signal(frame, channel)) }
    }
    var done = 0
    while done < count {
      let taken = try output.write(block.span.extracting((done * width)..<(count * width)))
      try require(
        (1...(count - done)).contains(taken),
        "write took \(taken) of \(count - done) frames: it has to take at least one, never more")
      done += taken
      take.sent += taken
    }
  }

  @discardableResult
  private func receive(_ count: Int, _ take: inout Take) throws -> Int {
    let width = input.format.channelCount
    var block = [Float](repeating: 0, count: count * width)
    var total = 0
    // More room than frames were sent: a device that ran ahead would show it.
    while true {
      var span = block.mutableSpan
      let taken = try input.read(into: &span)
      try require((0...count).contains(taken), "read gave \(taken) frames into room for \(count)")
      guard taken > 0 else { return total }
      take.samples += block[..<(taken * width)]
      take.received += taken
      total += taken
      try require(
        take.received <= take.sent,
        "the capture is at frame \(take.received) and the drive only at \(take.sent)")
      if take.received == take.sent { return total }
    }
  }
}
