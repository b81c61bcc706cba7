import Devices
import RigDevices
import Units

/// A rig's open devices as the render thread serves them: a block out, what it moved in.
struct StreamDevices: ~Copyable {
  /// Whether the devices keep their own time.
  let isPaced: Bool
  /// The capture's channels.
  let channels: [CaptureChannel]
  private let rig: OpenRig
  private let driveWidth: Int
  private let captureWidth: Int
  private let recorded: UnsafeMutablePointer<Float>
  private let blockFrames: Int
  private var sent = 0
  private var received = 0

  /// Opens and starts the devices.
  init(_ description: RigDescription, log: @escaping @Sendable (String) -> Void)
    throws(DeviceError)
  {
    let opened = try OpenRig(description, log: log)
    try opened.output.start()
    try opened.input?.start()
    rig = opened
    isPaced = opened.isPaced
    channels = opened.input?.channels ?? []
    driveWidth = opened.output.format.channelCount
    captureWidth = max(1, channels.count)
    blockFrames = description.drive.periodFrames
    recorded = .allocate(capacity: blockFrames * captureWidth)
    recorded.initialize(repeating: 0, count: blockFrames * captureWidth)
  }

  deinit { recorded.deallocate() }

  /// Sends a block and hands on what has been captured by then.
  mutating func serve(
    _ block: UnsafeMutablePointer<Float>, frames: Int, record: StreamTape?
  ) throws(DeviceError) {
    let span = Span(_unsafeStart: UnsafePointer(block), count: frames * driveWidth)
    record?.drive.write(span)
    var done = 0
    while done < frames {
      done += try rig.output.write(span.extracting((done * driveWidth)..<(frames * driveWidth)))
    }
    sent += frames
    try receive(record)
  }

  private mutating func receive(_ record: StreamTape?) throws(DeviceError) {
    guard let input = rig.input else { return }
    while received < sent {
      let wanted = min(sent - received, blockFrames) * captureWidth
      var space = MutableSpan(_unsafeStart: recorded, count: wanted)
      let count = try input.read(into: &space)
      guard count > 0 else { return }
      received += count
      record?.response.write(
        Span(_unsafeStart: UnsafePointer(recorded), count: count * captureWidth))
    }
  }

  /// Lets what was sent play out and rests the devices.
  mutating func finish(record: StreamTape?) throws(DeviceError) {
    try rig.output.stop()
    try receive(record)
    try rig.input?.stop()
    try rig.finish()
  }

  /// Leaves the drive at zero after a fault; the device may be gone, so nothing is asked of it twice.
  func abandon() {
    rig.output.silence()
    try? rig.output.stop()
    try? rig.input?.stop()
  }
}
