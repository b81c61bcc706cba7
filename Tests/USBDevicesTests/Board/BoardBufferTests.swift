// SPDX-License-Identifier: Apache-2.0

import Devices
import Foundation
import SeededRandom
import Testing
import USBModels
import Units

@testable import USBDevices

/// How small a board's buffer may be: the figures of docs/PROTOCOL-BOARD.md.
struct BoardBufferTests {
  private static let rate = 48_000.0

  /// Frames that were missed in some seconds of drive at full speed, on a host that is late by up to so many
  /// milliseconds each time it wakes.
  private func missed(buffer milliseconds: Int, late: Double) throws -> Int {
    let identity = BoardIdentity(
      tickRate: 12_000_000, driveRates: [48_000], sensorRates: [48_000], driveChannelCount: 1,
      sensorChannelCount: 1, bufferFrames: UInt16(Double(milliseconds) * 1e-3 * Self.rate),
      fullScaleMicrovolts: 4_000_000, sensorFullScale: 160_000_000, serial: "BOARD-1")
    let board = FakeBoard(BoardDevice(identity, plant: IdlePlant()), drift: 100)
    let random = Guarded(SeededRandom(seed: 0x1a7e))
    // Full speed carries two packets of the longest kind each way in a frame.
    let bus = FakeUSBBus(packetsPerTick: 2) {
      random.withLock { UInt64($0.uniform(0...1e6 * late)) }
    }
    bus.plug(FullSpeedDevice(board))
    let rig = try USBRig(
      BoardFixture.description(rate: Self.rate), device: USBDescription(selection: USBSelection()),
      halves: .drive, on: bus)
    let drive = try #require(rig.drive)
    try drive.start()
    let block = [Float](repeating: 0.5, count: 64)
    var left = Int(3 * Self.rate)
    while left > 0 { left -= try drive.write(block.span) }
    try drive.stop()
    return drive.takeEvents().filter { $0.kind == .underrun }.reduce(0) { $0 + $1.length }
  }

  /// The rows of the document's table: how late the host is, and the shortest buffer that carries the drive over it.
  private static let figures: [(late: Double, buffer: Int)] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "docs/PROTOCOL-BOARD.md")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let table = lines.drop { !$0.hasPrefix("| the host wakes late") }.prefix { $0.hasPrefix("|") }
    return table.compactMap { line in
      let words = line.split { " |".contains($0) }
      guard words.count == 4, let late = Double(words[0]), let buffer = Int(words[2]) else {
        return nil
      }
      return (late, buffer)
    }
  }()

  @Test func `the document's buffers carry the drive over a late host, and shorter ones do not`()
    throws
  {
    #expect(Self.figures.count >= 4)
    for (late, buffer) in Self.figures {
      let isShortest =
        try missed(buffer: buffer, late: late) == 0 && missed(buffer: buffer - 1, late: late) > 0
      guard !isShortest else { continue }
      let least = try (2...60).first { try missed(buffer: $0, late: late) == 0 }
      Issue.record(
        "\(late) ms late: \(least.map(String.init) ?? "more than 60") ms, not \(buffer) ms")
    }
  }
}

/// A board of which only the frames count.
private struct IdlePlant: BoardPlant {
  func drive(_ samples: [Int32], frame: Int?, at tick: UInt64) {}

  func sense(at tick: UInt64) -> [Int32] { [0] }
}
