// SPDX-License-Identifier: Apache-2.0

import DeviceConformance
import Devices
import Testing

@testable import ALSADevices

/// The ports over a card on a time of its own, with the thread that a real one gets.
struct PortTests {
  private static let paced = DeviceConformance(.loopedBack, delay: 256 + 4096, quiet: 0.01) {
    StreamFixture(ScriptedCard(channels: 2)).pair
  }
  private static let lockStep = DeviceConformance(
    [.repeatable, .loopedBack], delay: 300, quiet: 0.01
  ) {
    StreamFixture(ScriptedCard(channels: 2), isLockStep: true).pair
  }

  @Test(arguments: DeviceConformance.checks(.loopedBack))
  func `a card with its own time keeps the contract`(_ check: DeviceConformance.Check) throws {
    try Self.paced.run(check)
  }

  @Test(arguments: DeviceConformance.checks([.repeatable, .loopedBack]))
  func `a card that waits keeps the contract`(_ check: DeviceConformance.Check) throws {
    try Self.lockStep.run(check)
  }

  @Test(arguments: [true, false], [10, 1000, 30_000])
  func `everything that is sent is heard at its own frame`(isLockStep: Bool, total: Int) throws {
    let bench = StreamFixture(ScriptedCard(), isLockStep: isLockStep)
    let heard = try bench.play(total)
    // Five volts at full scale.
    #expect(heard == (0..<total).map { 5 * EngineFixture.sample($0) })
    #expect(bench.drive.takeEvents().isEmpty)
    #expect(bench.sensors.takeEvents().isEmpty)
  }

  @Test func `a stream's statistics stand after its stop`() throws {
    var card = ScriptedCard()
    card.troubles[60] = .stall(frames: 900)
    let bench = StreamFixture(card)
    #expect(bench.drive.statistics() == nil)
    _ = try bench.play(40_000)
    let statistics = try #require(bench.drive.statistics())
    #expect(statistics.xruns == 1)
    #expect(statistics.duration > 0.8)
    #expect(try #require(statistics.xrunsPerHourBound) > 3600)
    #expect(try #require(statistics.jitter).total > 100)
    #expect(abs(try #require(statistics.cpuShare) - 0.01) < 0.001)
    #expect(statistics.scheduling != nil)
    #expect(statistics.memoryLock != nil)
    #expect(statistics.timestamps == .kernel)
    #expect(bench.sensors.takeEvents().map(\.kind) == [.overrun])
  }

  @Test func `an unplugged card is an error of the next call that says what to do`() throws {
    var card = ScriptedCard()
    card.troubles[50] = .unplug
    let bench = StreamFixture(card)
    let error = #expect(throws: DeviceError.self) { try bench.play(40_000) }
    #expect(error?.code == .unplugged)
    #expect(error?.message.contains("'hw:A' was unplugged while it was in use: plug it in") == true)
    try? bench.drive.stop()
    try bench.sensors.stop()
    #expect(throws: DeviceError.self) { try bench.drive.start() }
  }

  @Test func `the capture starts before the first drive frame`() throws {
    let bench = StreamFixture(ScriptedCard())
    try bench.drive.start()
    let frame: [Float] = [0]
    _ = try bench.drive.write(frame.span)
    let error = #expect(throws: DeviceError.self) { try bench.sensors.start() }
    #expect(error?.code == .refused)
    try bench.drive.stop()
  }

  @Test func `clipped samples of the converter are overloads of their channel`() throws {
    let bench = StreamFixture(ScriptedCard(), isLockStep: true)
    try bench.drive.start()
    try bench.sensors.start()
    var frames = [Float](repeating: 0.5, count: 2000)
    for place in [700, 710, 1900] { frames[place] = 1 }
    _ = try bench.drive.write(frames.span)
    var room = [Float](repeating: 0, count: 2000)
    try bench.drive.stop()
    var count = 0
    while count < 2000 {
      var span = room.mutableSpan
      count += try bench.sensors.read(into: &span)
    }
    let events = bench.sensors.takeEvents()
    #expect(events.map(\.kind) == [.overload, .overload])
    #expect(events.map(\.frames) == [700..<711, 1900..<1901])
    #expect(events.map(\.channel) == ["loop", "loop"])
    try bench.sensors.stop()
  }

  @Test func `a stream that is let go in mid-play ends`() throws {
    let bench = StreamFixture(ScriptedCard())
    try bench.drive.start()
    try bench.sensors.start()
    let frames = [Float](repeating: 0.1, count: StreamFixture.driveDepth)
    var done = 0
    while done < frames.count { done += try bench.drive.write(frames.span.extracting(done...)) }
  }
}
