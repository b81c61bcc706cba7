// SPDX-License-Identifier: Apache-2.0

import Devices
import HapticRendering
import RigDevices
import Units

/// What the program asks of the thread that renders.
enum StreamCommand: BitwiseCopyable {
  case add(ProgramLoan, slot: Int)
  case ask(PlayerAction, slot: Int, time: Double, delay: Double, order: Int)
  case release(slot: Int)
  case muteHaptics(Bool)
  case muteAudio(Bool)
  case sound(SoundFollower.Request)
}

/// A stage's notice, with when its block was handed to the device.
struct StampedNotice: BitwiseCopyable {
  let notice: StageNotice
  /// Seconds of the host's clock from the stream's start to when the first frame at or after the
  /// notice's time was handed to the device.
  let handed: Double
}

/// The render thread's own: the stage, the ends of its queues, and the block it fills.
struct RenderCore: ~Copyable {
  let blockFrames: Int
  /// Samples of a frame of the device.
  let width: Int
  var stage: PlayerStage
  var follower: SoundFollower
  private var commands: RealtimeQueue<StreamCommand>.Consumer
  private var notices: RealtimeQueue<StampedNotice>.Producer
  private let rate: Double
  private let wiring: DriveWiring
  private let haptic: UnsafeMutablePointer<Float>
  private let left: UnsafeMutablePointer<Float>
  private let right: UnsafeMutablePointer<Float>
  /// The block as the device takes it: interleaved frames.
  let block: UnsafeMutablePointer<Float>
  /// How many notices found no room on their way out of the stage or here.
  var lostNotices: Int { lostHere + stage.lostNotices }
  private var lostHere = 0

  init(
    stage: consuming PlayerStage, drive: DriveDescription, blockFrames: Int? = nil,
    commands: consuming RealtimeQueue<StreamCommand>.Consumer,
    notices: consuming RealtimeQueue<StampedNotice>.Producer,
    sound: consuming SoundLine = SoundLine()
  ) {
    self.stage = stage
    follower = SoundFollower(sound, rate: drive.rate.hertz)
    self.commands = commands
    self.notices = notices
    self.blockFrames = blockFrames ?? drive.periodFrames
    width = drive.channelCount
    rate = drive.rate.hertz
    wiring = DriveWiring(drive)
    let frames = self.blockFrames
    haptic = .allocate(capacity: frames)
    left = .allocate(capacity: frames)
    right = .allocate(capacity: frames)
    block = .allocate(capacity: frames * width)
    block.initialize(repeating: 0, count: frames * width)
  }

  deinit {
    haptic.deallocate()
    left.deallocate()
    right.deallocate()
    block.deallocate()
  }

  /// Does what was asked since the last block and fills the next one, of at most `blockFrames`.
  ///
  /// `now` is in seconds of the host's clock since the stream's start.
  @_noAllocation @_noLocks
  mutating func fill(_ count: Int, now: Double) {
    let first = stage.frame
    performAll()
    follower.follow(&stage, count: count)
    stage.render(haptic: haptic, left: left, right: right, count: count)
    follower.pass(left: left, right: right, count: count)
    wiring.interleave(haptic: haptic, left: left, right: right, to: block, count: count)
    for index in 0..<stage.noticeCount {
      let notice = stage.notice(index)
      let place = (notice.time * rate - Double(first)) / rate
      let stamped = StampedNotice(notice: notice, handed: now + (place > 0 ? place : 0))
      if !notices.push(stamped) { lostHere += 1 }
    }
    stage.clearNotices()
  }

  /// Whether nothing is felt or heard, or going to be.
  var isIdle: Bool { commands.available == 0 && stage.isIdle }

  /// Ends every play and forgets everything that waits.
  @_noAllocation @_noLocks
  mutating func endAll() {
    performAll()
    stage.cancelAll(order: .max)
  }

  /// Does what waits now; what is asked meanwhile waits for the next block.
  private mutating func performAll() {
    for _ in 0..<commands.available {
      if let command = commands.pop() { perform(command) }
    }
  }

  private mutating func perform(_ command: StreamCommand) {
    switch command {
    case .add(let program, let slot): _ = stage.add(program, slot: slot)
    case .ask(let action, let slot, let time, let delay, let order):
      stage.ask(action, of: slot, at: time, delay: delay, order: order)
    case .release(let slot): stage.release(slot: slot)
    case .muteHaptics(let isOn): stage.isHapticMuted = isOn
    case .muteAudio(let isOn): stage.isAudioMuted = isOn
    case .sound(let request): follower.take(request)
    }
  }
}

/// Which of a device's channels gets what; -1 for what is not wired.
struct DriveWiring {
  private let width: Int
  private let haptic: Int
  private let reference: Int
  private let audio: Int
  private let left: Int
  private let right: Int

  init(_ drive: DriveDescription) {
    func place(_ role: DriveRole) -> Int { (drive.channels[role] ?? 0) - 1 }
    width = drive.channelCount
    haptic = place(.haptic)
    reference = place(.reference)
    audio = place(.audio)
    left = place(.audioLeft)
    right = place(.audioRight)
  }

  /// Lays a block out as the device takes it; the reference carries the haptic drive as sent.
  func interleave(
    haptic drive: UnsafeMutablePointer<Float>, left l: UnsafeMutablePointer<Float>,
    right r: UnsafeMutablePointer<Float>, to block: UnsafeMutablePointer<Float>, count: Int
  ) {
    for index in 0..<(count * width) { block[index] = 0 }
    for index in 0..<count {
      let frame = block + index * width
      if haptic >= 0 { frame[haptic] = drive[index] }
      if reference >= 0 { frame[reference] = drive[index] }
      if audio >= 0 { frame[audio] = (l[index] + r[index]) / 2 }
      if left >= 0 { frame[left] = l[index] }
      if right >= 0 { frame[right] = r[index] }
    }
  }
}

/// How a stream's devices are opened, and who looks on; an app's engine needs none of it.
struct StreamWatch: Sendable {
  /// How much drive waits for a device that keeps its own time.
  var slack = DriveSlack.live
  /// Frames that are rendered at a time; `nil` for the device's period.
  var blockFrames: Int?
  /// A request to stop at once: the drive is at zero, nothing fades.
  var stop = StopSignal()
  /// Who looks at the signals of the rig as it was opened.
  var tap: @Sendable (RigDescription) -> (any SignalTap)? = { _ in nil }
  /// Called with what happened to a player, and the host's clock when its first frame is played.
  var onNotice: (@Sendable (PlayerCore?, StageNotice, Double) -> Void)?
}

/// A rig's open devices as the render thread serves them: a block out, what it moved in.
struct StreamDevices: ~Copyable {
  /// Whether the devices keep their own time.
  let isPaced: Bool
  let channels: [CaptureChannel]
  private let rig: OpenRig
  private let tap: (any SignalTap)?
  private let driveWidth: Int
  private let captureWidth: Int
  private let recorded: UnsafeMutablePointer<Float>
  private let blockFrames: Int
  private var sent = 0
  private var received = 0
  /// How many frames the device had to play without being given them, as it has told.
  private(set) var underrunFrames = 0

  init(
    _ description: RigDescription, watch: StreamWatch, log: @escaping @Sendable (String) -> Void
  ) throws(DeviceError) {
    let opened = try OpenRig(description, slack: watch.slack, stop: watch.stop, log: log)
    try opened.output.start()
    try opened.input?.start()
    rig = opened
    tap = watch.tap(opened.description)
    tap?.begin()
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
    _ block: UnsafeMutablePointer<Float>, frames: Int, tape: inout StreamTape,
    follower: inout SoundFollower
  ) throws(DeviceError) {
    let span = Span(_unsafeStart: UnsafePointer(block), count: frames * driveWidth)
    tape.keep(sent: span)
    tap?.drive(span)
    var done = 0
    while done < frames {
      done += try rig.output.write(span.extracting((done * driveWidth)..<(frames * driveWidth)))
    }
    sent += frames
    try receive(&tape, &follower)
    noteEvents()
  }

  private mutating func receive(
    _ tape: inout StreamTape, _ follower: inout SoundFollower
  ) throws(DeviceError) {
    guard let input = rig.input else { return }
    while received < sent {
      let wanted = min(sent - received, blockFrames) * captureWidth
      var space = MutableSpan(_unsafeStart: recorded, count: wanted)
      let count = try input.read(into: &space)
      guard count > 0 else { return }
      received += count
      let span = Span(_unsafeStart: UnsafePointer(recorded), count: count * captureWidth)
      tape.keep(recorded: span)
      tap?.capture(span)
      follower.hear(recorded, count: count, width: captureWidth)
    }
  }

  /// What the device's clock says of the frame that it plays now; `nil` of one that has no clock.
  var clockReading: ClockReading? { isPaced ? rig.output.clockReading() : nil }

  /// Drives zero from now on.
  mutating func silence() {
    rig.output.silence()
    // The device is well: it is given zeros of its own, whatever it does when its input ends.
    let zeros = [Float](repeating: 0, count: rig.output.format.periodFrames * driveWidth)
    _ = try? rig.output.write(zeros.span)
  }

  /// Lets what was sent play out and rests the devices.
  mutating func finish(
    tape: inout StreamTape, follower: inout SoundFollower
  ) throws(DeviceError) {
    try rig.output.stop()
    try receive(&tape, &follower)
    noteEvents()
    try rig.input?.stop()
    try rig.finish()
  }

  /// Leaves the drive at zero after a fault; the device may be gone, so nothing is asked of it twice.
  mutating func abandon() {
    rig.output.silence()
    try? rig.output.stop()
    noteEvents()
    try? rig.input?.stop()
  }

  /// Counts what the devices told of frames that were lost or clipped, and passes it on.
  private mutating func noteEvents() {
    for event in rig.output.takeEvents() {
      if event.kind == .underrun { underrunFrames += event.length }
      tap?.lost(event, ofDrive: true)
    }
    for event in rig.input?.takeEvents() ?? [] { tap?.lost(event, ofDrive: false) }
  }
}
