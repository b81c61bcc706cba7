package import Bench
package import Devices
import RigDevices

/// A rig that was opened to play and record, and the session that owns its devices.
package struct OpenSession {
  /// The rig with what its devices themselves had to say.
  package let rig: RigDescription
  package let session: Session
  private let open: OpenRig

  /// Opens a rig that its operator may stop; one that does not record is refused with the objection.
  package init(
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

  package func finish() throws { try open.finish() }
}
