// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Glibc
import Testing
import Units

@testable import RigDevices

/// Drive and capture on two devices with clocks of their own, lined up by the markers of a take.
struct MixedRigTests {
  private func reading(_ mixed: MixedTake, _ kind: ReadingKind, event: Int? = nil) throws -> Reading
  {
    try #require(
      mixed.result.readings.first { $0.name == ReadingName(kind) && $0.event == event },
      "\(kind.rawValue)")
  }

  private func expect(
    _ mixed: MixedTake, _ kind: ReadingKind, event: Int? = nil, is truth: Double, floor: Double,
    _ comment: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reading = try reading(mixed, kind, event: event)
    let value = try #require(
      reading.value, "\(comment): \(reading.note ?? "")", sourceLocation: sourceLocation)
    let uncertainty = try #require(reading.uncertainty, sourceLocation: sourceLocation)
    #expect(
      abs(value - truth) <= 4 * uncertainty + floor,
      "\(comment): \(kind.rawValue) \(value) ± \(uncertainty), truth \(truth)",
      sourceLocation: sourceLocation)
  }

  /// More pairs of clocks where HAPRIG_USB_MILLION is set, as `make check` does it.
  private static let isLong = getenv("HAPRIG_USB_MILLION") != nil
  private static let clocks: [(drive: Double, capture: Double, jitter: Int)] =
    [(-90, 60, 40)] + (isLong ? [(150, 0, 0), (-150, 0, 40), (0, 150, 40)] : [])
  private static let cuts: [(MixedTake.Wiring, MixedTake.Wire)] =
    isLong
    ? MixedTake.Wiring.wired.flatMap { [($0, .cut), ($0, .none)] }
    : [(.boardAndCard, .cut), (.cardAndBoard, .none)]

  @Test(arguments: MixedTake.Wiring.wired, clocks)
  func `latency and onsets come back across two clocks`(
    wiring: MixedTake.Wiring, clocks: (drive: Double, capture: Double, jitter: Int)
  ) async throws {
    let mixed = try await MixedTake(
      wiring, drive: clocks.drive, capture: clocks.capture, jitter: clocks.jitter, seed: 0x77)
    let name = "\(wiring) at \(clocks)"
    #expect(mixed.recording.fault == nil, "\(name)")
    #expect(mixed.recording.captureEvents.isEmpty && mixed.recording.driveEvents.isEmpty, "\(name)")
    #expect(mixed.world.missing == 0, "\(name)")
    let starts = try #require(mixed.world.starts)
    let pace = (1 + clocks.capture * 1e-6) / (1 + clocks.drive * 1e-6)
    try expect(mixed, .drift, is: (pace - 1) * 1e6, floor: 0.05, name)
    // Capture frames from the capture's start to drive frame 0's arrival, as seconds of its clock.
    let electrical = (starts.drive + World.wire - starts.capture) * (1 + clocks.capture * 1e-6)
    try expect(mixed, .latencyElectrical, is: electrical, floor: 1e-8, name)
    try expect(mixed, .latencyTransport, is: World.transport, floor: 1e-6, name)
    for event in 0..<3 {
      let onset = mixed.onset(event) + World.transport
      try expect(mixed, .latencyOnset, event: event, is: onset, floor: 2e-6, name)
    }
  }

  @Test(arguments: clocks)
  func `a breakout beside a board is laid on its drive by the host's clock`(
    clocks: (drive: Double, capture: Double, jitter: Int)
  ) async throws {
    let mixed = try await MixedTake(
      .boardAndBreakout, drive: clocks.drive, capture: clocks.capture, jitter: clocks.jitter,
      wire: .none, seed: 0x7a)
    let name = "\(clocks)"
    #expect(mixed.recording.fault == nil, "\(name)")
    #expect(mixed.recording.frameCount == mixed.take.layout.frameCount)
    #expect(mixed.recording.captureEvents.isEmpty && mixed.recording.driveEvents.isEmpty, "\(name)")
    #expect(mixed.world.missing == 0, "\(name)")
    let statistics = try #require(mixed.recording.statistics)
    guard case .unlinked = statistics.start else {
      Issue.record("started as \(statistics.start)")
      return
    }
    let pace = (1 + clocks.capture * 1e-6) / (1 + clocks.drive * 1e-6)
    try expect(mixed, .drift, is: (pace - 1) * 1e6, floor: 0.05, name)
    for event in 0..<3 {
      // What every sample waits for stays in the delay, and the first look at the board's clock was late by
      // what its packet took.
      let truth = mixed.onset(event) + World.wire + World.transport + WorldBreakout.wait
      let onset = try reading(mixed, .latencyOnset, event: event)
      let value = try #require(onset.value, "\(name): \(onset.note ?? "")")
      #expect(abs(value - truth) < 0.3e-3, "\(name): \(value), truth \(truth)")
      // How the samples were laid is in the uncertainty.
      #expect(try #require(onset.uncertainty) >= 1e-3)
    }
  }

  @Test(arguments: cuts)
  func `without markers no event is timed`(
    wiring: MixedTake.Wiring, wire: MixedTake.Wire
  ) async throws {
    let mixed = try await MixedTake(wiring, drive: 150, capture: 0, wire: wire, seed: 0x78)
    #expect(mixed.recording.fault == nil)
    for event in 0..<3 {
      let onset = try reading(mixed, .latencyOnset, event: event)
      #expect(onset.value == nil && onset.verdict == .notMeasured, "\(wiring), \(wire)")
      #expect(onset.note?.contains("two devices") == true, "\(onset.note ?? "nothing")")
    }
    #expect(try reading(mixed, .latencyElectrical).value == nil)
    #expect(mixed.result.readings.allSatisfy { $0.name.kind != .latencyTotal })
  }

  @Test func `the account of both devices says that they are two`() async throws {
    let mixed = try await MixedTake(.twoBoards, drive: 150, capture: -60, seed: 0x79)
    let statistics = try #require(mixed.recording.statistics)
    guard case .separate = statistics.start else {
      Issue.record("started as \(statistics.start)")
      return
    }
    // Each board's rate is its own, against the host's clock.
    let (drive, capture) = (
      try #require(statistics.driveRate), try #require(statistics.captureRate)
    )
    #expect(abs(drive.ppm - 150) <= 3.0.squareRoot() * drive.uncertainty + 1e-6, "\(drive)")
    #expect(abs(capture.ppm + 60) <= 3.0.squareRoot() * capture.uncertainty + 1e-6, "\(capture)")
    let transfers = try #require(statistics.transfers)
    #expect(transfers.output.total > 100 && transfers.input.total > 10)
    #expect(transfers.pollingInterval == 125e-6)
    // Each says of itself what it does here.
    #expect(statistics.statements.map(\.device) == ["DRIVE", "FEEL"])
    #expect(statistics.statements.map { $0.driveDelay != nil } == [true, false])
    #expect(statistics.statements.map(\.sensorRate) == [nil, 24_000])
  }
}
