public import Devices

/// The owner of a rig's open devices: plays one take after another and records each.
///
/// Whatever ends a take early, the drive is at zero before `play` returns.
public actor Session {
  private let rig: RigDescription
  private let output: any DriveOutput
  private let input: any SensorInput
  private let stop: StopSignal
  private let isThreaded: Bool

  /// Takes over open devices.
  ///
  /// - Parameters:
  ///   - rig: How they are wired.
  ///   - output: The drive.
  ///   - input: The sensors.
  ///   - stop: The request to stop that is looked at in every block.
  ///   - isThreaded: Whether the devices keep their own time, so that a thread of its own serves them;
  ///     devices that wait for the frames are served in place, which is faster.
  public init(
    rig: RigDescription, output: any DriveOutput, input: any SensorInput, stop: StopSignal,
    isThreaded: Bool
  ) {
    self.rig = rig
    self.output = output
    self.input = input
    self.stop = stop
    self.isThreaded = isThreaded
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
    do throws(DeviceError) {
      try output.start()
      try input.start()
    } catch {
      return end(
        TakeRecorder(channelCount: input.channels.count, frameLimit: 0), 0, error, account: .init())
    }
    if isThreaded {
      var loop = ThreadedLoop(rig: rig, drive: drive, output: output, input: input, stop: stop)
      let fault = Self.fault { () throws(DeviceError) in try loop.run(progress: progress) }
      return end(
        loop.recorder, loop.sent, fault, account: loop.account, scheduling: loop.scheduling)
    }
    var loop = DeviceLoop(rig: rig, drive: drive, output: output, input: input, stop: stop)
    let fault = Self.fault { () throws(DeviceError) in try loop.run(progress: progress) }
    return end(
      loop.recorder, loop.sent, fault,
      account: DeviceService.Account(
        driveClock: loop.driveClock, captureClock: loop.captureClock))
  }

  private static func fault(_ body: () throws(DeviceError) -> Void) -> DeviceError? {
    do throws(DeviceError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private static func ordered(_ events: [StreamEvent]) -> [StreamEvent] {
    events.sorted { $0.frame < $1.frame }
  }

  private func end(
    _ recorder: TakeRecorder, _ sent: Int, _ fault: DeviceError?,
    account: DeviceService.Account, scheduling: Scheduling? = nil
  ) -> Recording {
    if fault != nil {
      output.silence()
      if fault?.code == .interrupted {
        // The device is well: it is given zeros of its own, whatever it does when its input ends.
        let rest = [Float](
          repeating: 0, count: output.format.channelCount * output.format.periodFrames)
        _ = try? output.write(rest.span)
      }
      // The device may be gone: that it cannot be stopped any more adds nothing to the first fault.
      try? output.stop()
      try? input.stop()
    }
    return Recording(
      channels: zip(input.channels, recorder.channels()).map {
        Recording.Channel(description: $0, samples: $1)
      },
      rate: input.format.rate, frameCount: recorder.frameCount, driveFrameCount: sent,
      captureEvents: Self.ordered(input.takeEvents() + account.captureLosses),
      driveEvents: Self.ordered(output.takeEvents() + account.driveLosses),
      driveClock: account.driveClock, captureClock: account.captureClock, fault: fault,
      scheduling: scheduling, statistics: output.statistics(),
      expressible: output.expressible)
  }
}
