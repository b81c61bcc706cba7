// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
import HapticRendering
import Profiles
import SeededRandom
import Testing
import Units

/// Players against a model in whole numbers, over random calls.
struct TransportTests {
  private static let length = 4 * 300

  private static let seeds = 0..<40

  /// What is asked at a tick: of whom, what, and for which tick.
  private struct Asked {
    let tick: Int
    let slot: Int
    let call: TickModel.Call
    /// 0 for as soon as possible.
    let due: Int
  }

  /// All that is asked of three players in 4000 ticks.
  private static func script(_ random: inout SeededRandom) -> [Asked] {
    var asked: [Asked] = []
    for tick in 0..<4000 {
      while random.chance(0.02) {
        let slot = random.integer(0...2)
        let call = call(&random)
        let due = random.chance(0.4) ? 0 : tick + random.integer(0...400)
        asked.append(Asked(tick: tick, slot: slot, call: call, due: due))
        // What follows a cancel at once is not taken back by it.
        guard call == .cancel, random.chance(0.5) else { continue }
        asked.append(Asked(tick: tick, slot: slot, call: .start, due: 0))
      }
    }
    return asked
  }

  private static func call(_ random: inout SeededRandom) -> TickModel.Call {
    switch random.integer(0...11) {
    case 0, 1: .start
    case 2: .stop
    case 3, 4, 5: .pause
    case 6: .resume
    case 7: .seek(random.integer(0...(length + 400)))
    case 8: .loop(random.chance(0.5))
    case 9: .loopEnd(random.chance(0.3) ? 0 : random.integer(8...(length + 400)))
    case 10: .rate([2, 4, 8][random.integer(0...2)])
    default: random.chance(0.5) ? .cancel : .mute(random.chance(0.5))
    }
  }

  @Test func `the random calls come upon every state, and lead to everything that can happen`() {
    var seen: [String: Int] = [:]
    for seed in Self.seeds {
      var random = SeededRandom(seed: 0x91a_7000 + UInt64(seed))
      var models = (0..<3).map { _ in TickModel(length: Self.length) }
      for index in models.indices {
        models[index].onCall = { model, call in
          seen["\(model.state) \(model.loops) \(call.name(model))", default: 0] += 1
        }
      }
      var script = Self.script(&random)[...]
      for tick in 0..<4000 {
        while let asked = script.first, asked.tick == tick {
          models[asked.slot].ask(asked.call, at: max(tick, asked.due))
          script.removeFirst()
        }
        for slot in models.indices { models[slot].come(to: tick) }
      }
      for model in models {
        seen["finished", default: 0] += model.finished
        seen["stopped", default: 0] += model.stopped
        seen["turned", default: 0] += model.turns
      }
    }
    let states = ["idle", "running", "frozen"].flatMap { ["\($0) true", "\($0) false"] }
    let wanted = states.flatMap { state in TickModel.Call.names.map { "\(state) \($0)" } }
    for what in wanted + ["finished", "stopped", "turned"] {
      #expect(seen[what, default: 0] >= 3, "\(what): \(seen[what, default: 0]) times")
    }
  }

  @Test(arguments: seeds)
  func `random calls leave three players where the model has them, tick by tick`(
    seed: Int
  ) throws {
    var random = SeededRandom(seed: 0x91a_7000 + UInt64(seed))
    let shown = "\(random)"
    let stageRate = SampleRate(hertz: 1024)
    var configuration = RenderConfiguration(rate: stageRate)
    configuration.fullScale = 0.5
    var stage = PlayerStage(
      StageConfiguration(
        laws: configuration, limits: DriveLimits(continuousVolts: 2, peakVolts: 4),
        fullScaleVolts: 4))
    let pattern = HapticPattern(events: [
      HapticEvent(kind: .hapticContinuous, time: 0, duration: Double(Self.length) / 4096)
    ])
    let program = PlayerProgram(pattern, configuration: configuration)
    try #require(program.length == Double(Self.length) / 4096)
    var models = (0..<3).map { _ in TickModel(length: Self.length) }
    for slot in models.indices {
      let isAdded = stage.add(ProgramLoan(program), slot: slot)
      #expect(isAdded)
    }
    var told = models.map { _ in (finished: 0, stopped: 0, turns: 0) }
    var order = 0
    var script = Self.script(&random)[...]
    for tick in 0..<4000 {
      while let asked = script.first, asked.tick == tick {
        stage.ask(
          asked.call.action, of: asked.slot, at: Double(asked.due) / 1024, order: order)
        models[asked.slot].ask(asked.call, at: max(tick, asked.due))
        order += 1
        script.removeFirst()
      }
      for slot in models.indices { models[slot].come(to: tick) }
      var (haptic, left, right) = ([Float(0)], [Float(0)], [Float(0)])
      var h = haptic.mutableSpan
      var l = left.mutableSpan
      var r = right.mutableSpan
      stage.render(haptic: &h, left: &l, right: &r)
      for index in 0..<stage.noticeCount {
        let notice = stage.notice(index)
        switch notice.kind {
        case .finished: told[notice.slot].finished += 1
        case .stopped: told[notice.slot].stopped += 1
        case .turned: told[notice.slot].turns += 1
        default: break
        }
      }
      stage.clearNotices()
      for (slot, model) in models.enumerated() {
        let found = stage.transport(of: slot)
        let transport = try #require(found)
        let phase: PlayerTransport.Phase =
          switch model.state {
          case .idle: .stopped
          case .running: .playing
          case .frozen: .paused
          }
        let position = transport.position(at: Double(tick) / 1024) * 4096
        let isAlike =
          transport.phase == phase && abs(position - Double(model.place)) < 1e-6
          && transport.isMuted == model.isMuted && told[slot].finished == model.finished
          && told[slot].stopped == model.stopped && told[slot].turns == model.turns
        #expect(
          isAlike, "\(shown), tick \(tick), player \(slot): \(transport) \(position), \(model)")
        guard isAlike else { return }
      }
    }
    let lost = stage.lostNotices
    #expect(lost == 0)
  }

  private func playing(_ length: Double = 2) -> PlayerTransport {
    var transport = PlayerTransport(length: length)
    _ = transport.apply(.start, at: 10)
    return transport
  }

  @Test func `a play ends at its length, whatever the clock reads`() {
    var transport = playing()
    #expect(transport.edge == 12)
    #expect(transport.passEdge() == .finished)
    #expect(transport.phase == .stopped)
    #expect(transport.edge == .infinity)
  }

  @Test func `twice the rate ends in half the time that is left`() {
    var transport = playing()
    #expect(transport.apply(.rate(2), at: 11) == .none)
    #expect(transport.edge == 11.5)
    #expect(transport.position(at: 11.25) == 1.5)
  }

  @Test(arguments: [0.0, -1, .infinity, .nan])
  func `a rate that is not above zero changes nothing`(rate: Double) {
    var transport = playing()
    _ = transport.apply(.rate(rate), at: 11)
    #expect(transport.rate == 1)
    #expect(transport.edge == 12)
  }

  @Test func `a loop end of zero is the end of the pattern, and a negative one is none`() {
    var transport = playing()
    _ = transport.apply(.loop(true), at: 10)
    #expect(transport.edge == 12)
    _ = transport.apply(.loopEnd(0.5), at: 10)
    #expect(transport.edge == 10.5)
    _ = transport.apply(.loopEnd(-3), at: 10)
    #expect(transport.loopEnd == 0.5)
    #expect(transport.passEdge() == .turned)
    #expect(transport.edge == 11)
  }

  @Test func `a loop of no length turns no faster than the shortest`() {
    var transport = playing(0)
    _ = transport.apply(.loop(true), at: 10)
    #expect(transport.edge == 10 + PlayerTransport.shortestLoop)
  }

  @Test func `a seek beyond the end ends the play, or begins its loop`() {
    var transport = playing()
    #expect(transport.apply(.seek(2), at: 11) == .stopped)
    #expect(transport.phase == .stopped)
    transport = playing()
    _ = transport.apply(.loop(true), at: 10)
    #expect(transport.apply(.seek(5), at: 11) == .entered)
    #expect(transport.position(at: 11) == 0)
  }

  @Test func `a seek of a stopped player is where its next start begins, once`() {
    var transport = PlayerTransport(length: 2)
    #expect(transport.apply(.seek(0.5), at: 0) == .none)
    _ = transport.apply(.start, at: 1)
    #expect(transport.position(at: 1) == 0.5)
    _ = transport.apply(.start, at: 1.25)
    #expect(transport.position(at: 1.25) == 0)
  }

  @Test func `what is paused holds its place and goes on from there`() {
    var transport = playing()
    #expect(transport.apply(.pause, at: 10.5) == .held)
    #expect(transport.position(at: 100) == 0.5)
    #expect(transport.edge == .infinity)
    #expect(transport.apply(.resume, at: 100) == .entered)
    #expect(transport.edge == 101.5)
    #expect(transport.apply(.resume, at: 100.5) == .none)
  }
}
