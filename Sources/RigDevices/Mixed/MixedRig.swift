import ALSADevices
import Devices
import SampledSensors
import USBDevices
import USBTransport
import Units

/// A rig whose drive and capture are two devices with two clocks: a USB device beside a sound card, two
/// USB devices, or either of them beside a sensor with a clock of its own.
///
/// Both start together as far as the host can; the markers on the reference say how far they are apart
/// and how their clocks drift. The ports count both in frames of their own, as on two sound cards. No wire leads to a
/// sensor with a clock of its own: its samples are laid on the drive by the host's clock.
struct MixedRig {
  let drive: any DriveOutput
  let sensors: any SensorInput
  /// The rig with what the devices themselves had to say.
  let description: RigDescription
  /// Whether the devices keep their own time: all do but those on a virtual bus.
  private(set) var isPaced = true

  init(
    _ rig: RigDescription, slack: DriveSlack = .live, stop: StopSignal,
    on makeBus: () throws(DeviceError) -> any USBBackend
  ) throws(DeviceError) {
    switch (rig.drive.device, rig.capture.kind) {
    case (.usb(let board), .alsa):
      let driving = try USBRig(
        rig, device: board, halves: .drive, on: makeBus(), slack: slack, stop: stop)
      let listening = try ALSARig(try Self.listening(rig), slack: slack, stop: stop)
      guard let output = driving.drive else { throw Self.refusal(rig) }
      description = Self.described(rig, by: listening)
      // A card captures while it plays: it is given silence, as much as the board is given drive.
      drive = PairedDrive(
        output,
        beside: SilentPartner(listening.drive, frames: rig.drive.format.periodFrames * 64))
      sensors = listening.sensors
    case (.alsa, .usb):
      let listening = try Self.board(rig, stop: stop, on: makeBus)
      guard let input = listening.sensors else { throw Self.refusal(rig) }
      drive = try Self.drive(rig, beside: BoardPartner(listening), slack, stop: stop)
      sensors = input
      description = rig
    case (.alsa, .serial), (.alsa, .iio):
      let listening = try Self.sampled(rig)
      drive = try Self.drive(
        rig, beside: SampledPartner(listening, isOnHostClock: false), slack, stop: stop)
      sensors = listening
      description = rig
    case (.usb(let device), .serial), (.usb(let device), .iio):
      let listening = try Self.sampled(rig)
      let driving = try USBRig(
        rig, device: device, halves: .drive, on: makeBus(), slack: slack, stop: stop)
      guard let output = driving.drive else { throw Self.refusal(rig) }
      drive = PairedDrive(
        output, beside: SampledPartner(listening, isOnHostClock: driving.isOnHostClock))
      sensors = listening
      description = rig
    case (.usb(let board), .usb):
      let bus = try makeBus()
      let driving = try USBRig(
        rig, device: board, halves: .drive, on: bus, slack: slack, stop: stop)
      let listening = try Self.board(rig, stop: stop) { bus }
      guard let output = driving.drive, let input = listening.sensors else {
        throw Self.refusal(rig)
      }
      driving.accompany(listening)
      isPaced = driving.isPaced
      drive = PairedDrive(output, beside: BoardPartner(listening))
      sensors = input
      description = rig
    default: throw Self.refusal(rig)
    }
  }

  private static func board(
    _ rig: RigDescription, stop: StopSignal, on makeBus: () throws(DeviceError) -> any USBBackend
  ) throws(DeviceError) -> USBRig {
    guard let board = rig.capture.usb else { throw refusal(rig) }
    return try USBRig(rig, device: board, halves: .sensors, on: makeBus(), stop: stop)
  }

  private static func sampled(_ rig: RigDescription) throws(DeviceError) -> SampledSensors {
    rig.capture.kind == .serial ? try SerialRig(rig).sensors : try IIORig(rig).sensors
  }

  /// The drive on a sound card, with what goes along with it.
  private static func drive(
    _ rig: RigDescription, beside partner: any DrivePartner, _ slack: DriveSlack, stop: StopSignal
  ) throws(DeviceError) -> PairedDrive {
    PairedDrive(try ALSARig(try driving(rig), slack: slack, stop: stop).drive, beside: partner)
  }

  /// The card's half of a rig that it only listens in: the card plays on its first channel, silence.
  private static func listening(_ rig: RigDescription) throws(DeviceError) -> RigDescription {
    guard let card = rig.capture.alsa else { throw refusal(rig) }
    var half = rig
    half.drive.device = .alsa(card)
    half.drive.channels = [.haptic: 1]
    return half
  }

  /// The card's half of a rig that it only drives: whatever it captures is not looked at.
  private static func driving(_ rig: RigDescription) throws(DeviceError) -> RigDescription {
    guard case .alsa(let card) = rig.drive.device else { throw refusal(rig) }
    var half = rig
    half.capture = CaptureDescription(
      kind: .alsa,
      channels: [
        CaptureChannelDescription(
          name: "unused", role: .voltage, unit: .volt, input: 1, fullScaleVolts: 1)
      ], alsa: card)
    return half
  }

  private static func described(_ rig: RigDescription, by card: ALSARig) -> RigDescription {
    var rig = rig
    rig.capture = card.description.capture
    return rig
  }

  private static func refusal(_ rig: RigDescription) -> DeviceError {
    rig.error(
      .refused,
      "a drive of kind \(rig.drive.device.kind.rawValue) and a capture of kind "
        + "\(rig.capture.kind.rawValue) are no rig: mix only a USB device and a sound card, or a drive on "
        + "either of them with a capture on a serial port or of the kernel's Industrial I/O")
  }
}
