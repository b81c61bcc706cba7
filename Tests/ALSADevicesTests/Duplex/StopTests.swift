// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

@testable import ALSADevices

/// A request to stop reaches the card through its own thread, with nobody's help.
struct StopTests {
  @Test(arguments: [64, 256, 1024], [true, false])
  func `no frame sounds a period after the request, wherever in a period it is made`(
    period: Int, canRewind: Bool
  ) {
    for phase in stride(from: 0, to: period, by: period / 16) {
      let frame = 6 * period + 10_000 + phase
      var card = ScriptedCard(period: period, buffer: 4 * period)
      card.canRewind = canRewind
      card.stopping = (StopSignal(), frame)
      var bench = EngineFixture(card, queueFrames: 16_384)
      #expect(bench.begin() == 0)
      bench.feed(upTo: 8192)
      while bench.engine.pcms.world.count < frame + 10 * period, bench.code == 0 {
        bench.serve(rounds: 1, isFed: false)
        bench.feed(upTo: 8192)
      }
      #expect(bench.code == 0)
      let world = bench.engine.pcms.world
      #expect(world[(frame - period)...frame].allSatisfy { $0 != 0 }, "before frame \(frame)")
      let last = world.lastIndex { $0 != 0 } ?? 0
      #expect(last <= frame + period, "frame \(last) sounds after a request at \(frame)")
      #expect(bench.tally.xruns == 0)
    }
  }

  @Test func `a request from before the start lets nothing out`() {
    var card = ScriptedCard()
    let stop = StopSignal()
    stop.request(2)
    card.stopping = (stop, 0)
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 100)
    #expect(bench.engine.pcms.world.count > 1000)
    #expect(bench.engine.pcms.world.allSatisfy { $0 == 0 })
  }

  @Test func `what was sent before a request in lock-step is the last that sounds`() throws {
    let stop = StopSignal()
    var card = ScriptedCard(channels: 2)
    card.stopping = (stop, Int.max)
    let bench = StreamFixture(card, isLockStep: true)
    let heard = try bench.play(4000) { sent in if sent == 1500 { stop.request(15) } }
    #expect(heard.count == 4000)
    #expect(heard[..<1500].allSatisfy { $0 != 0 })
    #expect(heard[1500...].allSatisfy { $0 == 0 })
  }
}
