// SPDX-License-Identifier: Apache-2.0

import ALSADevices
package import Devices
import USBDevices
import USBTransport
import VirtualDevices

/// A rig's open devices, behind their ports.
///
/// The one place below the program itself that names concrete devices.
package struct OpenRig: Sendable {
  package let output: any DriveOutput
  /// The sensors; `nil` where a stimulus is only written.
  package let input: (any SensorInput)?
  /// Whether the devices keep their own time, or wait for the frames.
  package let isPaced: Bool

  /// The rig with what its devices themselves had to say: scales that a card carries in its name.
  package let description: RigDescription

  private let ending: @Sendable () throws(DeviceError) -> Void
  /// The right to use the rig, for as long as its devices are open; `nil` where others may as well.
  private let hold: RigHold?

  /// Opens the devices that a description names.
  ///
  /// `responseSkip` are frames of a response file before the stimulus began; devices that can look at `stop` by
  /// themselves, and `log` takes what an outside program writes to its standard error, line by line.
  package init(
    _ rig: RigDescription, responseSkip: Int = 0, slack: DriveSlack = .live,
    stop: StopSignal = StopSignal(),
    log: @escaping @Sendable (String) -> Void
  ) throws(DeviceError) {
    try self.init(rig, responseSkip: responseSkip, slack: slack, stop: stop, log: log) {
      () throws(DeviceError) in try LibUSBBackend()
    }
  }

  /// Opens the devices that a description names, those over USB on a bus of the caller's.
  init(
    _ rig: RigDescription, responseSkip: Int = 0, slack: DriveSlack = .live,
    stop: StopSignal = StopSignal(),
    log: @escaping @Sendable (String) -> Void,
    on makeBus: () throws(DeviceError) -> any USBBackend
  ) throws(DeviceError) {
    hold = try Self.isExclusive(rig) ? RigHold(rig.name) : nil
    if let controller = rig.drive.dualSenseHaptics {
      try DualSenseHaptics.select(controller, rig: rig.name, on: makeBus())
    }
    if Self.isMixed(rig) {
      let mixed = try MixedRig(rig, slack: slack, stop: stop, on: makeBus)
      (output, input, description) = (mixed.drive, mixed.sensors, mixed.description)
      isPaced = mixed.isPaced
      ending = {}
      return
    }
    var described = rig
    var whenDone: @Sendable () throws(DeviceError) -> Void = {}
    switch rig.drive.device {
    case .simulated(let simulation):
      let simulated = try SimulatedRig(rig, slack: slack)
      (output, input) = (simulated.drive, simulated.sensors)
      isPaced = simulation.clock == .real
    case .command:
      let command = try CommandRig(rig, report: log)
      (output, input, isPaced) = (command.drive, command.sensors, false)
    case .file:
      let files = try FileRig(rig, skip: responseSkip)
      (output, input, isPaced) = (files.drive, files.sensors, false)
      whenDone = { () throws(DeviceError) in try files.drive.finish() }
    case .alsa:
      let cards = try ALSARig(rig, slack: slack, stop: stop)
      (output, input, isPaced) = (cards.drive, cards.sensors, cards.isPaced)
      described = cards.description
    case .usb(let description):
      let device = try USBRig(rig, device: description, on: makeBus(), slack: slack, stop: stop)
      guard let drive = device.drive else {
        throw rig.error(.refused, "the USB device does not drive")
      }
      (output, input, isPaced) = (drive, device.sensors, device.isPaced)
    }
    description = described
    ending = whenDone
  }

  /// Whether drive and capture are two devices of which one at least is no sound card.
  private static func isMixed(_ rig: RigDescription) -> Bool {
    switch (rig.drive.device, rig.capture.kind) {
    case (.usb, .alsa), (.alsa, .usb): true
    case (.usb(let driving), .usb): rig.capture.usb.map { $0 != driving } ?? false
    case (.alsa, .serial), (.alsa, .iio), (.usb, .serial), (.usb, .iio): true
    default: false
    }
  }

  /// Whether a rig is held by one process: what has a clock of its own.
  ///
  /// Files can be used twice, and a program knows by itself whether it can.
  private static func isExclusive(_ rig: RigDescription) -> Bool {
    switch rig.drive.device {
    case .simulated(let simulation): simulation.clock == .real
    case .alsa(let cards): !cards.isLockStep
    case .usb: true
    case .command, .file: false
    }
  }

  /// Ends the devices' work for good: a stimulus file becomes whole.
  package func finish() throws(DeviceError) { try ending() }
}

/// The libraries that devices are reached through.
package enum DeviceLibraries {
  /// The version of alsa-lib.
  package static var alsa: String { SoundCards.libraryVersion }
}
