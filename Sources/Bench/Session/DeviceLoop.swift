import Devices

/// Serves frame-synchronous devices in the caller's thread: a block of drive out, what it moved in.
struct DeviceLoop {
  let rig: RigDescription
  let drive: DriveFrames
  let output: any DriveOutput
  let input: any SensorInput
  let stop: StopSignal
  /// Frames of one block; a multiple of the devices' own keeps them from cutting it.
  let blockFrames: Int

  private(set) var recorder: TakeRecorder
  private(set) var sent = 0
  private(set) var driveClock: [ClockReading] = []
  private(set) var captureClock: [ClockReading] = []

  init(
    rig: RigDescription, drive: DriveFrames, output: any DriveOutput, input: any SensorInput,
    stop: StopSignal
  ) {
    self.rig = rig
    self.drive = drive
    self.output = output
    self.input = input
    self.stop = stop
    let period = rig.drive.periodFrames
    blockFrames = period * max(1, 1024 / period)
    recorder = TakeRecorder(
      channelCount: input.channels.count, frameLimit: drive.count)
  }

  /// Plays all frames and collects the response.
  mutating func run(progress: (Double) -> Void) throws(DeviceError) {
    let total = drive.count
    var blocks = 0
    while sent < total {
      let end = min(total, sent + blockFrames)
      try send(
        drive.interleaved(
          sent..<end, roles: rig.drive.channels, channelCount: rig.drive.channelCount))
      try receive()
      blocks += 1
      if blocks.isMultiple(of: 32) { progress(Double(sent) / Double(total)) }
    }
    try output.stop()
    while recorder.frameCount < total, try receive() > 0 {}
    try input.stop()
  }

  /// Sends period by period: what follows a request to stop is never sent.
  private mutating func send(_ frames: [Float]) throws(DeviceError) {
    let period = rig.drive.periodFrames * rig.drive.channelCount
    var done = 0
    while done < frames.count {
      if let number = stop.requested { throw .interruption(of: rig, by: number) }
      let end = min(done + period, frames.count)
      let taken = try output.write(frames.span.extracting(done..<end))
      done += taken * rig.drive.channelCount
      sent += taken
    }
    if let reading = output.clockReading() { driveClock.append(reading) }
  }

  @discardableResult
  private mutating func receive() throws(DeviceError) -> Int {
    let width = recorder.channelCount
    var block = [Float](repeating: 0, count: blockFrames * width)
    var received = 0
    while recorder.frameCount < sent {
      let wanted = min(sent - recorder.frameCount, blockFrames)
      var span = block.mutableSpan
      var part = span._mutatingExtracting(0..<(wanted * width))
      let count = try input.read(into: &part)
      guard count > 0 else { break }
      recorder.append(block.span.extracting(0..<(count * width)))
      received += count
    }
    if let reading = input.clockReading() { captureClock.append(reading) }
    return received
  }
}

extension DeviceError {
  /// The error of a run that was stopped from outside.
  static func interruption(of rig: RigDescription, by number: Int32) -> DeviceError {
    DeviceError(
      .interrupted, device: rig.name,
      message: "the run was stopped by signal \(number); the drive is at zero", errno: number)
  }
}
