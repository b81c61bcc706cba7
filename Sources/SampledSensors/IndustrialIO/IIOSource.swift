import Devices

/// The samples that come through a buffer of the kernel's Industrial I/O.
final class IIOSource: SampleSource {
  private let buffer: IIOBuffer
  private let rig: String
  private let sampleRate: Double
  private let counter: Guarded<ScanCounter?>

  init(_ buffer: IIOBuffer, rig: String, sampleRate: Double) {
    self.buffer = buffer
    self.rig = rig
    self.sampleRate = sampleRate
    counter = Guarded(nil)
  }

  private var isStamped: Bool { buffer.layout.channels.contains { $0.name == "timestamp" } }

  func restart() throws(DeviceError) {
    counter.withLock { $0 = isStamped ? ScanCounter(sampleRate: sampleRate) : nil }
    try buffer.turnOn()
  }

  func stop() { buffer.turnOff() }

  func read(milliseconds: Int32) throws(DeviceError) -> [SensorEvent] {
    let (scans, byteCount) = buffer.layout.read(try buffer.read(milliseconds: milliseconds))
    guard isStamped else {
      guard byteCount < buffer.length * buffer.layout.size else {
        throw DeviceError(
          .garbled, device: rig,
          message:
            "the kernel's buffer of \(buffer.length) samples was full, and without time stamps nothing says "
            + "how many are lost: take fewer samples a second, or leave the computer less to do")
      }
      return scans.map { .sample(SensorSample(acceleration: $0.values)) }
    }
    return counter.withLock { counter in
      scans.flatMap { counter?.note($0) ?? [] }.map { counted -> SensorEvent in
        let time = buffer.isOnHostClock ? counted.scan.timestamp : nil
        return .sample(
          SensorSample(
            counter: UInt32(truncatingIfNeeded: counted.index),
            time: time.map { UInt64(max(0, $0)) },
            acceleration: counted.scan.values))
      }
    }
  }
}
