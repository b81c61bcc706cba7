import Bench
import Devices
import RigDevices

/// A rig that was opened to play and record, and the session that owns its devices.
struct OpenSession {
  /// The rig with what its devices themselves had to say.
  let rig: RigDescription
  /// The owner of the devices.
  let session: Session
  private let open: OpenRig

  /// Opens a rig that Ctrl-C and its like may stop.
  ///
  /// - Parameters:
  ///   - rig: What to open.
  ///   - responseSkip: Frames of a response file before the stimulus began.
  ///   - objection: What is said of a rig that does not record.
  /// - Throws: A `DeviceError` where it can't be opened, an `InputError` where it does not record.
  init(_ rig: RigDescription, responseSkip: Int = 0, without objection: String) throws {
    open = try OpenRig(rig, responseSkip: responseSkip, stop: Interruption.signal) {
      Console.error("rig: \($0)")
    }
    guard let input = open.input else { throw InputError(objection) }
    self.rig = open.description
    session = Session(
      rig: open.description, output: open.output, input: input, stop: Interruption.signal,
      isThreaded: open.isPaced)
  }

  /// Ends the devices' work.
  func finish() throws { try open.finish() }
}
