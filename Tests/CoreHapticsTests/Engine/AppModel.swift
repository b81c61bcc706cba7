// SPDX-License-Identifier: Apache-2.0

/// An engine and its players as Apple's documents describe them: written apart from the engine, to judge it.
///
/// Times are seconds of the running engine, sums of few powers of two, so that nothing is rounded.
struct AppModel {
  enum Phase: Hashable { case idle, running, frozen }

  enum Call: Equatable {
    case start, stop, pause, resume, cancel
    /// A parameter is sent: nothing that an app could see.
    case control
    case seek(Double)
    case loop(Bool)
    case loopEnd(Double)
    case rate(Double)
  }

  /// What holds for a player over an engine's stop.
  struct Settings {
    var loops = false
    var end = 0.0
    var rate = 1.0
  }

  struct Player {
    let length: Double
    let generation: Int
    var settings = Settings()
    /// The settings as far as the engine has come to them.
    var inForce = Settings()
    var phase = Phase.idle
    var isLetGo = false
    var overs = 0
    private(set) var waiting: [(due: Double, rank: Int, call: Call)] = []
    private var place = 0.0
    private var since = 0.0

    init(length: Double, generation: Int) {
      self.length = length
      self.generation = generation
    }

    private var turn: Double { inForce.end == 0 ? length : inForce.end }

    private func place(at time: Double) -> Double {
      phase == .running ? place + (time - since) * inForce.rate : place
    }

    private var edge: Double {
      guard phase == .running else { return .infinity }
      return since + ((inForce.loops ? turn : length) - place) / inForce.rate
    }

    mutating func ask(_ call: Call, at due: Double, rank: Int) { waiting.append((due, rank, call)) }

    /// Does everything before a time, the earliest first: what is due then is done in the frame that follows.
    mutating func come(to time: Double) {
      while true {
        let next = waiting.indices.min {
          (waiting[$0].due, waiting[$0].rank) < (waiting[$1].due, waiting[$1].rank)
        }
        let due = next.map { waiting[$0].due } ?? .infinity
        guard min(edge, due) < time else { break }
        guard due < edge, let next else {
          passEdge()
          continue
        }
        let (_, rank, call) = waiting.remove(at: next)
        take(call, at: due, rank: rank)
      }
      goIfDone()
    }

    /// What was let go and has nothing left to do is no more.
    mutating func goIfDone() {
      if isLetGo, phase != .running, waiting.isEmpty { phase = .idle }
    }

    private mutating func passEdge() {
      since = edge
      place = 0
      guard !inForce.loops || isLetGo else { return }
      inForce.loops = false
      phase = .idle
      overs += 1
    }

    private mutating func take(_ call: Call, at time: Double, rank: Int) {
      let here = place(at: time)
      switch call {
      case .control: return
      case .start:
        if phase != .idle || (inForce.loops && place >= turn) { place = 0 }
        phase = .running
        since = time
      case .stop: halt()
      case .cancel:
        waiting.removeAll { $0.rank < rank }
        halt()
      case .pause:
        guard phase == .running else { return }
        (place, phase) = (here, .frozen)
      case .resume:
        guard phase == .frozen else { return }
        (since, phase) = (time, .running)
      case .seek(let target):
        if inForce.loops {
          (place, since) = (target >= turn ? 0 : target, time)
        } else if target >= length {
          halt()
        } else {
          (place, since) = (target, time)
        }
      case .loop(let isOn):
        inForce.loops = isOn
        turnBack(here, at: time)
      case .loopEnd(let end):
        inForce.end = end
        turnBack(here, at: time)
      case .rate(let rate):
        (place, since) = (here, time)
        inForce.rate = rate
      }
    }

    private mutating func turnBack(_ here: Double, at time: Double) {
      if inForce.loops, phase != .idle, here >= turn { (place, since) = (0, time) }
    }

    mutating func halt() {
      if phase != .idle { overs += 1 }
      phase = .idle
      place = 0
    }

    /// The engine has stopped: what it was asked is forgotten, what was set is not.
    mutating func rest() {
      halt()
      waiting = []
      inForce = settings
      since = 0
    }
  }

  private(set) var now = 0.0
  private(set) var isRunning = false
  private(set) var generation = 0
  private(set) var told: [String] = []
  var players: [Player] = []
  private var rank = 0

  /// Whether the engine would take anything of a player.
  var hasPlayer: Bool { players.contains { $0.generation == generation && !$0.isLetGo } }

  mutating func makePlayer(length: Double) {
    players.append(Player(length: length, generation: generation))
  }

  mutating func start() {
    if !isRunning { now = 0 }
    isRunning = true
  }

  mutating func stop() {
    rest()
    told.append("stop")
  }

  mutating func interrupt(_ reason: Int) {
    guard isRunning else { return }
    rest()
    told.append("stopped \(reason)")
  }

  mutating func reset() {
    generation += 1
    interrupt(-1)
    told.append("reset")
  }

  private mutating func rest() {
    guard isRunning else { return }
    isRunning = false
    for index in players.indices { players[index].rest() }
  }

  /// Asks something of a player; the number of the error where it is refused.
  mutating func ask(_ call: Call, of index: Int, at time: Double) -> Int? {
    if case .seek(let offset) = call, offset < 0 { return -4840 }
    guard time >= 0 else { return -4840 }
    guard players[index].generation == generation else { return -4812 }
    guard isRunning else { return -4805 }
    rank += 1
    players[index].ask(call, at: max(time, now), rank: rank)
    return nil
  }

  /// Sets something, which is never refused: a value that means nothing leaves the old one.
  mutating func set(_ call: Call, of index: Int) {
    switch call {
    case .loop(let isOn): players[index].settings.loops = isOn
    case .loopEnd(let end) where end >= 0: players[index].settings.end = end
    case .rate(let rate) where rate > 0: players[index].settings.rate = rate
    default: return
    }
    guard isRunning, players[index].generation == generation else {
      players[index].inForce = players[index].settings
      return
    }
    rank += 1
    players[index].ask(call, at: now, rank: rank)
  }

  /// The app lets a player go: it plays to its end, a loop to its turn, after which it loops no more.
  mutating func letGo(_ index: Int) {
    players[index].isLetGo = true
    players[index].goIfDone()
  }

  mutating func advance(by seconds: Double) {
    guard isRunning else { return }
    now += seconds
    for index in players.indices { players[index].come(to: now) }
  }
}
