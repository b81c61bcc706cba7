// SPDX-License-Identifier: Apache-2.0

import Units

extension FleetFile {
  private enum Key: String, FileKey {
    case name, archive, master, machines, rigs, plans, tell
  }

  /// The largest file, in bytes.
  package static let largest = 1 << 20
  /// The most machines, rigs and plans of a file.
  private static let most = 1000

  /// Reads a fleet's file, at most 1 MiB; its form is in docs/FLEET.md.
  package init(yaml bytes: [UInt8], file: String) throws(RigFileError) {
    let root = try YAMLNode(SourceText(bytes: bytes, file: file))
    let map = try MapReader<Key>(root, "a fleet")
    name = try map.require(.name, example: "lab").identifier()
    archive = try Archive(map.require(.archive, example: "{server: postgres://db.lab/haprig, ...}"))
    master = try Master(map.require(.master, example: "{passwords: /etc/haprig/fleet}"))
    machines = try map.require(.machines, example: "{bench-1: {}}")
      .named(atMost: Self.most) { name, node throws(RigFileError) in try Machine(name, node) }
    let known = machines.map(\.name)
    rigs = try map.require(
      .rigs, example: "{lra-1: {machine: bench-1, file: /etc/haprig/lra-1.yaml}}"
    )
    .named(atMost: Self.most) { name, node throws(RigFileError) in
      try Rig(name, node, machines: known)
    }
    let rigs = self.rigs
    plans =
      try map[.plans]?.named(atMost: Self.most) { name, node throws(RigFileError) in
        try Plan(name, node, rigs: rigs)
      } ?? []
    notices =
      try map[.tell]?.items(example: "[{when: [fail], run: [/usr/bin/notify]}]")
      .map { node throws(RigFileError) in try Notice(node) } ?? []
  }
}

extension FleetFile.Archive {
  private enum Key: String, FileKey {
    case server, folder, store
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the archive")
    let place = try map.require(.server, example: "postgres://fleet@db.lab/haprig")
    server = try place.text()
    try place.check(
      server.hasPrefix("postgres://") || server.hasPrefix("postgresql://"),
      "\(server.quoted) is no server: write postgres://USER@HOST/DATABASE")
    let authority = server.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2)
      .first
    try place.check(
      authority?.split(separator: "@").first?.contains(":") != true
        || authority?.contains("@") != true,
      "a password stands in \(place.label): put it into ~/.pgpass of the user that haprig runs as, "
        + "which only that user can read")
    folder = try map.require(.folder, example: "/var/lib/haprig/runs").absolutePath()
    store = try map[.store].map { node throws(RigFileError) in try Self.store(node) }
  }

  /// A place that rclone knows; settings within it (`:s3,secret_access_key=...:`) would stand in arguments.
  private static func store(_ node: YAMLNode) throws(RigFileError) -> String {
    let place = try node.text()
    let parts = place.split(separator: ":", maxSplits: 1)
    let isRemote =
      parts.count == 2 && !"/-:".contains(place[place.startIndex])
      && !parts[0].contains { "/,= ".contains($0) }
    try node.check(
      isRemote || place.hasPrefix("/") && place.count > 1,
      "\(place.quoted) is no store: write a folder from /, or REMOTE:PATH with a remote of rclone's "
        + "configuration, where its secrets stand")
    return place
  }
}

extension FleetFile.Master {
  private enum Key: String, FileKey {
    case listen, page, passwords
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the master")
    self.init(passwords: try map.require(.passwords, example: "/etc/haprig/fleet").absolutePath())
    if let node = map[.listen] { listen = try node.address() }
    if let node = map[.page] { page = try node.address() }
  }
}

extension FleetFile.Machine {
  private enum Key: String, FileKey {
    case haprig, folder, jobs
  }

  fileprivate init(_ name: String, _ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the machine '\(name)'")
    self.init(name: name)
    if let program = map[.haprig] { haprig = try program.absolutePath() }
    if let place = map[.folder] { folder = try place.absolutePath() }
    jobs = try map[.jobs]?.integer(1...1000)
  }
}

extension FleetFile.Rig {
  private enum Key: String, FileKey {
    case machine, file, model
  }

  fileprivate init(_ name: String, _ node: YAMLNode, machines: [String]) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the rig '\(name)'")
    let place = try map.require(.machine, example: "bench-1")
    let machine = try place.known(machines, "machine of the fleet")
    self.init(
      name: name, machine: machine,
      file: try map.require(.file, example: "/etc/haprig/rigs/\(name).yaml").absolutePath(),
      model: try map[.model]?.text())
  }
}

extension FleetFile.Plan {
  private enum Key: String, FileKey {
    case `do`, file, arguments, rigs, at, days, limit, attempts, reserved
    case catchUp = "catch-up"
    case priority
  }

  fileprivate init(
    _ name: String, _ node: YAMLNode, rigs: [FleetFile.Rig]
  ) throws(RigFileError) {
    let map = try MapReader<Key>(node, "the plan '\(name)'")
    let task = try map.require(.do, example: "nightly").choice(FleetFile.Task.self, "a task")
    let played: [FleetFile.Task] = [.nightly, .run]
    try map.keep([.file], with: "do", played, task)
    let file: String? =
      if played.contains(task) {
        try map.require(.file, example: "/etc/haprig/plans/\(name).yaml").absolutePath()
      } else {
        nil
      }
    self.init(
      name: name, task: task, file: file,
      rigs: try Self.chosen(map.require(.rigs, example: "all"), of: rigs))
    try map[.arguments].map { node throws(RigFileError) in
      arguments = try node.items(example: "[--keep-recordings, 30]")
        .map { item throws(RigFileError) in try item.text() }
      for (word, item) in zip(arguments, try node.items(example: "")) {
        let own = ["--rig", "--plan", "--archive", "--reports", "--job", "--profiles"]
        try item.check(
          !own.contains { word == $0 || word.hasPrefix($0 + "=") },
          "\(word.quoted) is said by the fleet itself: remove it")
      }
    }
    times = try map[.at].map { node throws(RigFileError) in try Self.times(node) } ?? []
    if let node = map[.days] {
      days = try node.items(example: "[mon, tue]").map { item throws(RigFileError) in
        try item.choice(FleetFile.Weekday.self, "a day")
      }
    }
    limit = try map[.limit]?.quantity(.time, .above(0, upTo: 7 * 86_400)) ?? limit
    attempts = try map[.attempts]?.integer(1...100) ?? attempts
    reserved = try map[.reserved]?.choice(FleetFile.Reserved.self, "what to do") ?? reserved
    catchUp = try map[.catchUp]?.quantity(.time, .from(0, upTo: 7 * 86_400)) ?? catchUp
    priority = try map[.priority]?.integer(-100...100) ?? priority
  }

  /// All rigs, those of a model, or those that are named.
  private static func chosen(
    _ node: YAMLNode, of rigs: [FleetFile.Rig]
  ) throws(RigFileError) -> [String] {
    enum Key: String, FileKey { case model }
    let names = rigs.map(\.name)
    switch node.content {
    case .scalar:
      let word = try node.text()
      try node.check(
        word == "all", "\(word.quoted) is no choice of rigs: write all, {model: M} or [\(names[0])]"
      )
      return names
    case .map:
      let model = try MapReader<Key>(node, "the choice of rigs").require(
        .model, example: "coinZ-170")
      let wanted = try model.text()
      let found = rigs.filter { $0.model == wanted }.map(\.name)
      let models = Set(rigs.compactMap(\.model)).sorted()
      try model.check(
        !found.isEmpty,
        "no rig of the fleet has the model \(wanted.quoted)\(Nearest.hint(for: wanted, in: models))"
      )
      return found
    case .list:
      var found: [String] = []
      for item in try node.items(example: "[\(names[0])]") {
        let name = try item.known(names, "rig of the fleet")
        try item.check(!found.contains(name), "this rig stands here twice: remove one")
        found.append(name)
      }
      return found
    }
  }

  /// Times of the UTC day as 02:00, in minutes.
  private static func times(_ node: YAMLNode) throws(RigFileError) -> [Int] {
    let items: [YAMLNode]
    if case .list = node.content {
      items = try node.items(example: "[02:00, 14:00]")
    } else {
      items = [node]
    }
    var times: [Int] = []
    for item in items {
      let text = try item.text()
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, parts.allSatisfy({ $0.count == 2 }), let hour = Int(parts[0]),
        let minute = Int(parts[1]), (0...23).contains(hour), (0...59).contains(minute)
      else {
        throw item.error("\(text.quoted) is no time of the day: write it in UTC, such as 02:00")
      }
      try item.check(!times.contains(60 * hour + minute), "this time stands here twice: remove one")
      times.append(60 * hour + minute)
    }
    return times.sorted()
  }
}

extension FleetFile.Notice {
  private enum Key: String, FileKey {
    case when, run
  }

  fileprivate init(_ node: YAMLNode) throws(RigFileError) {
    let map = try MapReader<Key>(node, "who is told")
    let occasions = try map.require(.when, example: "[fail, fault]").items(example: "[fail, fault]")
    let words = try map.require(.run, example: "[/usr/bin/notify]")
    let command = try words.items(example: "[/usr/bin/notify]")
    self.init(
      occasions: try occasions.map { item throws(RigFileError) in
        try item.choice(FleetFile.Occasion.self, "an occasion")
      },
      command: try command.map { item throws(RigFileError) in try item.text() })
    _ = try command[0].absolutePath()
  }
}

extension YAMLNode {
  /// The entries of a map of names, each read with its name.
  fileprivate func named<Value>(
    atMost most: Int, _ read: (String, YAMLNode) throws(RigFileError) -> Value
  ) throws(RigFileError) -> [Value] {
    let entries = try entries()
    try check(
      (1...most).contains(entries.count),
      "\(label) has \(entries.count) entries: from 1 to \(most) are possible")
    var values: [Value] = []
    for entry in entries { values.append(try read(try entry.key.identifier(), entry.value)) }
    return values
  }

  /// A name that is one of some.
  fileprivate func known(_ names: [String], _ what: String) throws(RigFileError) -> String {
    let name = try text()
    try check(
      names.contains(name),
      "\(name.quoted) is no \(what)\(Nearest.hint(for: name, in: names))")
    return name
  }

  fileprivate func absolutePath() throws(RigFileError) -> String {
    let path = try text()
    try check(
      path.hasPrefix("/") && !path.utf8.contains(0),
      "\(path.quoted) is to be a whole path from /: machines have no folder in common")
    return path
  }

  /// An address and a port, as 127.0.0.1:8010.
  fileprivate func address() throws(RigFileError) -> String {
    let text = try text()
    let colon = text.lastIndex(of: ":")
    let port = colon.flatMap { Int(text[text.index(after: $0)...]) }
    try check(
      port.map { (1...65_535).contains($0) } == true && colon != text.startIndex,
      "\(text.quoted) is no address with a port: write for example 127.0.0.1:8010")
    return text
  }
}
