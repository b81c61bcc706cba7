import Devices

/// A rig's lock that values can share; the last of them gives it back.
final class RigHold: Sendable {
  private let lock: RigLock

  init(_ rig: String) throws(DeviceError) { lock = try RigLock(rig: rig) }
}
