// SPDX-License-Identifier: Apache-2.0

import JSONText
import Reporting

/// What a page looks at, as cursors: what was sent last, never what is still to be sent.
struct PageTopics {
  struct Waves: Equatable {
    let columns: Int
    let seconds: Double
    let channels: [Int]?
    /// The newest frame that was sent.
    var sent = -1
  }

  /// What the page's key allows.
  let access: Access
  /// The text of the bench as it was sent; `nil` where nothing was.
  var bench: String??
  /// By live run: the number of the next event, and the state that was told.
  var live: [String: (next: Int, state: String)] = [:]
  var waves: [String: Waves] = [:]
  /// By document: the version that was told.
  var documents: [String: Int] = [:]
  /// The number of the last beat that is not answered yet.
  var beat: Int?
  /// Faults that are not told yet: a few, the newest are dropped.
  var faults: [HTTPFault] = []
  /// The jobs and stages whose drive the page holds.
  var holds: [String] = []
  /// By what is held, where it is a stage: what of it was told.
  var stages: [String: PageStage] = [:]

  /// What a message asks of others than these cursors.
  enum Asked {
    case nothing
    case beat
    /// What the page holds no more.
    case letGo([String])
    case act(stage: String, JSONValue)
  }

  static let mostTopics = 32
  static let mostFaults = 8
  static let mostHolds = 8

  var count: Int { (bench == nil ? 0 : 1) + live.count + waves.count + documents.count }

  mutating func fail(_ fault: HTTPFault) {
    if faults.count < Self.mostFaults { faults.append(fault) }
  }

  /// Does what a page's message says, and tells back what it says wrongly.
  mutating func take(_ text: String) -> Asked {
    let json = try? JSONValue(parsing: Array(text.utf8))
    if let number = json?["beat"]?.integer {
      beat = number
      return .beat
    }
    guard let json, let member = json.members?.first else {
      fail(HTTPFault(400, "bad-json", "a message is one JSON object"))
      return .nothing
    }
    guard access == .all || (json["stage"] == nil && member.key != "hold") else {
      fail(HTTPFault.looking)
      return .nothing
    }
    if let stage = json["stage"]?.string {
      guard holds.contains(stage) else {
        fail(HTTPFault(409, "not-held", "a page acts on what it holds: {\"hold\": STAGE} first"))
        return .nothing
      }
      return .act(stage: stage, json)
    }
    if member.key == "hold" { return hold(member.value) }
    if let topic = json["leave"]?.string, topic.hasPrefix("stage/") {
      return .letGo(drop(holds.filter { "stage/\($0)" == topic }))
    }
    change(json, member)
    return .nothing
  }

  /// Holds what is named, and nothing else from now on.
  private mutating func hold(_ value: JSONValue) -> Asked {
    let names = value.string.map { [$0] } ?? value.elements?.compactMap(\.string) ?? []
    guard value == .null || !names.isEmpty, names.count <= Self.mostHolds else {
      fail(
        HTTPFault(400, "bad-value", "'hold' takes a name, a list of names (at most 8), or null"))
      return .nothing
    }
    let dropped = drop(holds.filter { !names.contains($0) })
    for name in names where !holds.contains(name) {
      holds.append(name)
      stages[name] = PageStage()
    }
    return .letGo(dropped)
  }

  /// Lets go of what is held.
  mutating func drop(_ names: [String]) -> [String] {
    holds.removeAll { names.contains($0) }
    for name in names { stages[name] = nil }
    return names
  }

  private mutating func change(_ json: JSONValue, _ member: JSONMember) {
    guard count < Self.mostTopics || member.key == "leave" else {
      return fail(HTTPFault(400, "too-many", "a page watches at most \(Self.mostTopics) topics"))
    }
    if let topic = json["watch"]?.string {
      if topic == "bench" {
        bench = .some(nil)
      } else if let id = Self.liveID(topic) {
        live[id] = (max(0, json["from"]?.integer ?? 0), "")
      } else if let name = Self.name(topic, below: "patterns/") {
        documents[name] = -1
      } else {
        fail(Self.unknown(topic))
      }
    } else if let topic = json["waves"]?.string {
      guard let id = Self.liveID(topic) else { return fail(Self.unknown(topic)) }
      let columns = json["columns"]?.integer ?? 1200
      let seconds = json["seconds"]?.number ?? 10
      let channels = json["channels"]?.elements?.compactMap(\.integer)
      guard (1...WaveBins.mostColumns).contains(columns), seconds > 0, seconds <= 6000,
        (channels?.count ?? 0) <= 64
      else {
        return fail(HTTPFault(400, "bad-value", "waves: columns or seconds are out of range"))
      }
      waves[id] = Waves(columns: columns, seconds: seconds, channels: channels)
    } else if let topic = json["leave"]?.string {
      if topic == "bench" { bench = nil }
      if let id = Self.liveID(topic) {
        live[id] = nil
        waves[id] = nil
      }
      if let name = Self.name(topic, below: "patterns/") { documents[name] = nil }
    } else {
      fail(HTTPFault(400, "unknown", "there is no message '\(member.key.prefix(40))'"))
    }
  }

  private static func liveID(_ topic: String) -> String? { name(topic, below: "live/") }

  private static func name(_ topic: String, below prefix: String) -> String? {
    guard topic.hasPrefix(prefix) else { return nil }
    let name = String(topic.dropFirst(prefix.count))
    return name.utf8.count <= 200 && !name.isEmpty ? name : nil
  }

  private static func unknown(_ topic: String) -> HTTPFault {
    HTTPFault(400, "unknown", "there is no topic '\(topic.prefix(40))'")
  }
}
