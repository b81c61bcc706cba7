public import Devices

/// The owner of a rig's open devices: plays one take after another and records each.
///
/// Whatever ends a take early, the drive is at zero before `play` returns.
public actor Session {
  private let rig: RigDescription
  private let output: any DriveOutput
  private let input: any SensorInput
  private let stop: StopSignal
  private let isPaced: Bool

  /// Takes over open devices.
  ///
  /// - Parameters:
  ///   - rig: How they are wired.
  ///   - output: The drive.
  ///   - input: The sensors.
  ///   - stop: The request to stop that is looked at in every block.
  ///   - isPaced: Whether the devices keep their own time, or wait for the frames.
  public init(
    rig: RigDescription, output: any DriveOutput, input: any SensorInput, stop: StopSignal,
    isPaced: Bool
  ) {
    self.rig = rig
    self.output = output
    self.input = input
    self.stop = stop
    self.isPaced = isPaced
  }

  /// Plays a take and records it.
  public func play(
    _ take: TakeDrive, progress: @Sendable (Double) -> Void = { _ in }
  ) -> Recording {
    play(take.frames, progress: progress)
  }

  /// Plays frames and records; a fault of a device ends the recording early and stands in it.
  ///
  /// - Parameters:
  ///   - drive: What is sent.
  ///   - progress: Called now and then with the share 0...1 that was played.
  /// - Returns: What was captured, as long as what was sent unless a fault stands in it.
  public func play(
    _ drive: DriveFrames, progress: @Sendable (Double) -> Void = { _ in }
  ) -> Recording {
    var loop = DeviceLoop(
      rig: rig, drive: drive, output: output, input: input, stop: stop, isPaced: isPaced)
    do throws(DeviceError) {
      try output.start()
      try input.start()
      try loop.run(progress: progress)
    } catch {
      rest(after: error)
      return recording(of: loop, fault: error)
    }
    return recording(of: loop, fault: nil)
  }

  /// Brings the drive to zero and ends the devices' work after a fault.
  private func rest(after fault: DeviceError) {
    output.silence()
    if fault.code == .interrupted {
      // The device is well: it is given zeros of its own, whatever it does when its input ends.
      let rest = [Float](
        repeating: 0, count: output.format.channelCount * output.format.periodFrames)
      _ = try? output.write(rest.span)
    }
    // The device may be gone: that it cannot be stopped any more adds nothing to the first fault.
    try? output.stop()
    try? input.stop()
  }

  private func recording(of loop: DeviceLoop, fault: DeviceError?) -> Recording {
    Recording(
      channels: zip(input.channels, loop.recorder.channels()).map {
        Recording.Channel(description: $0, samples: $1)
      },
      rate: input.format.rate, frameCount: loop.recorder.frameCount, driveFrameCount: loop.sent,
      captureEvents: input.takeEvents().sorted { $0.frame < $1.frame },
      driveEvents: output.takeEvents().sorted { $0.frame < $1.frame },
      driveClock: loop.driveClock, captureClock: loop.captureClock, fault: fault,
      statistics: output.statistics(), expressible: output.expressible)
  }
}
