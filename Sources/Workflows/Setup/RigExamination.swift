// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Bench
package import Devices
import JSONText
import LiveRuns
import Reporting
import RigFiles
import Units

/// A rig file looked at as a whole: all mistakes at once, values that cannot be meant, and what is really wired.
package struct RigExamination: Sendable {
  private let folder: RigFolder

  package init(file: String) { folder = RigFolder(file: file) }

  /// What the file says of itself; the rig where it can be read.
  package func read(today: String) throws -> (diagnoses: [Diagnosis], rig: RigDescription?) {
    let mistakes = try folder.mistakes()
    guard mistakes.isEmpty else {
      return (
        mistakes.map { Diagnosis("line \($0.line)", .broken, "\($0.message)\n\($0.snippet)") }, nil
      )
    }
    let rig = try folder.read().rig
    let doubts = RigDoubts(rig, today: today).found
    let fine = Diagnosis("file", .fine, "\(folder.file) describes '\(rig.name)'")
    return ([fine] + doubts.map { Diagnosis($0.subject, .attention, $0.finding) }, rig)
  }

  /// Plays faint sweeps on each output that the file describes, and compares what is heard with the file.
  package func listen(
    to rig: RigDescription, level: Double, by user: RigOperator
  ) async throws -> [Diagnosis] {
    let roles = DriveRole.allCases.filter { rig.drive.channels[$0] != nil }
    // All inputs of the card up to the highest one used: a sensor may be on one that the file does not describe.
    var opened = rig
    if rig.capture.kind == .alsa {
      let described = Set(rig.capture.channels.map(\.input))
      opened.capture.channels += (1...(described.max() ?? 1)).filter { !described.contains($0) }
        .map {
          CaptureChannelDescription(
            name: "input-\($0)", role: .voltage, unit: .volt, input: $0, fullScaleVolts: 1)
        }
    }
    let channels = opened.capture.channels
    let search = WiringSearch(
      rig: opened, level: level,
      outputs: roles.map { "output \(rig.drive.channels[$0] ?? 0) ('\($0.rawValue)')" },
      inputs: channels.map { "input \($0.input) ('\($0.name)')" })
    user.tell(.work(LiveEvent.Work(rig: rig.name, title: "rig check")))
    let found = try await search.find(by: user)
    user.notice(.done, search.table(found))
    let isERM = rig.actuators[0].kind == .erm
    return WiringComparison(
      found, search, roles: roles, channels: channels, described: rig.capture.channels.count,
      movesVisibly: !isERM
    ).diagnoses
  }
}

/// What was heard beside what the file says.
private struct WiringComparison {
  private let found: WiringSearch.Found
  private let search: WiringSearch
  private let roles: [DriveRole]
  private let channels: [CaptureChannelDescription]
  private let described: Int
  private let movesVisibly: Bool

  init(
    _ found: WiringSearch.Found, _ search: WiringSearch, roles: [DriveRole],
    channels: [CaptureChannelDescription], described: Int, movesVisibly: Bool
  ) {
    self.found = found
    self.search = search
    self.roles = roles
    self.channels = channels
    self.described = described
    self.movesVisibly = movesVisibly
  }

  var diagnoses: [Diagnosis] {
    let all = outputs + channels.indices.compactMap(input) + notes
    guard all.contains(where: { $0.state == .broken }) else {
      return [Diagnosis("wiring", .fine, "every wire ends where the file says")] + all
    }
    return all
  }

  /// What an output carries for the file, and what it turned out to do.
  private var outputs: [Diagnosis] {
    let wiring = found.wiring
    return roles.indices.compactMap { output in
      let isHaptic = roles[output] == .haptic
      if output == wiring.haptic, !isHaptic {
        return Diagnosis(
          "wiring", .broken, "\(search.outputs[output]) moves the actuator",
          remedy: "write 'haptic' for this channel of the drive")
      }
      if output == wiring.reference, roles[output] != .reference, !wiring.hasAlikeWires {
        return Diagnosis(
          "wiring", .broken, "\(search.outputs[output]) is the reference wire: it comes back first",
          remedy: "write 'reference' for this channel of the drive")
      }
      if wiring.sound.contains(output), ![.audio, .audioLeft, .audioRight].contains(roles[output]),
        !wiring.hasAlikeWires
      {
        return Diagnosis(
          "wiring", .broken, "\(search.outputs[output]) is heard as sound",
          remedy: "write 'audio' for this channel of the drive")
      }
      guard !wiring.signals.contains(where: { $0.output == output }), movesVisibly || !isHaptic
      else { return nil }
      return Diagnosis(
        "wiring", .broken, "no input hears \(search.outputs[output])",
        remedy: "check the wire, the amplifier and the input's gain; --level plays louder")
    }
  }

  private func input(_ index: Int) -> Diagnosis? {
    let name = search.inputs[index]
    if found.clipped.contains(index) {
      return Diagnosis("level", .broken, "\(name) is clipped", remedy: "turn its gain down")
    }
    guard index < described else { return undescribed(index) }
    let role = channels[index].role
    guard let signal = found.wiring.signals.first(where: { $0.input == index }) else {
      guard movesVisibly || role != .acceleration else { return nil }
      return Diagnosis(
        "wiring", .broken, found.noise[index] == 0 ? "\(name) is dead" : "\(name) hears no output",
        remedy: "check its wire and its supply")
    }
    let isSame =
      signal.role == role || role == .current
      || found.wiring.hasAlikeWires && [.reference, .audio].contains(signal.role)
        && [.reference, .audio].contains(role)
    guard isSame else {
      return Diagnosis(
        "wiring", .broken,
        "\(name) is \(role.rawValue) for the file, but hears \(search.outputs[signal.output]) by "
          + WiringSearch.sentence(signal),
        remedy: "write 'role: \(signal.role.rawValue)' for it, or move the plug")
    }
    guard signal.isReversed == true else { return nil }
    return Diagnosis(
      "polarity", .attention,
      signal.role == .acceleration
        ? "a positive drive moves \(name) to its negative side: the actuator's wires or the sensor are turned"
        : "the two conductors of the wire to \(name) are swapped",
      remedy: "haprig measures either way; turn it where polarity matters to you")
  }

  private func undescribed(_ index: Int) -> Diagnosis? {
    guard let signal = found.wiring.signals.first(where: { $0.input == index }) else { return nil }
    return Diagnosis(
      "wiring", .attention,
      "input \(channels[index].input), which the file does not describe, hears "
        + "\(search.outputs[signal.output])")
  }

  private var notes: [Diagnosis] {
    found.wiring.notes.map { Diagnosis("wiring", .attention, $0) }
  }
}

extension RigFolder {
  /// All that is wrong with the rig file.
  fileprivate func mistakes() throws -> [RigFileError] {
    let bytes = try RegularFile(path: file).bytes(limit: 1 << 20)
    return RigDescription.mistakes(yaml: bytes, file: file) { try certificate($0) }
  }
}
