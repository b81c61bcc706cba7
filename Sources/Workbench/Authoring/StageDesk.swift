// SPDX-License-Identifier: Apache-2.0

import Authoring
import Devices
import JSONText
import Reporting
import Workflows

/// Rigs that stay open for pages to play on: children that take lines, and live by the beats of whoever holds them.
final class StageDesk: Sendable {
  private let bench: BenchDesk
  private let jobs: JobDesk
  private let texts: any DocumentTexts
  private let actuators: ActuatorShelf
  private let inputs: FollowInputs
  /// By stage: what was asked to be played last.
  private let plays = Guarded<[String: Play]>([:])

  private struct Play {
    let pattern: String
    /// What the child knows it by: a loop that is edited stays the same.
    var number: Int
    let isLooping: Bool
    let members: [JSONMember]
  }

  /// What the server adds by itself.
  private static let own: Set = ["stage", "pattern", "at", "ahap", "name", "id"]

  init(
    bench: BenchDesk, jobs: JobDesk, texts: any DocumentTexts, actuators: ActuatorShelf,
    inputs: FollowInputs
  ) {
    self.bench = bench
    self.jobs = jobs
    self.texts = texts
    self.actuators = actuators
    self.inputs = inputs
  }

  /// Opens a rig to play on, or to follow a sound; nothing is driven before somebody holds it.
  func open(_ json: JSONValue) throws -> Response {
    if let unknown = json.members?.first(where: { !["rig", "actuator", "follow"].contains($0.key) })
    {
      throw HTTPFault(400, "bad-value", "a stage has no '\(unknown.key.prefix(40))'")
    }
    guard let name = try Request.text("rig", in: json) else {
      throw HTTPFault(400, "bad-value", "'rig' is the name of a rig of the bench")
    }
    let actuator = try JobOrder.actuator(json)
    let played = try actuators.actuator(rig: name, try Request.text("actuator", in: json))
    guard let file = bench.rig(name) else {
      throw HTTPFault(404, "no-such-rig", "the bench has no such rig")
    }
    let task = try json["follow"].map { ["follow"] + (try inputs.words(of: $0)) } ?? ["play"]
    var words = task + ["--commands", "--rig", file, "--quiet"] + actuator
    words += JobOrder.profile(played.profile?.path)
    let job = try jobs.start(JobOrder(.stage, on: name, words))
    let id = job["id"]?.string ?? ""
    plays.withLock { plays in
      plays = plays.filter { jobs.held($0.key)?.status == nil }
    }
    return Response(["stage": .string(id)], status: 201)
  }

  /// Passes on what a page says; `arrival` is when its frame came, in seconds of the monotonic clock.
  func act(_ id: String, _ json: JSONValue, at arrival: Double) throws(HTTPFault) {
    guard let child = jobs.held(id) else {
      throw HTTPFault(404, "no-such-stage", "there is no such stage")
    }
    let members = (json.members ?? []).filter { !Self.own.contains($0.key) }
    guard json["do"]?.string == "play" else {
      if json["do"]?.string == "stop" { plays.withLock { _ = $0.removeValue(forKey: id) } }
      return try Self.say(members, [], at: arrival, to: child)
    }
    guard let pattern = json["pattern"]?.string else {
      throw HTTPFault(400, "bad-value", "'pattern' is the name of a pattern")
    }
    let play = plays.withLock { plays in
      let play = Play(
        pattern: pattern, number: (plays[id]?.number ?? 0) + 1,
        isLooping: json["loop"]?.bool == true, members: members)
      plays[id] = play
      return play
    }
    try send(play, at: arrival, to: child)
  }

  /// Sends the new text of a document to the stages that loop it; whoever edits documents calls this.
  func documentChanged(_ name: String, at arrival: Double = MonotonicClock.seconds) {
    let looping = plays.withLock { plays in
      plays.filter { $0.value.isLooping && $0.value.pattern == name }
    }
    for (id, play) in looping {
      guard let child = jobs.held(id), child.status == nil else { continue }
      // A text that cannot be read, or a child that does not read: the loop goes on as it was.
      try? send(play, at: arrival, to: child)
    }
  }

  private func send(_ play: Play, at arrival: Double, to child: Child) throws(HTTPFault) {
    let (text, path): (String, String)
    do {
      let document = try texts.text(of: play.pattern)
      guard document.text.isUTF8 else {
        throw HTTPFault(422, "pattern", "the pattern's text is no UTF-8")
      }
      (text, path) = (document.text.text, document.path)
    } catch let fault as HTTPFault {
      throw fault
    } catch {
      throw HTTPFault(422, "pattern", "\(error)")
    }
    try Self.say(
      play.members,
      [
        JSONMember("id", .integer(play.number)), JSONMember("name", .string(path)),
        JSONMember("ahap", .string(text)),
      ], at: arrival, to: child)
  }

  private static func say(
    _ members: [JSONMember], _ more: [JSONMember], at arrival: Double, to child: Child
  ) throws(HTTPFault) {
    let line = JSONValue.object(members + [JSONMember("at", .number(arrival))] + more)
    guard child.say(line.utf8(indent: nil)) else {
      throw HTTPFault(409, "ended", "the stage has ended, or does not read")
    }
  }

  /// What a stage has said after what is known, as messages; `nil` of what is no stage, or has told its end.
  func news(
    of id: String, after known: PageStage
  ) -> (messages: [JSONValue], stage: PageStage)? {
    guard !known.isOver, jobs.isStage(id) else { return nil }
    var stage = known
    let topic = JSONMember("topic", .string("stage/\(id)"))
    let (lines, next, hasEnded) = jobs.lines(of: id, from: known.next)
    stage.next = next
    var messages: [JSONValue] = []
    var head: Int?
    for line in lines {
      guard let members = (try? JSONValue(parsing: line))?.members else {
        stage.words = String(decoding: line.suffix(1000), as: UTF8.self)
        continue
      }
      // Of places in the pattern the newest is enough.
      if members.contains(where: { $0.key == "head" }) {
        if let head { messages.remove(at: head) }
        head = messages.count
      }
      if members.contains(where: { $0.key == "state" && $0.value.string == "ended" }) {
        stage.isOver = true
      }
      messages.append(.object([topic] + members))
    }
    if hasEnded, !stage.isOver {
      stage.isOver = true
      // 129 is the end of a drive that nobody holds.
      let silence = "it was let go: nobody held the drive any more"
      let said =
        jobs.status(of: id) == 129 ? silence : stage.words.isEmpty ? "it has ended" : stage.words
      messages.append(
        .object([topic, JSONMember("state", "ended"), JSONMember("said", .string(said))]))
    }
    return (messages, stage)
  }
}

/// What a page was told of a stage.
struct PageStage: Sendable {
  /// The byte of its output that the next line begins at.
  var next = 0
  /// The last that it said and that was no message.
  var words = ""
  var isOver = false
}
