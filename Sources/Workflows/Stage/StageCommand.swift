// SPDX-License-Identifier: Apache-2.0

package import Bench
package import JSONText

/// What a stage is asked to do, as one line of JSON says it (docs/AUTHORING.md).
package enum StageCommand: Sendable, Equatable {
  case play(Play)
  /// End what plays, and lift all fingers.
  case stop
  case tap(intensity: Double, sharpness: Double)
  case touch(Touch)
  case lift(finger: Finger)

  package struct Play: Sendable, Equatable {
    /// What the sender knows the play by.
    package var id: Int?
    package var text: [UInt8]
    /// The pattern's file, for messages and for sounds that lie beside it.
    package var name: String?
    package var from: Double
    package var to: Double?
    package var isLooping: Bool
  }

  package struct Touch: Sendable, Equatable {
    package var finger: Finger
    package var intensity: Double
    package var sharpness: Double
    /// How slowly it rises, and how slowly it falls while it is held.
    ///
    /// They count where a touch begins; without a decay it holds.
    package var attack: Double?
    package var decay: Double?
  }

  /// The name of a finger: a number or a word of the sender's.
  package enum Finger: Sendable, Hashable {
    case number(Int)
    case word(String)
  }
}

/// A command with when it was sent and what is said of it when it is done.
package struct StageOrder: Sendable, Equatable {
  package var command: StageCommand
  /// When the sender got it, in seconds of the monotonic clock.
  package var at: Double?
  /// The command again, without the text of a pattern.
  package var said: JSONValue

  private enum Word: String, CaseIterable {
    case play
    case stop
    case tap
    case touch
    case lift
  }

  private static let longestName = 4096

  /// Reads a line; what is wrong is told with its column.
  package init(line: [UInt8]) throws(InputError) {
    self = try CommandLineOfJSON.read(line) { field throws(JSONFieldError) in
      try Self(field)
    }.command
  }

  private init(_ field: JSONField) throws(JSONFieldError) {
    let word = try field["do"].word(Word.self)
    try field.checkKeys(["do", "at"] + Self.keys(of: word))
    switch word {
    case .play: command = .play(try Self.play(field))
    case .stop: command = .stop
    case .tap:
      command = .tap(
        intensity: try Self.share(field["intensity"]), sharpness: try Self.share(field["sharpness"])
      )
    case .touch:
      command = .touch(
        StageCommand.Touch(
          finger: try Self.finger(field["finger"]), intensity: try Self.share(field["intensity"]),
          sharpness: try Self.share(field["sharpness"]),
          attack: try field.member("attack").map(Self.share),
          decay: try field.member("decay").map(Self.share)))
    case .lift: command = .lift(finger: try Self.finger(field["finger"]))
    }
    if let time = try field.member("at") {
      let seconds = try time.number()
      try time.check(seconds >= 0 && seconds < 1e12, "is no time of a clock: \(seconds) s")
      at = seconds
    }
    var members: [JSONMember] = []
    for (key, value) in try field.members() where key != "ahap" {
      members.append(JSONMember(key, value.node.value))
    }
    said = .object(members)
  }

  private static func keys(of word: Word) -> [String] {
    switch word {
    case .play: ["id", "ahap", "name", "from", "to", "loop"]
    case .stop: []
    case .tap: ["intensity", "sharpness"]
    case .touch: ["finger", "intensity", "sharpness", "attack", "decay"]
    case .lift: ["finger"]
    }
  }

  private static func play(_ field: JSONField) throws(JSONFieldError) -> StageCommand.Play {
    let from = try field.member("from").map(seconds) ?? 0
    let to = try field.member("to")
    let end = try to.map(seconds)
    if let to, let end {
      try to.check(end > from, "is \(end) s, and has to be later than 'from', \(from) s")
    }
    let name = try field.member("name")
    let text = try name?.string()
    try name?.check(
      text.map { $0.utf8.count <= longestName } ?? true, "is longer than \(longestName) bytes")
    return StageCommand.Play(
      id: try field.member("id").map { id throws(JSONFieldError) in try id.integer() },
      text: Array(try field["ahap"].string().utf8), name: text, from: from, to: end,
      isLooping: try field.member("loop").map { loop throws(JSONFieldError) in try loop.bool() }
        ?? false)
  }

  private static func seconds(_ field: JSONField) throws(JSONFieldError) -> Double {
    let value = try field.number()
    try field.check(
      value >= 0 && value <= PatternLoader.longestPattern,
      "is \(value) s, and a pattern goes from 0 to \(Int(PatternLoader.longestPattern)) s")
    return value
  }

  private static func share(_ field: JSONField) throws(JSONFieldError) -> Double {
    let value = try field.number()
    try field.check(value >= 0 && value <= 1, "is \(value), and goes from 0 to 1")
    return value
  }

  private static func finger(_ field: JSONField) throws(JSONFieldError) -> StageCommand.Finger {
    if let number = field.node.integer { return .number(number) }
    guard let word = field.node.string else {
      throw field.mismatch("a whole number or a word")
    }
    try field.check(word.utf8.count <= 64, "is longer than 64 bytes")
    return .word(word)
  }
}
