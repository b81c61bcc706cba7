// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeededRandom
import Synchronization
import Testing

@testable import CoreHaptics

/// What an app sees of an engine and its players, against a model of Apple's rules, over random calls.
struct RandomCallTests {
  /// `make check` asks for more.
  private static let seeds =
    ProcessInfo.processInfo.environment["HAPRIG_PLAYER_SEEDS"].flatMap { Int($0) } ?? 6
  /// 375 frames: a power of two in seconds as well.
  private static let tick = 1.0 / 128

  /// How often each player has told that it is over, without an error.
  private final class Overs: Sendable {
    private let counts = Mutex<[Int: Int]>([:])

    func add(_ index: Int, _ error: (any Error)?) {
      counts.withLock { $0[index, default: 0] += error == nil ? 1 : 1000 }
    }

    subscript(index: Int) -> Int { counts.withLock { $0[index] ?? 0 } }
  }

  /// An engine and its model, which are asked the same.
  private struct Pair {
    // The time that a stop leaves a play is a test's own (AppFileTests); the model has none.
    let engine = steppedEngine { $0.shortestPlay = 0 }
    let heard = Heard()
    let overs = Overs()
    var model = AppModel()
    var players: [(any CHHapticAdvancedPatternPlayer)?] = []
    private var origin = 0.0
    /// How many calls both have taken.
    private(set) var accepted = 0

    init() { heard.listen(to: engine) }

    mutating func makePlayer(length: Double) throws {
      let (index, overs) = (players.count, overs)
      let player = try engine.makeAdvancedPlayer(with: pattern(seconds: length))
      player.completionHandler = { overs.add(index, $0) }
      players.append(player)
      model.makePlayer(length: length)
    }

    mutating func letGo(_ index: Int) {
      players[index] = nil
      model.letGo(index)
    }

    mutating func changeEngine(_ random: inout SeededRandom) throws {
      switch random.integer(0...7) {
      case 0:
        let heard = heard
        engine.stop { heard.say($0 == nil ? "stop" : "stop failed") }
        model.stop()
      case 1:
        engine.interrupt(.applicationSuspended)
        model.interrupt(2)
      case 2:
        engine.resetServer()
        model.reset()
      default:
        try engine.start()
        if !model.isRunning { origin = engine.currentTime }
        model.start()
      }
    }

    /// Asks both the same; what differs in their answers, if anything does.
    mutating func ask(_ index: Int, _ random: inout SeededRandom) -> String? {
      guard let player = players[index] else { return nil }
      let length = model.players[index].length
      let place = Double(random.integer(0...Int(length * 1.2 * 4096)) | 1) / 4096
      let (time, modelled) = time(&random)
      let (asked, answer): (AppModel.Call, Int?)
      switch random.integer(0...15) {
      case 0...4: (asked, answer) = (.start, code { try player.start(atTime: time) })
      case 5: (asked, answer) = (.stop, code { try player.stop(atTime: time) })
      case 6: (asked, answer) = (.pause, code { try player.pause(atTime: time) })
      case 7, 8: (asked, answer) = (.resume, code { try player.resume(atTime: time) })
      case 9: (asked, answer) = (.control, code { try send(player, at: time) })
      case 10: (asked, answer) = (.control, code { try bend(player, at: time) })
      case 11:
        let answer = code { try player.cancel() }
        return differs(.cancel, answer, model.ask(.cancel, of: index, at: 0))
      case 12:
        let offset = random.chance(0.1) ? -place : place
        let answer = code { try player.seek(toOffset: offset) }
        return differs(.seek(offset), answer, model.ask(.seek(offset), of: index, at: 0))
      case 13:
        player.loopEnabled.toggle()
        model.set(.loop(player.loopEnabled), of: index)
        return nil
      case 14:
        let end = [0, -place, place + 1.0 / 64, place + 1.0 / 64][random.integer(0...3)]
        player.loopEnd = end
        model.set(.loopEnd(end), of: index)
        return nil
      default:
        let rate = [0.5, 1, 2, 0, -1][random.integer(0...4)]
        player.playbackRate = Float(rate)
        model.set(.rate(rate), of: index)
        return nil
      }
      return differs(asked, answer, model.ask(asked, of: index, at: modelled))
    }

    /// A time for the engine and the same for the model: now, later, before, or none.
    private func time(_ random: inout SeededRandom) -> (Double, Double) {
      switch random.integer(0...9) {
      case 0...4: return (CHHapticTimeImmediate, 0)
      case 5: return (-0.5, -0.5)
      case 6: return (origin + model.now / 2, model.now / 2)
      default:
        let due = model.now + Double(random.integer(0...600) | 1) / 4096
        return (origin + due, due)
      }
    }

    private func send(_ player: any CHHapticAdvancedPatternPlayer, at time: Double) throws {
      let step = CHHapticDynamicParameter(
        parameterID: .hapticIntensityControl, value: 0.5, relativeTime: 0)
      try player.sendParameters([step], atTime: time)
    }

    private func bend(_ player: any CHHapticAdvancedPatternPlayer, at time: Double) throws {
      let curve = CHHapticParameterCurve(
        parameterID: .hapticSharpnessControl,
        controlPoints: [.init(relativeTime: 0, value: 0.5)], relativeTime: 7)
      try player.scheduleParameterCurve(curve, atTime: time)
    }

    private func code(_ call: () throws -> Void) -> Int? {
      do {
        try call()
        return nil
      } catch {
        return (error as NSError).code
      }
    }

    private mutating func differs(
      _ call: AppModel.Call, _ answer: Int?, _ wanted: Int?
    ) -> String? {
      if answer == nil { accepted += 1 }
      return answer == wanted
        ? nil : "\(call) gave \(answer ?? 0) where the model gives \(wanted ?? 0)"
    }

    /// Moves both on and waits for the handlers; what differs, if anything does.
    mutating func advance() -> String? {
      let isRunning = engine.advance(by: RandomCallTests.tick)
      model.advance(by: RandomCallTests.tick)
      let done = DispatchSemaphore(value: 0)
      engine.core.handlers.add { done.signal() }
      done.wait()
      if isRunning != model.isRunning { return "running: \(isRunning)" }
      if heard.all != model.told { return "told: \(heard.all), the model \(model.told)" }
      for (index, player) in model.players.enumerated() where overs[index] != player.overs {
        return "player \(index) was over \(overs[index]) times: \(player)"
      }
      return nil
    }
  }

  @Test(arguments: 0..<seeds)
  func `an app's random calls are refused, done and told as the model has it`(seed: Int) throws {
    var random = SeededRandom(seed: 0xca11_0000 + UInt64(seed))
    let shown = "\(random)"
    var pair = Pair()
    for tick in 0..<150 {
      var difference: String?
      while difference == nil, random.chance(0.6) {
        if random.chance(0.08) { try pair.changeEngine(&random) }
        if pair.players.count < 3 || !pair.model.hasPlayer || random.chance(0.02) {
          try pair.makePlayer(length: Double(random.integer(60...800) | 1) / 4096)
        }
        let index = random.integer(0...(pair.players.count - 1))
        if random.chance(0.01) { pair.letGo(index) }
        difference = pair.ask(index, &random)
      }
      difference = difference ?? pair.advance()
      guard let difference else { continue }
      Issue.record("\(shown), tick \(tick): \(difference)")
      return
    }
    #expect(pair.accepted > 0, "\(shown): everything was refused")
  }
}
