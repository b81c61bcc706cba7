import Devices
import Units

/// How a rig uses a board, decided before anything runs.
struct BoardSetup: Sendable {
  /// The rig, as errors name it.
  let rig: String
  /// Frames a second of both streams.
  let rate: SampleRate
  /// Channels of a frame at the drive's port; 0 where the board does not drive.
  let driveWidth: Int
  /// By channel of the sensors' port the board's input, from 0; none where the board does not feel.
  let inputs: [Int]
  /// By channel of the sensors' port, SI units of one step.
  let scales: [Float]
  /// The highest drive that the board lets through, of 65535.
  let peak: UInt16
  /// Seconds without a packet before the board is given up.
  let timeout: Double

  var drives: Bool { driveWidth > 0 }
  var senses: Bool { !inputs.isEmpty }

  /// Fits a rig to a board, or says what does not fit.
  init(
    _ rig: RigDescription, _ identity: BoardIdentity, drives: Bool, senses: Bool, timeout: Double
  ) throws(DeviceError) {
    func refusal(_ message: String) -> DeviceError {
      DeviceError(.refused, device: rig.name, message: message)
    }
    let hertz = UInt32(rig.drive.rate.hertz)
    self.rig = rig.name
    rate = rig.drive.rate
    self.timeout = timeout
    if drives {
      guard identity.driveRates.contains(hertz) else {
        throw refusal(
          "the board does not drive at \(hertz) Hz: write 'rate' as one of "
            + Self.list(identity.driveRates))
      }
      guard rig.drive.channelCount <= identity.driveChannelCount else {
        throw refusal(
          "drive channel \(rig.drive.channelCount) is beyond the board's last, "
            + "\(identity.driveChannelCount): correct 'channels' of the drive")
      }
    }
    if senses {
      guard identity.sensorRates.contains(hertz) else {
        throw refusal(
          "the board does not feel at \(hertz) Hz: write 'rate' as one of "
            + Self.list(identity.sensorRates))
      }
      if let beyond = rig.capture.channels.first(where: { $0.input > identity.sensorChannelCount })
      {
        throw refusal(
          "input \(beyond.input) of channel '\(beyond.name)' is beyond the board's last, "
            + "\(identity.sensorChannelCount): correct 'input'")
      }
    }
    driveWidth = drives ? rig.drive.channelCount : 0
    inputs = senses ? rig.capture.channels.map { $0.input - 1 } : []
    scales = senses ? rig.capture.channels.map { Self.scale($0, identity) } : []
    peak = Self.peak(rig)
  }

  /// SI units of one step: the board's own full scale where the rig file has none.
  private static func scale(
    _ channel: CaptureChannelDescription, _ identity: BoardIdentity
  ) -> Float {
    let end = Double(identity.sensorFormat.fullScale)
    guard let volts = channel.fullScaleVolts else {
      // A sensor file corrects what the board says by a factor.
      return Float(identity.sensorScale / (channel.sensor?.sensitivity ?? 1))
    }
    return Float(volts / (channel.sensor?.sensitivity ?? 1) / end)
  }

  /// The peak that the rig file allows; full scale where other channels than actuators' are driven,
  /// since a board has one limit for all.
  private static func peak(_ rig: RigDescription) -> UInt16 {
    guard rig.drive.channels.keys.allSatisfy({ $0 == .haptic }) else { return .max }
    let volts = rig.actuators.map(\.limits.peakVolts).max() ?? rig.drive.fullScaleVolts
    let share = volts / rig.drive.fullScaleVolts * 65_535
    return share >= 65_535 ? .max : UInt16(share.rounded(.up))
  }

  private static func list(_ rates: [UInt32]) -> String {
    rates.isEmpty
      ? "none: it has no such channels" : rates.map { "\($0) Hz" }.joined(separator: ", ")
  }
}
