import Devices
import Glibc

/// A buffer of the kernel's Industrial I/O, set for a rig; off and as it was when the last holder is gone.
///
/// The kernel leaves a buffer on when its reader goes away, so whoever turns it on has to turn it off: this
/// does at the end, and where something fails on the way.
final class IIOBuffer: Sendable {
  /// How a scan lies in bytes: the axes, and the time stamp where there is one.
  let layout: ScanLayout
  /// Samples a second, as the device or its trigger says.
  let samplingFrequency: Double
  /// Whether stamps are this computer's raw monotonic clock.
  let isOnHostClock: Bool
  /// Scans that the kernel keeps for a reader that is late.
  let length: Int

  private let settings: IIOSettings
  private let descriptor: Int32
  private let state: Guarded<State>

  private struct State: Sendable {
    var journal: AttributeJournal
    var isOn = false
  }

  /// Opens a device's buffer and sets it, without turning it on.
  ///
  /// - Throws: `DeviceError` with the file and what to do: no permission, in use, an element or a frequency that is not
  ///   there.
  init(_ settings: IIOSettings) throws(DeviceError) {
    let descriptor = try settings.openNode()
    var journal = AttributeJournal(settings.files, access: settings.access)
    do throws(DeviceError) {
      isOnHostClock = try settings.prepare(&journal)
      layout = try settings.layout()
      samplingFrequency = try settings.frequency()
      length = try settings.setLength(&journal, rate: samplingFrequency)
    } catch {
      journal.undo()
      close(descriptor)
      throw error
    }
    self.settings = settings
    self.descriptor = descriptor
    state = Guarded(State(journal: journal))
  }

  deinit {
    turnOff()
    state.withLock { $0.journal.undo() }
    close(descriptor)
  }

  /// Turns the buffer on; what it had before is gone.
  ///
  /// - Throws: `DeviceError` with what to do, above all where it has no trigger.
  func turnOn() throws(DeviceError) {
    turnOff()
    let fault = state.withLock { state -> DeviceError? in
      do throws(DeviceError) {
        try settings.turnOn(&state.journal)
        state.isOn = true
        return nil
      } catch {
        return error
      }
    }
    if let fault { throw fault }
  }

  /// Turns the buffer off, where it is on.
  func turnOff() {
    state.withLock { state in
      guard state.isOn else { return }
      state.isOn = false
      _ = state.journal.put("0", at: settings.enable)
    }
  }

  /// Waits at most so long and gives the whole scans that came.
  func read(milliseconds: Int32) throws(DeviceError) -> [UInt8] {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&waiting, 1, milliseconds)
    // Read in any case: below its watermark a buffer is not ready, and an unplug is told by the read alone.
    let room = layout.size * min(length, 1024)
    var bytes: [UInt8] = []
    var failure: Int32 = 0
    while bytes.count < layout.size * length {
      let part = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
        let result = Glibc.read(descriptor, buffer.baseAddress, room)
        if result < 0 { failure = errno }
        count = max(0, result)
      }
      bytes += part
      if part.count < room { break }
    }
    // What came before a fault is taken first; the fault is there the next time.
    if !bytes.isEmpty { return bytes }
    let gone = Int16(POLLHUP | POLLERR | POLLNVAL)
    switch failure {
    case 0 where waiting.revents & gone != 0, ENODEV, ENXIO, EIO:
      throw settings.error(
        .unplugged, "\(settings.device.summary) is gone: plug it in again", failure)
    case 0, EAGAIN, EINTR: return []
    default:
      throw settings.error(
        .refused, "could not read '/dev/\(settings.device.node)': \(IIOSettings.text(failure))",
        failure)
    }
  }
}
