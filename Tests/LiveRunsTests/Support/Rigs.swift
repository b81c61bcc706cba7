// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import LiveRuns
import ScratchFolder
import SeededRandom
import Units

enum Rigs {
  /// Two channels out, of which one is a reference, and so many in.
  static func described(inputs: Int = 2) -> RigDescription {
    RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: .file(FileDescription()), rate: .standard, channels: [.haptic: 1, .reference: 2],
        fullScaleVolts: 4),
      capture: CaptureDescription(
        kind: .file,
        channels: (0..<inputs).map {
          CaptureChannelDescription(
            name: "z\($0)", role: .acceleration, unit: .metrePerSecondSquared, input: $0 + 1)
        }),
      actuators: [
        Actuator(
          id: "lra-1", model: "m", limits: DriveLimits(continuousVolts: 2, peakVolts: 4))
      ])
  }

  /// Frames of so many channels, one closed form of frame and channel: what is read can be told to be whole.
  static func value(_ frame: Int, _ channel: Int) -> Float {
    // Whole numbers that float32 holds, spread so that bins differ from one another.
    let mixed = (UInt32(truncatingIfNeeded: frame) &+ UInt32(channel) &* 7919) &* 2_654_435_761
    return Float(mixed >> 9)
  }

  static func frames(_ range: Range<Int>, channels: Range<Int>) -> [Float] {
    range.flatMap { frame in channels.map { value(frame, $0) } }
  }

  /// The smallest and the largest of some frames.
  static func extremes(_ range: Range<Int>, channel: Int) -> (low: Float, high: Float) {
    var (low, high) = (Float.infinity, -Float.infinity)
    for frame in range {
      let value = value(frame, channel)
      (low, high) = (min(low, value), max(high, value))
    }
    return (low, high)
  }
}

extension LiveEvent.Start {
  static func made(id: String = "20261125-230501-4711") -> Self {
    Self(
      id: id, program: "haprig 9.9-test", process: 4711, host: "bench",
      started: "2026-11-25T23:05:01Z", command: "run", arguments: ["tap.ahap"])
  }
}

extension LiveEvent.Work {
  static var made: Self { Self(rig: "bench", title: "run test") }
}

/// A runtime folder of a test's own, with writers in it.
struct LivePlace {
  let scratch: ScratchFolder
  var folder: String { scratch.file("live") }

  init() throws { scratch = try ScratchFolder() }

  func writer(id: String = "20261125-230501-4711") -> LiveWriter {
    LiveWriter(folder: folder) { .made(id: id) }
  }

  /// Everything that a reader gets, looked for until a state other than working or so many lines.
  func read(_ reader: inout LiveReader, lines count: Int = .max) throws -> [RawLine] {
    var lines: [RawLine] = []
    while reader.state == .working, lines.count < count { lines += try reader.next() }
    return lines
  }
}
