import Devices
import Glibc
import Synchronization
import USBDevices

/// The HID interface of a DualSense on a bus in this process: shaken along z at a frequency, on its own clock.
///
/// That bus counts intervals in frames, so it is a full-speed one here, asked each 2 ms for reports of each 4 ms.
final class FakeDualSense: FakeUSBDevice {
  private struct State: Sendable {
    var outputs: [[UInt8]] = []
    /// The next report, counted on the sensor's clock.
    var next = 0
    /// Reports that never come to the host.
    var lost: Set<Int> = []
    var isSilent = false
  }

  static let interval = 0.004
  let record: USBDeviceRecord
  private let state = Mutex(State())
  private let drift: Double
  private let hertz: Double
  private let firstTicks: UInt32
  private let calibration: [UInt8]

  /// Gyroscope constants that do not matter, then +1 g and -1 g at 8192 and -8192 counts of each axis.
  static let calibration: [UInt8] =
    [5] + [2, 0, 0xfe, 0xff, 0, 0] + [0x90, 0x22, 0x70, 0xdd, 0x90, 0x22, 0x70, 0xdd, 0x90, 0x22]
    + [0x70, 0xdd, 0x1c, 2, 0x1c, 2] + [0, 0x20, 0, 0xe0, 0, 0x20, 0, 0xe0, 0, 0x20, 0, 0xe0]
    + [0, 0, 0, 0, 0, 0]

  /// Makes a controller whose clock is so many parts per million fast.
  init(
    drift: Double = 0, hertz: Double = 10, firstTicks: UInt32 = 4_294_000_000,
    serial: String? = "D-1",
    lost: Set<Int> = [], calibration: [UInt8] = FakeDualSense.calibration
  ) {
    self.drift = drift
    self.hertz = hertz
    self.firstTicks = firstTicks
    self.calibration = calibration
    record = USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 0x054c, product: 0x0ce6,
      descriptorBytes: [
        18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x4c, 0x05, 0xe6, 0x0c, 0, 1, 1, 2, 3, 1,
        9, 2, 32, 0, 1, 1, 0, 0xc0, 250, 9, 4, 3, 0, 2, 3, 0, 0, 0,
        7, 5, 0x84, 3, 64, 0, 2, 7, 5, 0x03, 3, 64, 0, 2,
      ], productName: "DualSense Wireless Controller", serial: serial, megabits: 12)
    state.withLock { $0.lost = lost }
  }

  /// The output reports that came.
  var outputs: [[UInt8]] { state.withLock { $0.outputs } }

  func fallSilent() { state.withLock { $0.isSilent = true } }

  /// The acceleration along z at a time of the bus, in counts.
  func counts(at seconds: Double) -> Double { 4096 * sin(2 * .pi * hertz * seconds) }

  func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? {
    guard request.type == 0xa1, request.request == 1, request.value == 0x0305, request.index == 3
    else { return nil }
    for place in 0..<min(bytes.count, calibration.count) { bytes[place] = calibration[place] }
    return min(bytes.count, calibration.count)
  }

  func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    var copy: [UInt8] = []
    for index in 0..<bytes.count { copy.append(bytes[index]) }
    state.withLock { $0.outputs.append(copy) }
    return true
  }

  func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? {
    let speed = 1 + drift * 1e-6
    let report = state.withLock { state -> (index: Int, seconds: Double)? in
      // The newest report is there to be fetched; an older one was written over.
      let newest = Int(Double(nanoseconds) * 1e-9 * speed / Self.interval)
      guard !state.isSilent, newest >= state.next else { return nil }
      state.next = newest + 1
      if state.lost.contains(newest) { return nil }
      return (newest, Double(newest) * Self.interval / speed)
    }
    guard let report else { return nil }
    for place in 0..<64 { bytes[place] = 0 }
    bytes[0] = 1
    bytes[7] = UInt8(truncatingIfNeeded: report.index)
    let value = UInt16(bitPattern: Int16(counts(at: report.seconds)))
    bytes[26] = UInt8(value & 0xff)
    bytes[27] = UInt8(value >> 8)
    let ticks = firstTicks &+ UInt32(truncatingIfNeeded: Int(Double(report.index) * 12_000))
    for place in 0..<4 {
      bytes[28 + place] = UInt8(truncatingIfNeeded: ticks >> (8 * UInt32(place)))
    }
    return 64
  }
}
