// SPDX-License-Identifier: Apache-2.0

import Devices
import Synchronization
import Testing

@testable import ALSADevices

/// What the engine does while nothing goes wrong.
struct DuplexEngineTests {
  @Test(arguments: [true, false], [0, 7, 300])
  func `drive frame k comes back as capture frame k, however the two were started`(
    isLinked: Bool, skew: Int
  ) {
    var card = ScriptedCard()
    card.isLinked = isLinked
    // A skew beyond the buffer would be an overrun at once.
    card.skew = min(skew, 200)
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 200)
    #expect(bench.code == 0)
    let (right, wrong) = bench.comparison(
      drive: bench.shared.drive.withLock { $0.takeEvents() },
      capture: bench.shared.capture.withLock { $0.takeEvents() })
    #expect(wrong == nil)
    #expect(right > 10_000)
  }

  @Test func `an offset between two starts is told with where it comes from`() {
    var card = ScriptedCard()
    card.skew = 9
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    guard case .unlinked(let offset, let uncertainty, _) = bench.tally.start else {
      Issue.record("\(bench.tally.start)")
      return
    }
    #expect(abs(offset - 9 * 20e-6) < 1e-12)
    #expect(uncertainty > 0 && uncertainty < 20e-6)
  }

  @Test(arguments: [1, 3, 17])
  func `short transfers lose nothing`(most: Int) {
    var card = ScriptedCard()
    card.most = most
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 100)
    let (right, wrong) = bench.comparison(
      drive: bench.shared.drive.withLock { $0.takeEvents() },
      capture: bench.shared.capture.withLock { $0.takeEvents() })
    #expect(wrong == nil)
    #expect(right > 5000)
    #expect(bench.tally.xruns == 0)
  }

  @Test func `an interrupted wait, a false alarm and a silent one change nothing`() {
    var card = ScriptedCard()
    for wait in stride(from: 10, to: 100, by: 9) {
      card.troubles[wait] = .interrupted
      card.troubles[wait + 1] = .spurious
      card.troubles[wait + 2] = .interrupted
    }
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 300)
    let (right, wrong) = bench.comparison(
      drive: bench.shared.drive.withLock { $0.takeEvents() },
      capture: bench.shared.capture.withLock { $0.takeEvents() })
    #expect(wrong == nil)
    #expect(right > 10_000)
    #expect(bench.tally.xruns == 0)
    #expect(bench.tally.spurious == 10)
    #expect(bench.engine.pcms.pauses == 10)
  }

  @Test
  func `drive frames that come late are zeros, told and dropped, and later ones keep their time`() {
    var bench = EngineFixture(ScriptedCard(), queueFrames: 1024)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 20)
    // The session is away for longer than the queue lasts.
    bench.serve(rounds: 60, isFed: false)
    bench.feed(upTo: 512)
    bench.serve(rounds: 100)
    let drive = bench.shared.drive.withLock { $0.takeEvents() }
    #expect(drive.allSatisfy { $0.kind == .underrun })
    #expect(drive.map(\.length).reduce(0, +) > 1000)
    let (right, wrong) = bench.comparison(drive: drive, capture: [])
    #expect(wrong == nil)
    #expect(right > 5000)
    for event in drive { for frame in event.frames { #expect(bench.captured[frame] == 0) } }
  }

  @Test func `capture frames that nobody fetches are zeros, told, and later ones keep their time`()
  {
    var bench = EngineFixture(ScriptedCard(), queueFrames: 1024)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 20)
    bench.serve(rounds: 200, isHeard: false)
    bench.serve(rounds: 100)
    let capture = bench.shared.capture.withLock { $0.takeEvents() }
    #expect(!capture.isEmpty && capture.allSatisfy { $0.kind == .overrun })
    let (right, wrong) = bench.comparison(drive: [], capture: capture)
    #expect(wrong == nil)
    #expect(right > 5000)
    for event in capture { for frame in event.frames { #expect(bench.captured[frame] == 0) } }
  }

  @Test func `silence drives zeros within half a period and a round`() throws {
    var bench = EngineFixture(ScriptedCard(period: 64, buffer: 256))
    #expect(bench.begin() == 0)
    bench.serve(rounds: 50)
    bench.shared.isSilenced.store(true, ordering: .releasing)
    let before = bench.engine.pcms.world.count
    bench.serve(rounds: 50, isFed: false)
    let tail = bench.engine.pcms.world[(before + 96)...]
    #expect(tail.count > 1000)
    #expect(tail.allSatisfy { $0 == 0 })
    #expect(bench.isHushed == true)
    #expect(bench.tally.xruns == 0)
    #expect(bench.shared.drive.withLock({ $0.takeEvents() }).isEmpty)
  }

  @Test func `a card that gives nothing back is silenced by a new start`() {
    var card = ScriptedCard(period: 64, buffer: 512)
    card.canRewind = false
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 50)
    bench.shared.isSilenced.store(true, ordering: .releasing)
    let before = bench.engine.pcms.world.count
    bench.serve(rounds: 50, isFed: false)
    #expect(bench.engine.pcms.world[(before + 64)...].allSatisfy { $0 == 0 })
    #expect(bench.engine.pcms.starts == 2)
  }

  @Test func `the loop's end leaves the output at rest`() {
    var bench = EngineFixture(ScriptedCard())
    #expect(bench.begin() == 0)
    bench.shared.isEnding.store(true, ordering: .releasing)
    #expect(bench.engine.serve() == 0)
    #expect(bench.isDropped == true)
  }

  @Test func `a card without a clock is refused instead of spun on`() {
    var card = ScriptedCard()
    card.most = 64
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    // Frames that no time could have played.
    bench.engine.drive.reset(lead: 0)
    bench.engine.drive.took(1_000_000)
    bench.serve(rounds: 1)
    #expect(bench.code == StreamFault.unpaced)
  }

  @Test func `a second take begins at frame 0 with nothing of the first`() {
    var bench = EngineFixture(ScriptedCard())
    #expect(bench.begin() == 0)
    bench.serve(rounds: 30)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 30)
    let (right, wrong) = bench.comparison(drive: [], capture: [])
    #expect(wrong == nil)
    #expect(right > 1000)
  }

  @Test(arguments: [-80.0, 35, 150])
  func `the drift between two cards is found, and leaves the frames alone`(ppm: Double) throws {
    var card = ScriptedCard(period: 512, buffer: 2048)
    card.capturePPM = ppm
    var bench = EngineFixture(card, queueFrames: 8192)
    #expect(bench.begin() == 0)
    bench.feed(upTo: 6000)
    for _ in 0..<3000 {
      bench.serve(rounds: 1, isFed: false)
      bench.feed(upTo: 6000)
    }
    #expect(bench.code == 0)
    let statistics = bench.engine.statistics(isThreaded: true)
    let drift = try #require(statistics.drift)
    // The scripted card counts whole frames: its own steps are of 20 us.
    #expect(abs(drift.ppm - ppm) < 0.5)
    #expect(abs(try #require(statistics.driveRate).ppm) < 0.5)
    #expect(bench.shared.capture.withLock({ $0.takeEvents() }).isEmpty)
  }
}
