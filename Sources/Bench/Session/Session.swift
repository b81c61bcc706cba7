// SPDX-License-Identifier: Apache-2.0

public import Devices
import Units

/// The owner of a rig's open devices: plays one take after another and records each.
///
/// Whatever ends a take early, the drive is at zero before `play` returns.
public actor Session {
  private let rig: RigDescription
  private let output: any DriveOutput
  private let input: any SensorInput
  private let stop: StopSignal
  private let isPaced: Bool
  private let tap: (any SignalTap)?

  /// Takes over open devices.
  ///
  /// - Parameters:
  ///   - rig: How they are wired.
  ///   - output: The drive.
  ///   - input: The sensors.
  ///   - stop: The request to stop that is looked at in every block.
  ///   - isPaced: Whether the devices keep their own time, or wait for the frames.
  ///   - tap: Who looks at the signals while they pass, if anybody does.
  public init(
    rig: RigDescription, output: any DriveOutput, input: any SensorInput, stop: StopSignal,
    isPaced: Bool, tap: (any SignalTap)? = nil
  ) {
    self.rig = rig
    self.output = output
    self.input = input
    self.stop = stop
    self.isPaced = isPaced
    self.tap = tap
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
      rig: rig, drive: drive, output: output, input: input, stop: stop, isPaced: isPaced,
      tap: tap)
    tap?.begin()
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

/// Serves a rig's devices in the caller's thread: a block of drive out, what it moved in.
///
/// Devices that wait for the frames need no more. Those that keep their own time have a queue, and most
/// a thread behind it, of their own: they block the caller while that is full, and tell what came late.
/// So a captured frame goes from the device's queue into the recording.
struct DeviceLoop {
  /// How long a take on devices that keep their own time goes on after a request to stop, in seconds:
  /// the recording shows how the rig comes to rest.
  private static let restSeconds = 0.1
  /// How often progress of such a take is told, in seconds of drive: as often as an eye follows.
  private static let progressInterval = 0.05

  let rig: RigDescription
  let drive: DriveFrames
  let output: any DriveOutput
  let input: any SensorInput
  let stop: StopSignal
  /// Whether the devices keep their own time.
  let isPaced: Bool
  /// Frames of one block; a multiple of the devices' own keeps them from cutting it.
  private let blockFrames: Int
  /// Room for the frames of one block, as they come in.
  private var block: [Float]
  /// Where the drive ends: sooner than it was to where somebody asked to stop.
  private var end: Int
  /// Whether a request to stop was heeded.
  private var isStopped = false

  private let tap: (any SignalTap)?
  /// What the tap was told of each side.
  private var toldDrive = ToldLosses()
  private var toldCapture = ToldLosses()

  private(set) var recorder: TakeRecorder
  private(set) var sent = 0
  private(set) var driveClock: [ClockReading] = []
  private(set) var captureClock: [ClockReading] = []

  init(
    rig: RigDescription, drive: DriveFrames, output: any DriveOutput, input: any SensorInput,
    stop: StopSignal, isPaced: Bool, tap: (any SignalTap)?
  ) {
    self.tap = tap
    self.rig = rig
    self.drive = drive
    self.output = output
    self.input = input
    self.stop = stop
    self.isPaced = isPaced
    let period = rig.drive.periodFrames
    blockFrames = isPaced ? period : period * max(1, 1024 / period)
    end = drive.count
    recorder = TakeRecorder(channelCount: input.channels.count, frameLimit: drive.count)
    block = [Float](repeating: 0, count: blockFrames * input.channels.count)
  }

  /// Plays all frames and collects the response.
  mutating func run(progress: (Double) -> Void) throws(DeviceError) {
    var fault: DeviceError?
    do throws(DeviceError) {
      try serve(progress: progress)
    } catch {
      fault = error
    }
    // It is the request that ended the take, whatever the devices say of it afterwards.
    if isStopped, let number = stop.requested { throw .interruption(of: rig, by: number) }
    if let fault { throw fault }
  }

  private mutating func serve(progress: (Double) -> Void) throws(DeviceError) {
    let total = drive.count
    let interval =
      isPaced ? output.format.rate.wholeFrames(Self.progressInterval) : 32 * blockFrames
    var told = 0
    if heedStop() { return }
    while sent < end {
      if isPaced, heedStop() { return }
      try send(
        drive.interleaved(
          sent..<min(end, sent + blockFrames), roles: rig.drive.channels,
          channelCount: rig.drive.channelCount))
      if isStopped, !isPaced { return }
      try receive()
      if sent - told >= interval {
        told = sent
        progress(Double(sent) / Double(total))
      }
    }
    if told < sent { progress(Double(sent) / Double(total)) }
    try output.stop()
    while recorder.frameCount < sent, try receive() > 0 {}
    try input.stop()
  }

  /// Looks at the request to stop once; true where nothing more is to be sent.
  private mutating func heedStop() -> Bool {
    guard !isStopped, stop.requested != nil else { return false }
    isStopped = true
    // Before the first frame nothing goes out; devices that wait are never sent what follows.
    guard isPaced, sent > 0 else { return true }
    // From here on the device drives zeros, whatever it is given.
    output.silence()
    end = min(drive.count, sent + output.format.rate.wholeFrames(Self.restSeconds))
    return false
  }

  /// Sends period by period, as far as no request to stop ends that.
  private mutating func send(_ frames: [Float]) throws(DeviceError) {
    let width = rig.drive.channelCount
    let period = rig.drive.periodFrames * width
    var done = 0
    while done < frames.count {
      if !isPaced, heedStop() { return }
      let end = min(done + period, frames.count)
      let taken = try output.write(frames.span.extracting(done..<end))
      if let tap { look(tap, at: frames.span.extracting(done..<done + taken * width)) }
      done += taken * width
      sent += taken
    }
    if let reading = output.clockReading() { driveClock.append(reading) }
    if let tap { toldDrive.tell(output.seenEvents()) { tap.lost($0, ofDrive: true) } }
  }

  /// Shows what went out: silence where the devices were told to drive it, whatever they are given.
  private func look(_ tap: any SignalTap, at frames: Span<Float>) {
    guard isStopped else { return tap.drive(frames) }
    tap.drive([Float](repeating: 0, count: frames.count).span)
  }

  @discardableResult
  private mutating func receive() throws(DeviceError) -> Int {
    let (input, width) = (input, recorder.channelCount)
    var received = 0
    while recorder.frameCount < sent {
      let wanted = min(sent - recorder.frameCount, blockFrames)
      var span = block.mutableSpan
      var part = span._mutatingExtracting(0..<(wanted * width))
      let count = try input.read(into: &part)
      guard count > 0 else { break }
      recorder.append(block.span.extracting(0..<(count * width)))
      tap?.capture(block.span.extracting(0..<(count * width)))
      received += count
      // A device without a thread would let all that was sent play out while it is read.
      if isPaced { break }
    }
    if let reading = input.clockReading() { captureClock.append(reading) }
    if let tap { toldCapture.tell(input.seenEvents()) { tap.lost($0, ofDrive: false) } }
    return received
  }
}

/// Events of a device that were told once: the same are seen again and again until they are taken.
private struct ToldLosses {
  private struct Key: Hashable {
    let kind: StreamEvent.Kind
    let frame: Int
    let channel: String?
  }

  private var told: Set<Key> = []

  mutating func tell(_ seen: [StreamEvent], _ tell: (StreamEvent) -> Void) {
    // As a rule nothing is ever lost, and what was told is not looked for again.
    guard seen.count > told.count else { return }
    for event in seen
    where told.insert(Key(kind: event.kind, frame: event.frame, channel: event.channel)).inserted {
      tell(event)
    }
  }
}

/// Collects interleaved capture frames into planar channels, up to the length of a take.
struct TakeRecorder {
  private let writers: [SampleWriter]
  let frameLimit: Int

  init(channelCount: Int, frameLimit: Int) {
    self.frameLimit = frameLimit
    writers = (0..<channelCount).map { _ in SampleWriter(expected: frameLimit) }
  }

  var channelCount: Int { writers.count }

  var frameCount: Int { writers.first?.count ?? 0 }

  func append(_ interleaved: Span<Float>) {
    let width = writers.count
    let count = min(interleaved.count / width, frameLimit - frameCount)
    for (channel, writer) in writers.enumerated() {
      writer.append(channel: channel, of: width, in: interleaved, frames: count)
    }
  }

  /// What was collected; nothing may be added afterwards.
  func channels() -> [Samples] { writers.map { $0.finish() } }
}

extension DeviceError {
  /// The error of a run that was stopped from outside.
  static func interruption(of rig: RigDescription, by number: Int32) -> DeviceError {
    DeviceError(
      .interrupted, device: rig.name,
      message: "the run was stopped by signal \(number); the drive is at zero", errno: number)
  }
}
