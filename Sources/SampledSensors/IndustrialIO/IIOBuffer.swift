// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc

/// A buffer of the kernel's Industrial I/O, set for a rig; off and as it was when the last holder is gone.
///
/// The kernel leaves a buffer on when its reader goes away, so whoever turns it on has to turn it off: this
/// does at the end, and where something fails on the way.
final class IIOBuffer: SampleSource {
  /// How a scan lies in bytes: the axes, and the time stamp where there is one.
  let layout: ScanLayout
  /// Samples a second, by the rig file, else as the device or its trigger says.
  let sampleRate: Double
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
    /// Numbers scans with time stamps.
    var counter: ScanCounter?
  }

  init(_ settings: IIOSettings) throws(DeviceError) {
    let descriptor = try settings.openNode()
    var journal = AttributeJournal(settings.files, access: settings.access)
    do throws(DeviceError) {
      isOnHostClock = try settings.prepare(&journal)
      layout = try settings.layout()
      let frequency = try settings.frequency()
      length = try settings.setLength(&journal, rate: frequency)
      sampleRate = settings.description.sampleRate ?? frequency
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
    stop()
    state.withLock { $0.journal.undo() }
    close(descriptor)
  }

  /// Turns the buffer on; what it had before is gone.
  func restart() throws(DeviceError) {
    stop()
    try state.withLock { (state) throws(DeviceError) in
      state.counter = isStamped ? ScanCounter(sampleRate: sampleRate) : nil
      try settings.turnOn(&state.journal)
      state.isOn = true
    }
  }

  func stop() {
    state.withLock { state in
      guard state.isOn else { return }
      state.isOn = false
      _ = state.journal.put("0", at: settings.enable)
    }
  }

  private var isStamped: Bool { layout.channels.contains { $0.name == "timestamp" } }

  func read(milliseconds: Int32) throws(DeviceError) -> [SensorEvent] {
    let (scans, byteCount) = layout.read(try bytes(milliseconds: milliseconds))
    guard isStamped else {
      guard byteCount < length * layout.size else {
        throw settings.error(
          .garbled,
          "the kernel's buffer of \(length) samples was full, and without time stamps nothing says "
            + "how many are lost: take fewer samples a second, or leave the computer less to do")
      }
      return scans.map { .sample(SensorSample(acceleration: $0.values)) }
    }
    let counted = state.withLock { state in scans.flatMap { state.counter?.note($0) ?? [] } }
    return counted.map { counted in
      let time = isOnHostClock ? counted.scan.timestamp : nil
      return .sample(
        SensorSample(
          counter: UInt32(truncatingIfNeeded: counted.index), time: time.map { UInt64(max(0, $0)) },
          acceleration: counted.scan.values))
    }
  }

  private func bytes(milliseconds: Int32) throws(DeviceError) -> [UInt8] {
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

protocol IIOAccess: Sendable {
  /// Writes a value to an attribute in one call and gives 0, or the error number.
  func write(_ value: String, to path: String) -> Int32

  /// Opens a node for reading without waiting; gives the descriptor, or the error number below 0.
  func openNode(_ path: String) -> Int32
}

extension SystemFiles: IIOAccess {
  func openNode(_ path: String) -> Int32 {
    let descriptor = Glibc.open(root + path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    return descriptor < 0 ? -errno : descriptor
  }

  func write(_ value: String, to path: String) -> Int32 {
    let file = Glibc.open(root + path, O_WRONLY | O_TRUNC | O_CLOEXEC)
    guard file >= 0 else { return errno }
    defer { close(file) }
    // An empty value is a line feed to sysfs: nothing at all would not be written.
    let bytes = Array("\(value)\n".utf8)
    return Glibc.write(file, bytes, bytes.count) == bytes.count ? 0 : errno
  }

  /// Whether anybody may write to an attribute: the kernel has some that only tell.
  func isSettable(_ path: String) -> Bool {
    var status = stat()
    return stat(root + path, &status) == 0 && status.st_mode & 0o222 != 0
  }

  func mayWrite(_ path: String) -> Bool { Glibc.access(root + path, W_OK) == 0 }

  func mayRead(_ path: String) -> Bool { Glibc.access(root + path, R_OK) == 0 }
}

/// What was changed of a device's attributes, so that it can be changed back.
struct AttributeJournal: Sendable {
  private let files: SystemFiles
  private let access: any IIOAccess
  private var changes: [(path: String, before: String)] = []

  init(_ files: SystemFiles, access: any IIOAccess) {
    self.files = files
    self.access = access
  }

  /// Writes a value where it is not there yet, and gives 0, or the error number.
  mutating func set(_ value: String, at path: String) -> Int32 {
    let before = files.text(path)
    guard before != value else { return 0 }
    let number = access.write(value, to: path)
    if number == 0, let before { changes.append((path, before)) }
    return number
  }

  func put(_ value: String, at path: String) -> Int32 { access.write(value, to: path) }

  mutating func undo() {
    for (path, before) in changes.reversed() { _ = access.write(before, to: path) }
    changes = []
  }
}
