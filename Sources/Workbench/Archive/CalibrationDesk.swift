// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
import JSONText
import Paths
import Profiles
import Reporting
import RunArchive
import Workflows

/// What is asked about profiles.
struct CalibrationDesk: Sendable {
  let folder: String
  let archive: ArchiveDesk
  let shelf: ProfileShelf

  private static let largest = 64 << 20

  func list() -> Response {
    let names = ((try? Folder.names(in: folder)) ?? []).filter { $0.hasSuffix(".json") }
    let profiles = names.compactMap { name -> Known? in
      let file = folder + "/" + name
      return shelf.profile(in: file).map { profile in
        Known(
          id: String(name.dropLast(5)), profile: profile,
          check: shelf.lastCheck(of: profile, in: file))
      }
    }
    let rows = profiles.map { known in
      let profile = known.profile
      return JSONValue.object(of: [
        "id": known.id, "actuator": profile.actuator.id, "model": profile.actuator.model,
        "kind": profile.actuator.kind.rawValue, "rig": profile.rig,
        "created": profile.source.date, "ageDays": profile.ageDays, "run": profile.source.run,
        "level": profile.laws.referenceLevel, "isVerified": profile.verification != nil,
        "certificate": certificate(profile) != nil, "check": known.check?.json,
      ])
    }
    return Response(
      .object(of: [
        "profiles": rows,
        "drift": profiles.flatMap { $0.check?.drift(of: $0.profile.actuator.id) ?? [] },
        "fleets": Self.fleets(of: profiles.map(\.profile)),
      ]))
  }

  private struct Known {
    let id: String
    let profile: CalibrationProfile
    let check: CheckLog.Entry?
  }

  /// Profiles of one model whose laws and level are one: how far apart each pair feels.
  private static func fleets(of profiles: [CalibrationProfile]) -> [JSONValue] {
    let groups = Dictionary(grouping: profiles) { profile in
      [profile.actuator.model, "\(profile.laws.target)", "\(profile.laws.sharpness)"]
    }
    return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap { key, members in
      guard members.count > 1, members.count <= mostMembers else { return nil }
      let pairs = PairConsistency.all(members)
      let fleet = FleetConsistency(pairs)
      return .object(of: [
        "model": key[0], "members": members.map(\.actuator.id),
        "goal": FleetConsistency.levelGoal, "verdict": fleet.meetsGoal.map { $0 ? "pass" : "fail" },
        "pairs": pairs.map { pair in
          JSONValue.object(of: [
            "a": pair.first, "b": pair.second, "rms": pair.level?.rms,
            "greatest": pair.level?.percentile95, "without": pair.uncalibrated,
            "points": pair.commonPoints,
            "verdict": pair.level.map { $0.rms <= FleetConsistency.levelGoal ? "pass" : "fail" },
          ])
        },
      ])
    }
  }

  /// Pairs grow with the square of the members.
  private static let mostMembers = 30

  func profile(_ id: String) throws -> Response {
    Response(200, try bytes(id), type: "application/json")
  }

  func certificate(_ id: String) throws -> Response {
    _ = try bytes(id)
    let profile = try LoadedProfile(file: "\(folder)/\(id).json").profile
    guard let file = certificate(profile) else {
      throw HTTPFault(
        404, "no-certificate", "the calibration's run is not in this archive any more")
    }
    var response = Response(file: file, type: "text/html; charset=utf-8")
    response.framing = .report
    return response
  }

  private func certificate(_ profile: CalibrationProfile) -> OpenedFile? {
    RunFiles.file("certificate.html", of: profile.source.run, in: archive.location).map {
      OpenedFile(descriptor: $0.descriptor, size: $0.bytes)
    }
  }

  private func bytes(_ id: String) throws -> [UInt8] {
    guard RunFiles.isName(id) else {
      throw HTTPFault(400, "bad-path", "an actuator's id has letters, digits, '.', '_' and '-'")
    }
    let path = "\(folder)/\(id).json"
    guard let file = try? RegularFile(path: path), file.lies(below: folder),
      let bytes = try? file.bytes(limit: Self.largest)
    else { throw HTTPFault(404, "no-such-profile", "there is no profile of '\(id)'") }
    return bytes
  }
}
