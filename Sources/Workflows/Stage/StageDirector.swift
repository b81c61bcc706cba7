// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
package import Bench
package import CoreHaptics
import Devices
import HapticRendering
package import JSONText
import Units

/// What plays on a stage and whose fingers are on it: takes commands, and says in lines of JSON what became of them.
///
/// Has no clock: every call says when it is made, in seconds of the monotonic clock.
package struct StageDirector {
  /// The most fingers at a time.
  package static let mostFingers = 64
  /// How long a finger's vibration takes to its next intensity and sharpness, in seconds: a jump would be heard.
  private static let glide = 5e-3
  /// How often the place in the pattern is told, in seconds.
  private static let headInterval = 0.1

  private struct Play {
    var id: Int?
    var player: RigStage.Player
    var region: RigStage.Region
    var pattern: LoadedPattern
    /// Where it was at a moment; `nil` until it has begun.
    var head: (place: Double, time: Double)?
  }

  private struct Finger {
    var player: RigStage.Player
    var sharpness: Double
  }

  private struct Pending {
    var said: JSONValue
    var at: Double
  }

  private let stage: RigStage
  private let builder: TakeBuilder
  private let loader: PatternLoader
  private var current: Play?
  /// The ids of plays whose end has not been told, by their tags.
  private var ids: [Int: Int?] = [:]
  private var fingers: [StageCommand.Finger: Finger] = [:]
  private var pending: [Int: Pending] = [:]
  private var tag = 0
  private var headTold = -Double.infinity
  private var lines: [JSONValue] = []

  package init(_ stage: RigStage, builder: TakeBuilder, reading: PatternReading) {
    self.stage = stage
    self.builder = builder
    loader = PatternLoader(rate: builder.rig.drive.rate, reading: reading)
  }

  /// The first line: what is played on, and how long a command takes to the device.
  package var opening: JSONValue {
    [
      "state": "open", "rig": .string(builder.rig.name),
      "actuator": .string(builder.rig.actuators[0].id), "rate": .number(stage.rate.hertz),
      "latency": .number((stage.lead * 1e5).rounded() / 1e5),
    ]
  }

  /// Takes what came.
  package mutating func take(_ event: StageInput.Event) {
    guard case .line(let line, let arrival, let isHeld) = event else {
      return tell(
        fault: "the line has more than \(StageInput.longestLine) bytes: it was passed over")
    }
    guard isHeld else {
      return tell(fault: "nobody holds the drive yet: send '.' first, and again every 500 ms")
    }
    let order: StageOrder
    do throws(InputError) {
      order = try StageOrder(line: line)
    } catch {
      return tell(fault: "\(error)")
    }
    do {
      let ticket = try perform(order.command)
      if let ticket {
        pending[ticket] = Pending(said: order.said, at: order.at ?? arrival)
      } else {
        lines.append(["did": order.said])
      }
    } catch {
      tell(fault: "\(error)", of: order.said)
    }
  }

  /// Looks at what has happened, and takes the lines that tell of it.
  package mutating func look(at now: Double) -> [JSONValue] {
    for news in stage.takeNews() { take(news) }
    if let play = current, let head = play.head, now >= headTold + Self.headInterval {
      headTold = now
      let place = min(head.place + max(0, now - head.time), play.region.to ?? play.player.length)
      lines.append([
        "head": .number((place * 1e4).rounded() / 1e4), "of": .number(play.player.length),
      ])
    }
    defer { lines = [] }
    return lines
  }

  private mutating func take(_ news: RigStage.News) {
    switch news.kind {
    case .done(let ticket):
      guard let done = pending.removeValue(forKey: ticket) else { return }
      let delay = ((news.time - done.at) * 1e6).rounded() / 1e6
      lines.append(["did": done.said, "delay": .number(delay)])
    case .refused(let ticket):
      guard let refused = pending.removeValue(forKey: ticket) else { return }
      tell(fault: "too much was asked at once: ask for less", of: refused.said)
    case .entered(let place):
      guard news.tag == current?.player.tag else { return }
      current?.head = (place, news.time)
    case .turned:
      guard let play = current, news.tag == play.player.tag else { return }
      current?.head = (play.region.from, news.time)
    case .ended:
      if news.tag == current?.player.tag { current = nil }
      guard let id = ids.removeValue(forKey: news.tag) else { return }
      lines.append(["ended": id.map { .integer($0) } ?? .null])
    }
  }

  private mutating func tell(fault: String, of said: JSONValue? = nil) {
    // The sentence without the text around its place.
    let sentence = fault.split(separator: "\n", maxSplits: 1).first.map(String.init) ?? fault
    lines.append(
      .object(
        [JSONMember("fault", .string(sentence))] + (said.map { [JSONMember("of", $0)] } ?? [])))
  }

  /// Does what is asked; gives the ticket of its beginning, `nil` where there was nothing to do.
  private mutating func perform(_ command: StageCommand) throws -> Int? {
    switch command {
    case .play(let play): return try begin(play)
    case .stop: return try stopAll()
    case .tap(let intensity, let sharpness):
      var event = HapticEvent(kind: .hapticTransient, time: 0)
      event.parameters[.hapticIntensity] = intensity
      event.parameters[.hapticSharpness] = sharpness
      let (player, ticket) = try stage.begin(program(of: event), tag: nextTag(), [])
      stage.release(player)
      return ticket
    case .touch(let touch): return try move(touch)
    case .lift(let name):
      guard let finger = fingers.removeValue(forKey: name) else { return nil }
      return try end(finger.player)
    }
  }

  private mutating func begin(_ play: StageCommand.Play) throws -> Int {
    let entry = PatternSet.Entry(path: play.name ?? "pattern", name: play.name ?? "pattern")
    let pattern = try loader.load(play.text, as: entry, reusing: current?.pattern)
    return try begin(
      pattern, id: play.id,
      RigStage.Region(from: play.from, to: play.to, isLooping: play.isLooping))
  }

  /// Plays a file that was saved, which is told with the delay from its save; gives its length in seconds.
  package mutating func follow(
    _ pattern: LoadedPattern, savedAt: Double?, isLooping: Bool
  ) throws -> Double {
    let ticket = try begin(pattern, id: nil, RigStage.Region(isLooping: isLooping))
    if let savedAt {
      pending[ticket] = Pending(said: ["do": "play", "name": .string(pattern.file)], at: savedAt)
    }
    return current?.player.length ?? 0
  }

  /// Plays a pattern in the place of what plays; a loop goes on at its place.
  private mutating func begin(
    _ pattern: LoadedPattern, id: Int?, _ region: RigStage.Region
  ) throws -> Int {
    try builder.checkLimits(of: [pattern])
    let program = PlayerProgram(
      pattern.document.pattern, configuration: builder.configuration, sounds: pattern.sounds)
    guard program.eventCount > 0 else {
      throw InputError("\(pattern.file): the pattern has no event: there is nothing to play")
    }
    guard region.from < program.length else {
      throw InputError(
        "\(pattern.file): 'from' is \(region.from) s, and the pattern is over at \(program.length) s"
      )
    }
    let old = current
    let goesOn = region.isLooping && old?.region.isLooping == true
    let (player, ticket) = try stage.play(
      program, tag: nextTag(), region, following: goesOn ? old?.player : nil)
    if let old {
      // One play that is edited is one play.
      if goesOn, old.id == id { ids.removeValue(forKey: old.player.tag) }
      if !goesOn { _ = try end(old.player) }
    }
    current = Play(id: id, player: player, region: region, pattern: pattern)
    ids.updateValue(id, forKey: player.tag)
    if !region.isLooping { stage.release(player) }
    return ticket
  }

  private mutating func stopAll() throws -> Int? {
    var tickets: [Int] = []
    if let play = current { tickets.append(try end(play.player)) }
    for finger in fingers.values { tickets.append(try end(finger.player)) }
    fingers = [:]
    return tickets.first
  }

  private mutating func end(_ player: RigStage.Player) throws -> Int {
    let ticket = try stage.ask([.stop], of: player)
    stage.release(player)
    return ticket
  }

  private mutating func move(_ touch: StageCommand.Touch) throws -> Int {
    if let finger = fingers[touch.finger] {
      return try stage.ask(
        [
          .glide(ControlGlide(.hapticIntensity, to: touch.intensity, in: Self.glide)),
          .glide(
            ControlGlide(.hapticSharpness, to: touch.sharpness - finger.sharpness, in: Self.glide)),
        ], of: finger.player)
    }
    guard fingers.count < Self.mostFingers else {
      throw InputError("\(fingers.count) fingers are down already: lift one first")
    }
    var event = HapticEvent(kind: .hapticContinuous, time: 0, duration: .infinity)
    event.parameters[.hapticIntensity] = 1
    event.parameters[.hapticSharpness] = touch.sharpness
    event.parameters[.attackTime] = touch.attack
    if let decay = touch.decay {
      event.parameters[.sustained] = 0
      event.parameters[.decayTime] = decay
    }
    let (player, ticket) = try stage.begin(
      program(of: event), tag: nextTag(),
      [.control(ControlStep(.hapticIntensity, value: touch.intensity))])
    fingers[touch.finger] = Finger(player: player, sharpness: touch.sharpness)
    return ticket
  }

  private func program(of event: HapticEvent) -> PlayerProgram {
    PlayerProgram(
      HapticPattern(events: [event]), configuration: builder.configuration, isEndless: true)
  }

  private mutating func nextTag() -> Int {
    tag += 1
    return tag
  }
}
