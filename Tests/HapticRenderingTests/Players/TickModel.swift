// SPDX-License-Identifier: Apache-2.0

import HapticRendering

/// Apple's players in whole numbers, tick by tick: written apart from the state machine, to judge it.
///
/// A tick is 1/1024 s. Places are counted in quarters of a tick, so that rates of 1/2, 1 and 2 stay whole.
struct TickModel {
  enum State { case idle, running, frozen }

  enum Call: Equatable {
    case start, stop, pause, resume, cancel
    /// In quarters of a tick.
    case seek(Int)
    case loop(Bool)
    /// In quarters of a tick; 0 for the whole pattern.
    case loopEnd(Int)
    /// Quarters of a tick in a tick: 2, 4 or 8.
    case rate(Int)
    case mute(Bool)
  }

  let length: Int
  var state = State.idle
  var place = 0
  var speed = 4
  var loops = false
  var end = 0
  var isMuted = false
  private(set) var finished = 0
  private(set) var stopped = 0
  private(set) var turns = 0
  private var waiting: [(tick: Int, rank: Int, call: Call)] = []
  private var asked = 0
  /// Called with each call and the state that it comes upon.
  var onCall: ((TickModel, Call) -> Void)?

  init(length: Int) { self.length = length }

  var turn: Int { end == 0 ? length : end }

  mutating func ask(_ call: Call, at tick: Int) {
    asked += 1
    waiting.append((tick, asked, call))
  }

  /// Comes to a tick: first what the play does by itself on the way, then what is asked.
  mutating func come(to tick: Int) {
    if state == .running {
      place += speed
      if loops {
        while place >= turn {
          place -= turn
          turns += 1
        }
      } else if place >= length {
        state = .idle
        place = 0
        finished += 1
      }
    }
    while let index = waiting.firstIndex(where: { $0.tick <= tick }) {
      // Of what is due, the earliest, and of that what was asked first.
      let first =
        waiting.indices.filter { waiting[$0].tick <= tick }.min {
          (waiting[$0].tick, $0) < (waiting[$1].tick, $1)
        } ?? index
      let due = waiting.remove(at: first)
      take(due.call, rank: due.rank)
      // A play that stands at its end is over before anything else is done with it.
      if state == .running, !loops, place >= length {
        state = .idle
        place = 0
        finished += 1
      }
    }
  }

  private mutating func take(_ call: Call, rank: Int) {
    onCall?(self, call)
    switch call {
    case .start:
      if state != .idle || (loops && place >= turn) { place = 0 }
      state = .running
    case .stop: halt()
    case .cancel:
      waiting.removeAll { $0.rank < rank }
      halt()
    case .pause: if state == .running { state = .frozen }
    case .resume: if state == .frozen { state = .running }
    case .seek(let target):
      if loops {
        place = target >= turn ? 0 : target
      } else if target >= length {
        halt()
      } else {
        place = target
      }
    case .loop(let isOn):
      loops = isOn
      wrap()
    case .loopEnd(let target):
      end = target
      wrap()
    case .rate(let value): speed = value
    case .mute(let isOn): isMuted = isOn
    }
  }

  private mutating func wrap() {
    if loops, state != .idle, place >= turn { place = 0 }
  }

  private mutating func halt() {
    if state != .idle { stopped += 1 }
    state = .idle
    place = 0
  }
}

extension TickModel.Call {
  /// The names of all calls.
  static let names = [
    "start", "stop", "pause", "resume", "cancel", "seek", "seek beyond", "loop", "no loop",
    "loopEnd", "rate", "mute",
  ]

  /// What is asked, in a word.
  func name(_ model: TickModel) -> String {
    switch self {
    case .start: "start"
    case .stop: "stop"
    case .pause: "pause"
    case .resume: "resume"
    case .cancel: "cancel"
    case .seek(let place):
      place < (model.loops ? model.turn : model.length) ? "seek" : "seek beyond"
    case .loop(let isOn): isOn ? "loop" : "no loop"
    case .loopEnd: "loopEnd"
    case .rate: "rate"
    case .mute: "mute"
    }
  }

  /// The same as the stage is asked it.
  var action: PlayerAction {
    func seconds(_ quarters: Int) -> Double { Double(quarters) / 4096 }
    return switch self {
    case .start: .start
    case .stop: .stop
    case .pause: .pause
    case .resume: .resume
    case .cancel: .cancel
    case .seek(let place): .seek(seconds(place))
    case .loop(let isOn): .loop(isOn)
    case .loopEnd(let place): .loopEnd(seconds(place))
    case .rate(let speed): .rate(Double(speed) / 4)
    case .mute(let isOn): .mute(isOn)
    }
  }
}
