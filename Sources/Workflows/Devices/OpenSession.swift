public import Bench
public import Devices
import RigDevices

/// A rig that was opened to play and record, and the session that owns its devices.
public struct OpenSession {
  /// The rig with what its devices themselves had to say.
  public let rig: RigDescription
  /// The owner of the devices.
  public let session: Session
  private let open: OpenRig

  /// Opens a rig that its operator may stop.
  ///
  /// - Parameters:
  ///   - rig: What to open.
  ///   - responseSkip: Frames of a response file before the stimulus began.
  ///   - objection: What is said of a rig that does not record.
  ///   - user: May stop it, and is told what its devices have to say.
  /// - Throws: A `DeviceError` where it can't be opened, an `InputError` where it does not record.
  public init(
    _ rig: RigDescription, responseSkip: Int = 0, without objection: String, by user: RigOperator
  ) throws {
    open = try OpenRig(rig, responseSkip: responseSkip, stop: user.stop) {
      user.notice(.device, $0)
    }
    guard let input = open.input else { throw InputError(objection) }
    self.rig = open.description
    session = Session(
      rig: open.description, output: open.output, input: input, stop: user.stop,
      isThreaded: open.isPaced)
  }

  /// Ends the devices' work.
  public func finish() throws { try open.finish() }
}
