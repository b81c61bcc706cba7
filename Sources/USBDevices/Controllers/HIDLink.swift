import Devices

/// The reports of an open HID device: interrupt transfers both ways, feature reports by control requests.
///
/// Noncopyable, for one thread.
struct HIDLink: ~Copyable {
  /// A report that came, with the host's clock at the end of its transfer.
  struct Arrival: Sendable {
    let bytes: [UInt8]
    let nanoseconds: UInt64
  }

  /// A stalled endpoint is cleared so often in a row before the device is given up.
  private static let stallLimit = 3

  let device: USBDeviceHandle
  private var output: USBTransferQueue
  private var input: USBTransferQueue
  private let interface: UInt8
  private var stallsInARow = 0

  /// Takes the HID interface of an open device; a driver of the kernel waits until the end.
  init(_ device: consuming USBDeviceHandle) throws(DeviceError) {
    guard let port = device.descriptors.interface(class: 3, with: .interrupt) else {
      throw DeviceError(
        .notFound, device: device.rig,
        message:
          "\(device.record.summary) has no HID interface with two endpoints: check that it is "
          + "the right device")
    }
    try device.claim(port.interface.number)
    let output = try device.queue(port.output, transfers: 2, bytes: 64)
    let input = try device.queue(port.input, transfers: 4, bytes: port.input.packetBytes)
    self.output = output
    self.input = input
    interface = port.interface.number
    self.device = device
  }

  /// The endpoint that reports.
  var inputEndpoint: USBEndpoint { input.endpoint }

  /// The host's clock.
  var now: UInt64 { device.clock() }

  /// The times of transfers from submit to completion.
  var latency: (output: JitterHistogram, input: JitterHistogram) { (output.latency, input.latency) }

  /// Asks for a feature report of so many bytes.
  func feature(_ number: UInt8, count: Int) throws(DeviceError) -> [UInt8] {
    try device.ask(
      USBControlRequest(
        type: 0xa1, request: 0x01, value: 0x0300 | UInt16(number), index: UInt16(interface)),
      count: count)
  }

  /// Sends a report and waits until the device took it; a stall is cleared once.
  mutating func send(_ bytes: [UInt8], milliseconds: Int) throws(DeviceError) {
    let end = now + UInt64(milliseconds) * 1_000_000
    do throws(USBFailure) {
      guard try output.submit(bytes.span) else { throw .timedOut }
      var isSecond = false
      while now < end {
        let left = Int((end - now) / 1000) + 1
        guard let completion = try output.waitForCompletion(microseconds: left) else { continue }
        let status = completion.status
        output.recycle(completion)
        if status == .completed { return }
        guard status == .stalled, !isSecond else { throw status.failure ?? .failed }
        isSecond = true
        try output.clearStall()
        guard try output.submit(bytes.span) else { throw .timedOut }
      }
      throw .timedOut
    } catch {
      _ = output.stop(milliseconds: 10)
      while let completion = output.takeCompletion() { output.recycle(completion) }
      throw device.fault(error, doing: "send a report")
    }
  }

  /// Keeps asking, waits at most so long, and gives the reports that came.
  mutating func serve(microseconds: Int) throws(DeviceError) -> [Arrival] {
    var came: [Arrival] = []
    do throws(USBFailure) {
      try input.submitAll()
      guard let completion = try input.waitForCompletion(microseconds: microseconds) else {
        return []
      }
      try take(completion, &came)
      while let completion = input.takeCompletion() { try take(completion, &came) }
    } catch {
      throw device.fault(error, doing: "hear its reports")
    }
    return came
  }

  /// Takes back what is asked for, and drops what came.
  mutating func rest() {
    _ = input.stop(milliseconds: 100)
    while let completion = input.takeCompletion() { input.recycle(completion) }
  }

  private mutating func take(
    _ completion: consuming USBCompletion, _ came: inout [Arrival]
  ) throws(USBFailure) {
    let (status, time) = (completion.status, completion.completed)
    var bytes: [UInt8] = []
    input.withBytes(of: completion) { span in
      for index in 0..<span.count { bytes.append(span[index]) }
    }
    input.recycle(completion)
    switch status {
    case .completed:
      stallsInARow = 0
      came.append(Arrival(bytes: bytes, nanoseconds: time))
    case .cancelled: break
    case .stalled:
      stallsInARow += 1
      guard stallsInARow <= Self.stallLimit else { throw .stalled }
      try input.clearStall()
    default: if let failure = status.failure { throw failure }
    }
  }
}
