// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Units
import VirtualDevices

/// Real time, with a clock that is moved by hand.
struct PacingTests {
  private let clock = ManualClock()
  private let start: UInt64 = 1_000_000_000

  /// A rig on the manual clock with a period of 480 frames, 10 ms, and a wire as its only channel.
  private func open() throws -> SimulatedRig {
    var bench = SimulatedFixture()
    bench.simulation.clock = .real
    bench.capture = [SimulatedFixture.reference]
    bench.period = 480
    return try SimulatedRig(bench.description, clock: clock)
  }

  private func began(_ rig: SimulatedRig) throws {
    try rig.drive.start()
    try rig.sensors.start()
  }

  private var elapsed: Double { Double(clock.now() - start) * 1e-9 }

  @Test func `four periods are taken at once and the fifth waits for the first`() throws {
    let rig = try open()
    try began(rig)
    try send(rig.drive, 0..<1_920) { _ in 0.5 }
    #expect(elapsed == 0)
    try send(rig.drive, 1_920..<2_400) { _ in 0.5 }
    #expect(abs(elapsed - 0.01) < 1e-6, "\(elapsed) s")
    #expect(rig.drive.clockReading()?.frame == 480)
  }

  @Test func `a read waits until its frames have come`() throws {
    let rig = try open()
    try began(rig)
    try send(rig.drive, 0..<1_920) { _ in 0.5 }
    let received = try read(rig.sensors, frames: 480)
    #expect(received.count == 480)
    #expect(abs(elapsed - 0.01) < 1e-6, "\(elapsed) s")
    #expect(rig.sensors.clockReading()?.frame == 480)
  }

  @Test func `frames that come after their time are underruns and were played as zeros`() throws {
    let rig = try open()
    try began(rig)
    try send(rig.drive, 0..<960) { _ in 0.5 }
    // The drive's last frame is over at 20 ms; 5 ms later the next ones come.
    clock.advance(seconds: 0.025)
    try send(rig.drive, 960..<1_920) { _ in 0.5 }
    try rig.drive.stop()
    #expect(rig.drive.takeEvents() == [StreamEvent(kind: .underrun, frame: 960, length: 240)])
    var heard: [Float] = []
    while heard.count < 1_920 { heard += try read(rig.sensors, frames: 480) }
    #expect(heard[960..<1_200].allSatisfy { abs($0) < 1e-6 })
    #expect(heard[..<960].allSatisfy { $0 == 2 })
    #expect(heard[1_200...].allSatisfy { $0 == 2 })
    #expect(try read(rig.sensors, frames: 480).isEmpty)
  }

  @Test func `a stop waits until everything sent has been played`() throws {
    let rig = try open()
    try began(rig)
    try send(rig.drive, 0..<1_440) { _ in 0.5 }
    try rig.drive.stop()
    #expect(abs(elapsed - 0.03) < 1e-6, "\(elapsed) s")
  }

  @Test func `silence drops what was sent and not yet played`() throws {
    let rig = try open()
    try began(rig)
    try send(rig.drive, 0..<1_920) { _ in 0.5 }
    clock.advance(seconds: 0.015)
    rig.drive.silence()
    try rig.drive.stop()
    var heard: [Float] = []
    while heard.count < 1_920 { heard += try read(rig.sensors, frames: 480) }
    #expect(heard[..<720].allSatisfy { $0 == 2 })
    #expect(heard[721...].allSatisfy { abs($0) < 1e-6 })
  }

  @Test func `frames that nobody fetches for a second are lost and named`() throws {
    let rig = try open()
    try began(rig)
    for block in 0..<150 { try send(rig.drive, (block * 480)..<(block * 480 + 480)) { _ in 0.5 } }
    try rig.drive.stop()
    // 1.5 s were played: the first half second is gone.
    var heard: [Float] = []
    while heard.count < 72_000 { heard += try read(rig.sensors, frames: 4_800) }
    let events = rig.sensors.takeEvents()
    #expect(events == [StreamEvent(kind: .overrun, frame: 0, length: 24_000)])
    #expect(heard[..<24_000].allSatisfy { abs($0) < 1e-6 })
    #expect(heard[24_000...].allSatisfy { $0 == 2 })
  }

  @Test func `clocks that differ drift apart as described`() throws {
    var bench = SimulatedFixture()
    bench.simulation.clock = .real
    bench.simulation.drive.clockOffset = 200e-6
    bench.simulation.capture.clockOffset = -300e-6
    bench.capture = [SimulatedFixture.reference]
    let rig = try SimulatedRig(bench.description, clock: clock)
    try began(rig)
    try send(rig.drive, 0..<256) { _ in 0 }
    clock.advance(seconds: 10)
    #expect(rig.drive.clockReading()?.frame == 480_096)
    #expect(rig.sensors.clockReading()?.frame == 479_856)
    #expect(rig.drive.clockReading()?.nanoseconds == clock.now())
  }

  @Test func `a capture cannot start after the drive`() throws {
    let rig = try open()
    try rig.drive.start()
    try send(rig.drive, 0..<10) { _ in 0 }
    let error = #expect(throws: DeviceError.self) { try rig.sensors.start() }
    #expect(error?.code == .refused)
  }
}
