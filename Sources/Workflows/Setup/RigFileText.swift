// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices

/// The text of a rig file, from what a person told and what sweeps found.
struct RigFileText {
  struct Input {
    var name: String
    var role: CaptureRole
    var input: Int
    var axis: String?
    var remark = ""
  }

  let facts: RigFacts
  var outputs: [(role: DriveRole, channel: Int)]
  var inputs: [Input]
  var remarks: [String] = []
  /// The `simulation` part of another rig file, for the virtual card.
  var simulation: String?

  var text: String {
    let channels = outputs.map { "\($0.role.rawValue): \($0.channel)" }.joined(separator: ", ")
    var lines = ["# Written by 'haprig init'."] + remarks.map { "# \($0)" }
    lines += ["name: \(facts.name)", "", "# The outputs.", "drive:", "  device: alsa"]
    lines += [
      "  pcm: \(facts.card)", "  rate: \(facts.rate)", "  channels: {\(channels)}",
      "  full-scale: \(facts[.fullScale] ?? "")              # peak at the actuator for a drive of 1.0",
      "", "# The inputs.", "capture:", "  device: alsa",
    ]
    if let card = facts.captureCard { lines.append("  pcm: \(card)") }
    lines.append("  channels:")
    for input in inputs {
      // A key on each line: whatever was told, a comma in it is no sign of YAML.
      lines += ["    \(input.name):", "      role: \(input.role.rawValue)"]
      if let axis = input.axis { lines.append("      axis: \(axis)") }
      lines.append("      input: \(input.input)")
      let isLine = [.audio, .reference].contains(input.role)
      lines += keys(6, ("full-scale", isLine ? .lineFullScale : .inputFullScale))
      if input.role == .acceleration {
        lines += keys(
          6, ("sensitivity", .sensitivity), ("uncertainty", .uncertainty),
          ("bandwidth", .bandwidth))
      }
      if !input.remark.isEmpty { lines.append("    # \(input.remark)") }
    }
    lines += [
      "", "# The device under test, and the limits of its drive.", "actuator:",
    ]
    lines += keys(2, ("id", .actuator), ("model", .model), ("kind", .kind))
    lines.append("  limits:")
    lines += keys(4, ("continuous", .continuous), ("peak", .peak))
    lines += keys(2, ("mass", .mass))
    if let simulation { lines += ["", simulation] }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A line for each key with a fact that the file is not without.
  private func keys(_ indent: Int, _ pairs: (name: String, fact: RigFacts.Fact)...) -> [String] {
    pairs.compactMap { name, fact in
      facts[fact].map { String(repeating: " ", count: indent) + "\(name): \($0)" }
    }
  }
}

/// The simulated rig behind the virtual card: its file, and where its wires end.
struct SimulatedWiring {
  let description: RigDescription
  private let lines: [String]

  init(file: String) throws {
    let folder = RigFolder(file: file)
    let content = try folder.read()
    description = content.rig
    let text = String(decoding: content.files[0].bytes, as: UTF8.self)
    let all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = all.firstIndex(of: "simulation:") else {
      throw InputError(
        "\(file): the virtual card needs a rig file with 'simulation:' on a line of its own")
    }
    let rest = all[(first + 1)...].prefix { $0.isEmpty || $0.hasPrefix(" ") || $0.hasPrefix("#") }
    lines = Array(rest)
  }

  /// The part of the file that describes the simulation, with the wires where they end in truth: so the new rig file
  /// may be right or wrong about them, as that of a real card.
  var text: String {
    let isWired = lines.contains { $0.hasPrefix("  wiring:") }
    let drive = DriveRole.allCases.compactMap { role in
      description.drive.channels[role].map { "\(role.rawValue): \($0)" }
    }
    var seen: Set<CaptureRole> = []
    let capture = description.capture.channels.filter { seen.insert($0.role).inserted }
      .map { "\($0.role.rawValue): \($0.input)" }
    let wiring = [
      "  wiring: {drive: {\(drive.joined(separator: ", "))}, "
        + "capture: {\(capture.joined(separator: ", "))}}"
    ]
    var all = ["simulation:"] + (isWired ? [] : wiring) + lines
    while all.last?.isEmpty == true { all.removeLast() }
    return all.joined(separator: "\n")
  }

  /// The card's outputs and inputs, counted from 1.
  var outputs: Int {
    simulation?.wiring?.outputs.values.map(abs).max() ?? description.drive.channelCount
  }

  var inputs: Int {
    let described = description.capture.channels.map(\.input)
    return (described + (simulation?.wiring?.inputs.values.map(abs) ?? [])).max() ?? 1
  }

  private var simulation: SimulationDescription? {
    switch description.drive.device {
    case .simulated(let simulation): simulation
    case .alsa(let card): card.virtualCard
    case .command, .file, .usb: nil
    }
  }
}
