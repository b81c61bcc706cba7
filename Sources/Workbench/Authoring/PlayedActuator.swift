// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
import Devices
import HapticRendering
import Profiles
import Units
import Workflows

/// What a pattern is drawn for: an actuator on its rig with its profile, or nothing but the laws.
struct PlayedActuator: Sendable {
  let configuration: RenderConfiguration
  /// `nil` where no rig was named.
  let builder: TakeBuilder?
  /// The profile that drives it, and its file; `nil` where it was never calibrated.
  let profile: LoadedProfile?
  /// What its profile reaches; worked out when it is first asked for.
  let reach: ActuatorReach?
  /// Tells this from what was read before of the same names.
  let number: Int

  var rate: SampleRate { configuration.rate }
  var rig: RigDescription? { builder?.rig }
}

/// The actuators that patterns are drawn for, each read again when its files change.
final class ActuatorShelf: Sendable {
  private struct Place: Hashable {
    let rig: String?
    let actuator: String?
  }

  private struct Kept {
    let played: PlayedActuator
    let rigStamp: FileStamp?
    let profileStamp: FileStamp?
    let profileFile: String
    let rigFile: String
    var looked: Double
  }

  private let bench: BenchDesk
  private let kept = Guarded<[Place: Kept]>([:])
  private let count = Guarded(0)

  /// For how long files count as unchanged, in seconds.
  private static let freshness = 0.5
  private static let most = 32

  init(bench: BenchDesk) { self.bench = bench }

  /// The actuator that a request names by `rig` and `actuator`.
  func actuator(_ request: Request) throws -> PlayedActuator {
    try actuator(rig: try request.value("rig"), try request.value("actuator"))
  }

  func actuator(rig name: String?, _ id: String?) throws -> PlayedActuator {
    let place = Place(rig: name, actuator: id)
    let now = MonotonicClock.seconds
    if let known = kept.withLock({ $0[place] }) {
      if name == nil || now - known.looked < Self.freshness { return known.played }
      if FileStamp(known.rigFile) == known.rigStamp,
        FileStamp(known.profileFile) == known.profileStamp
      {
        kept.withLock { $0[place]?.looked = now }
        return known.played
      }
    }
    let made = try read(name, id, now: now)
    kept.withLock { kept in
      if kept.count >= Self.most { kept = [:] }
      kept[place] = made
    }
    return made.played
  }

  private func read(_ name: String?, _ id: String?, now: Double) throws -> Kept {
    let number = count.withLock { count in
      count += 1
      return count
    }
    let laws = RequestedLaws().configuration
    guard let name else {
      guard id == nil else {
        throw HTTPFault(400, "bad-value", "an actuator is one of a rig's: name the rig too")
      }
      let played = PlayedActuator(
        configuration: laws, builder: nil, profile: nil, reach: nil, number: number)
      return Kept(
        played: played, rigStamp: nil, profileStamp: nil, profileFile: "", rigFile: "", looked: now)
    }
    guard let rigFile = bench.rig(name) else {
      throw HTTPFault(404, "no-such-rig", "the bench has no such rig")
    }
    let rigStamp = FileStamp(rigFile)
    let rig = try ActuatorChoice(rig: rigFile, actuator: id).rig
    let profileFile = bench.calibration + "/\(rig.actuators[0].id).json"
    let profileStamp = FileStamp(profileFile)
    let profile =
      profileStamp == nil ? nil : try LoadedProfile(path: profileFile, for: rig)
    let builder = TakeBuilder(rig: rig, laws: laws, profile: profile?.profile, hasProbe: false)
    let reach = profile.map {
      ActuatorReach(
        $0.profile, fullScaleVolts: rig.drive.fullScaleVolts,
        tapLength: laws.transientShape.length)
    }
    return Kept(
      played: PlayedActuator(
        configuration: builder.configuration, builder: builder, profile: profile, reach: reach,
        number: number),
      rigStamp: rigStamp, profileStamp: profileStamp, profileFile: profileFile, rigFile: rigFile,
      looked: now)
  }
}
