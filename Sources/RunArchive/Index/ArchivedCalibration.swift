// SPDX-License-Identifier: Apache-2.0

public import Acceptance
import JSONText

/// A calibration as the index knows it; everything else is in its folder.
public struct ArchivedCalibration: Sendable, Equatable {
  /// The name of the calibration's folder.
  public let id: String
  /// The rig's name.
  public let rig: String
  /// The actuator's id.
  public let actuator: String
  /// When it began.
  public let started: Moment
  /// How its goals were met.
  public let verdict: Verdict
  /// The version of haprig that made it.
  public let software: String
  /// The SHA-256 of its `certificate.json` when it was indexed.
  public let hash: String
  /// Where its folder lies: below the archive's own folder (empty), or on another machine.
  public let place: String

  static let file = "certificate.json"

  /// Reads the certificate in a folder of an archive, which is no link; `nil` where the folder is no calibration's.
  init?(_ id: String, in archive: String, place: String) throws(ArchiveError) {
    guard
      let bytes = try StoredFile.bytes(
        Self.file, in: archive + "/" + id, limit: StoredFile.recordLimit),
      let certificate = try? JSONValue(parsing: bytes),
      certificate["schema"]?.string == "haprig-certificate",
      let actuator = certificate["profile"]?["actuator"]?["id"]?.string,
      let name = Self.parts(of: id, actuator: actuator)
    else { return nil }
    self.id = id
    self.place = place
    self.actuator = RunEntry.word(actuator)
    rig = RunEntry.word(name.rig)
    started = name.started
    software = RunEntry.word(certificate["profile"]?["source"]?["program"]?.string ?? "?")
    hash = ContentHash(of: bytes).description
    verdict = Self.verdict(of: certificate["goals"]?.elements ?? [])
  }

  init(
    id: String, rig: String, actuator: String, started: Moment, verdict: Verdict,
    software: String, hash: String, place: String
  ) {
    self.id = id
    self.rig = rig
    self.actuator = actuator
    self.started = started
    self.verdict = verdict
    self.software = software
    self.hash = hash
    self.place = place
  }

  /// What a name such as `20261121-095150-RIG-calibrate-ACTUATOR` says: its moment is in UTC.
  private static func parts(
    of name: String, actuator: String
  ) -> (started: Moment, rig: String)? {
    let stamp = Array(name.utf8.prefix(16))
    func part(_ range: Range<Int>) -> String { String(decoding: stamp[range], as: UTF8.self) }
    guard stamp.count == 16,
      let started = Moment(
        "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T"
          + "\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z")
    else { return nil }
    let rest = name.dropFirst(16)
    guard let mark = rest.ranges(of: "-calibrate-\(actuator)").last else { return nil }
    return (started, String(rest[..<mark.lowerBound]))
  }

  /// The verdict as the certificate has it: a goal that is limited by the actuator is no miss.
  private static func verdict(of goals: [JSONValue]) -> Verdict {
    let words = goals.map { $0["verdict"]?.string ?? "" }
    if words.contains("misses") { return .fail }
    guard words.contains("meets") else { return .notMeasured }
    return words.allSatisfy { $0 == "meets" } ? .pass : .marginal
  }
}

extension RunIndex {
  /// Adds calibrations; one with the folder of another takes its place.
  func insert(_ calibrations: [ArchivedCalibration], in place: String) throws(IndexFault) {
    guard !calibrations.isEmpty else { return }
    try change { insertion throws(IndexFault) in
      for one in calibrations {
        try insertion.removeCalibration(one.id, in: place)
        let words = try [place, one.rig, one.actuator, one.software].map {
          word throws(IndexFault) in
          SQLValue.integer(try insertion.name(word))
        }
        try insertion.connection.add(
          [
            [words[0], .text(one.id), words[1], words[2], .integer(one.started.seconds)]
              + [.integer(one.verdict.weight), words[3], .text(one.hash)]
          ],
          to: "calibrations (place, folder, rig, actuator, started, verdict, software, hash)")
      }
    }
  }

  func removeCalibrations(_ ids: [String], in place: String) throws(IndexFault) {
    try change { insertion throws(IndexFault) in
      for id in ids { try insertion.removeCalibration(id, in: place) }
    }
  }

  /// The calibrations of a rig, or of all, the latest first.
  func calibrations(rig: String?, limit: Int?) throws(IndexFault) -> [ArchivedCalibration] {
    try database.read { connection throws(IndexFault) in
      try texts.load(in: connection)
      let condition = rig.map { _ in " where rig = (select id from names where text = ?)" } ?? ""
      let bound = limit.map { _ in " limit ?" } ?? ""
      return try connection.list(
        """
        select folder, rig, actuator, started, verdict, software, hash, place
        from calibrations\(condition) order by started desc, folder desc\(bound)
        """, [rig.map { .text($0) }, limit.map { .integer(max(0, $0)) }].compactMap { $0 }
      ) { row in
        ArchivedCalibration(
          id: row.text(0) ?? "", rig: texts[row.integer(1)], actuator: texts[row.integer(2)],
          started: Moment(seconds: row.integer(3) ?? 0),
          verdict: row.integer(4).flatMap(Verdict.init(weight:)) ?? .notMeasured,
          software: texts[row.integer(5)], hash: row.text(6) ?? "", place: texts[row.integer(7)])
      }
    }
  }

  /// The folders of the calibrations of one place.
  func calibrationIDs(in place: String) throws(IndexFault) -> Set<String> {
    try database.read { connection throws(IndexFault) in
      Set(
        try connection.list(
          "select folder from calibrations where place = (select id from names where text = ?)",
          [.text(place)]
        ) { $0.text(0) })
    }
  }
}

extension RunInsertion {
  fileprivate func removeCalibration(_ id: String, in place: String) throws(IndexFault) {
    try connection.execute(
      "delete from calibrations where place = (select id from names where text = ?) and folder = ?",
      [.text(place), .text(id)])
  }
}
