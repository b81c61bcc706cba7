// SPDX-License-Identifier: Apache-2.0

import Devices
import USBDevices
import USBModels
import USBTransport
import Units

/// The output of a board in a world: volts and wire of every frame that is played.
struct DrivingPlant: BoardPlant {
  let world: World
  /// Ticks a second of the world.
  let pace: Double
  let volts: Double
  private var played = 0

  init(world: World, pace: Double, volts: Double) {
    self.world = world
    self.pace = pace
    self.volts = volts
  }

  mutating func drive(_ samples: [Int32], frame: Int?, at tick: UInt64) {
    guard let frame, frame >= played else { return }
    if frame == 0 { world.begin(drive: Double(tick) / pace) }
    played = frame + 1
    let scale = volts / 2_147_483_648
    world.play(
      frame: frame, volts: Double(samples[0]) * scale,
      reference: samples.count > 1 ? Double(samples[1]) * scale : 0)
  }

  func sense(at tick: UInt64) -> [Int32] { [0] }
}

/// The sensors of a board in a world: the reference, then the motion, in steps of 16 bits.
struct FeelingPlant: BoardPlant {
  let world: World
  let pace: Double
  /// The reference's and the motion's full scale.
  let volts: Double
  let acceleration: Double
  /// Brings the driving device up to the world's time.
  let catchUp: @Sendable (Double) -> Void

  func drive(_ samples: [Int32], frame: Int?, at tick: UInt64) {}

  func sense(at tick: UInt64) -> [Int32] {
    let time = Double(tick) / pace
    catchUp(time)
    let felt = world.sense(at: time)
    func step(_ share: Double) -> Int32 {
      Int32((max(-1, min(1, share)) * 32_767).rounded())
    }
    return [step(felt.reference / volts), step((felt.motion + 9.8) / acceleration)]
  }
}

/// A sound card in a world, on the time of a bus: a drive, a capture, or a capture beside its own silence.
final class WorldCard: Sendable {
  struct State: Sendable {
    /// When frame 0 of either side is, in seconds of the world.
    var start: Double?
    var written = 0
    var delivered = 0
    var isEnded = false
  }

  let world: World
  let bus: FakeUSBBus
  let rate: Double
  let format: StreamFormat
  let volts: Double
  /// Whether what is written is driven; else it is silence beside a capture.
  let drives: Bool
  /// The reference and the motion, in the order of a frame.
  let channels: [CaptureChannel]
  /// Frames that the card holds.
  let capacity = 2048
  let state = Guarded(State())
  /// Serves the device beside it whenever the card lets time pass.
  let meanwhile: @Sendable () -> Void

  init(
    world: World, bus: FakeUSBBus, drift: Double, format: StreamFormat, volts: Double,
    drives: Bool, channels: [CaptureChannel], meanwhile: @escaping @Sendable () -> Void = {}
  ) {
    self.meanwhile = meanwhile
    self.world = world
    self.bus = bus
    self.format = format
    self.volts = volts
    self.drives = drives
    self.channels = channels
    rate = format.rate.hertz * (1 + drift * 1e-6)
  }

  var now: Double { Double(bus.clock()) * 1e-9 }

  /// Frames that the card's clock has counted since its start.
  var elapsed: Int {
    state.withLock { state in
      state.start.map { max(0, Int(((now - $0) * rate).rounded(.down))) } ?? 0
    }
  }

  func letTimePass() throws(DeviceError) {
    do throws(USBFailure) {
      try bus.serveEvents(microseconds: 125)
    } catch {
      throw DeviceError(.stalled, device: "card", message: "the bus failed")
    }
    meanwhile()
  }
}

final class WorldCardDrive: DriveOutput {
  private let card: WorldCard

  init(_ card: WorldCard) { self.card = card }

  var format: StreamFormat { card.format }

  func start() throws(DeviceError) { card.state.withLock { $0 = WorldCard.State() } }

  func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    let width = format.channelCount
    while true {
      let written = card.state.withLock { $0.written }
      let room = card.capacity - (written - card.elapsed)
      // Silence needs no room: it is the other device that paces the take.
      let taken = card.drives ? min(frames.count / width, max(0, room)) : frames.count / width
      if taken > 0 {
        if card.drives {
          for frame in 0..<taken {
            let volts = Double(frames[frame * width]) * card.volts
            let wire = width > 1 ? Double(frames[frame * width + 1]) * card.volts : 0
            card.world.play(frame: written + frame, volts: volts, reference: wire)
          }
        }
        card.state.withLock { $0.written += taken }
        if !card.drives || written + taken >= card.capacity { begin() }
        return taken
      }
      try card.letTimePass()
    }
  }

  private func begin() {
    let now = card.now
    let isNew = card.state.withLock { state -> Bool in
      guard state.start == nil else { return false }
      state.start = now + 1e-3
      return true
    }
    if isNew, card.drives { card.world.begin(drive: now + 1e-3) }
  }

  func silence() {}

  func stop() throws(DeviceError) {
    begin()
    let written = card.state.withLock { $0.written }
    while card.elapsed < written { try card.letTimePass() }
    card.state.withLock { $0.isEnded = true }
  }

  func takeEvents() -> [StreamEvent] { [] }
  func clockReading() -> ClockReading? { nil }
}

final class WorldCardSensors: SensorInput {
  private let card: WorldCard

  init(_ card: WorldCard) { self.card = card }

  var format: StreamFormat {
    StreamFormat(
      rate: card.format.rate, channelCount: card.channels.count,
      periodFrames: card.format.periodFrames)
  }
  var channels: [CaptureChannel] { card.channels }

  func start() throws(DeviceError) {}

  func read(into frames: inout MutableSpan<Float>) throws(DeviceError) -> Int {
    let width = card.channels.count
    while true {
      let state = card.state.withLock { $0 }
      let count = min(frames.count / width, card.elapsed - state.delivered)
      if count > 0 {
        let start = state.start ?? 0
        for index in 0..<count {
          let felt = card.world.sense(at: start + Double(state.delivered + index) / card.rate)
          for (channel, description) in card.channels.enumerated() {
            frames[index * width + channel] = Float(
              description.role == .reference ? felt.reference : felt.motion + 9.8)
          }
        }
        card.state.withLock { $0.delivered += count }
        return count
      }
      guard state.isEnded else { return 0 }
      try card.letTimePass()
    }
  }

  func stop() throws(DeviceError) {}
  func takeEvents() -> [StreamEvent] { [] }
  func clockReading() -> ClockReading? { nil }
}
