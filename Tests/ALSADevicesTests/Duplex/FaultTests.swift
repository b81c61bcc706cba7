// SPDX-License-Identifier: Apache-2.0

import Devices
import SeededRandom
import Synchronization
import Testing

@testable import ALSADevices

/// What the engine does with a stream that breaks.
struct FaultTests {
  @Test(arguments: [true, false])
  func `fifty xruns leave every other frame at its exact time`(isLinked: Bool) {
    var card = ScriptedCard()
    card.isLinked = isLinked
    for number in 1...50 { card.troubles[40 * number] = .stall(frames: 300 + 37 * number) }
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 2400)
    #expect(bench.code == 0)
    #expect(bench.tally.xruns == 50)
    let (drive, capture) = (
      bench.shared.drive.withLock { $0.takeEvents() },
      bench.shared.capture.withLock { $0.takeEvents() }
    )
    #expect(drive.count == 50 && drive.allSatisfy { $0.kind == .underrun })
    #expect(capture.count == 50 && capture.allSatisfy { $0.kind == .overrun })
    let (right, wrong) = bench.comparison(drive: drive, capture: capture)
    #expect(wrong == nil)
    #expect(right > 50_000)
    // What is in an event is not heard at all: the marks are no wider than the loss.
    let gap = capture.map(\.length).reduce(0, +)
    #expect(gap < 50 * (300 + 37 * 50 + 600))
  }

  @Test(arguments: [ScriptedCard.Stamps.zero, .backwards, .stale])
  func `stamps that cannot be true are not believed, and gaps still keep their place`(
    stamps: ScriptedCard.Stamps
  ) {
    var card = ScriptedCard()
    card.isLinked = true
    card.stamps = stamps
    for number in 1...10 { card.troubles[60 * number] = .stall(frames: 700) }
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 900)
    #expect(bench.tally.xruns == 10)
    let (right, wrong) = bench.comparison(
      drive: bench.shared.drive.withLock { $0.takeEvents() },
      capture: bench.shared.capture.withLock { $0.takeEvents() },
      tolerance: 1)
    #expect(wrong == nil)
    #expect(right > 20_000)
    let statistics = bench.engine.statistics(isThreaded: true)
    if case .kernel = statistics.timestamps { #expect(stamps == .stale) }
  }

  @Test func `a capture that loses frames without a word keeps up with the drive`() {
    var card = ScriptedCard()
    // Three frames of ten are lost, and no xrun says so.
    card.capturePPM = -300_000
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 16_000)
    #expect(bench.code == 0)
    let played = bench.shared.played.load(ordering: .relaxed)
    #expect(played > 400_000)
    // A second is the patience; what is lost since the last time is on its way.
    let behind = played - bench.captured.count
    #expect(behind < 52_000, "\(behind) of \(played)")
    let events = bench.shared.capture.withLock { $0.takeEvents() }
    let lost = events.reduce(0) { $0 + $1.length }
    #expect(bench.tally.xruns > 1 && events.allSatisfy { $0.kind == .overrun })
    #expect(abs(Double(lost + behind) - 0.3 * Double(played)) < 0.02 * Double(played))
    // The frames that are marked are the zeros, and they alone.
    for event in events {
      #expect(event.frames.allSatisfy { bench.captured[$0] == 0 })
    }
    let zeros = bench.captured.count { $0 == 0 }
    #expect(zeros == lost)
  }

  @Test func `clocks that differ as clocks do lose nothing`() {
    for ppm in [-400.0, 400] {
      var card = ScriptedCard()
      card.capturePPM = ppm
      var bench = EngineFixture(card)
      #expect(bench.begin() == 0)
      bench.serve(rounds: 20_000)
      #expect(bench.code == 0 && bench.tally.xruns == 0)
      #expect(bench.shared.capture.withLock { $0.takeEvents() }.isEmpty)
    }
  }

  @Test(arguments: [Int32(0), -38, -11])
  func `a suspended card goes on, with the time it slept as a gap`(resumes: Int32) {
    var card = ScriptedCard()
    card.troubles[40] = .suspend(resumes: resumes)
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 300)
    #expect(bench.code == 0)
    #expect(bench.tally.suspensions == 1)
    #expect(bench.tally.xruns == 0)
    let (drive, capture) = (
      bench.shared.drive.withLock { $0.takeEvents() },
      bench.shared.capture.withLock { $0.takeEvents() }
    )
    let (right, wrong) = bench.comparison(drive: drive, capture: capture, tolerance: 1)
    #expect(wrong == nil)
    #expect(right > 5000)
    #expect(capture.map(\.length).reduce(0, +) >= 5000)
  }

  @Test(arguments: 1...40)
  func `a card that is unplugged at any moment ends the stream with that`(wait: Int) {
    var card = ScriptedCard()
    card.troubles[wait] = .unplug
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 100)
    #expect(bench.code == -19)
    #expect(bench.begin() == -19)
    let names = DuplexNames(rig: "bench", playback: "hw:A", capture: "hw:A")
    #expect(names.error(-19, at: "stream").code == .unplugged)
  }

  @Test func `a card that stands still is told from one that is slow to begin`() {
    var card = ScriptedCard()
    card.troubles[1] = .silence
    card.troubles[2] = .silence
    card.troubles[30] = .freeze
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 25)
    #expect(bench.code == 0)
    #expect(bench.tally.timeouts == 2)
    bench.serve(rounds: 1000)
    #expect(bench.code == StreamFault.stalled)
  }

  @Test func `a card that breaks at every start is given up`() {
    var card = ScriptedCard()
    for wait in 1...40 { card.troubles[wait] = .stall(frames: 4000) }
    var bench = EngineFixture(card)
    #expect(bench.begin() == 0)
    bench.serve(rounds: 100)
    #expect(bench.code == StreamFault.breaking)
  }

  @Test func `any mixture of troubles leaves unmarked frames where they belong`() {
    for seed in UInt64(1)...20 {
      var random = SeededRandom(seed: seed)
      var card = ScriptedCard(period: 32 << Int(random.next() % 3), buffer: 512)
      card.isLinked = random.next().isMultiple(of: 2)
      card.skew = Int(random.next() % 100)
      card.most = 1 + Int(random.next() % 400)
      for wait in 1...600 where random.next().isMultiple(of: 12) {
        card.troubles[wait] =
          switch random.next() % 5 {
          case 0: .stall(frames: Int(random.next() % 3000))
          case 1: .interrupted
          case 2: .spurious
          case 3: .suspend(resumes: 0)
          default: .silence
          }
      }
      var bench = EngineFixture(card)
      #expect(bench.begin() == 0)
      bench.serve(rounds: 700)
      #expect(bench.code == 0, "seed \(seed)")
      let (drive, capture) = (
        bench.shared.drive.withLock { $0.takeEvents() },
        bench.shared.capture.withLock { $0.takeEvents() }
      )
      let (right, wrong) = bench.comparison(drive: drive, capture: capture, tolerance: 1)
      let heard = wrong.map { Array(bench.captured[$0..<min($0 + 4, bench.captured.count)]) }
      #expect(
        wrong == nil,
        "seed \(seed): \(heard ?? []); drive \(drive.map(\.frames)), capture \(capture.map(\.frames))"
      )
      #expect(right > 1000, "seed \(seed)")
    }
  }
}
