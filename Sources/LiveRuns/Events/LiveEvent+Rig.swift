// SPDX-License-Identifier: Apache-2.0

import Actuators
package import Devices
import Units

extension LiveEvent.Channels {
  /// The channels of a rig, in the order of its drive's frames and then of its capture's.
  package init(_ rig: RigDescription) {
    let drive = (1...rig.drive.channelCount).map { channel in
      LiveEvent.Channel(drive: channel, of: rig)
    }
    self.init(
      rate: rig.drive.rate.hertz,
      channels: drive + rig.capture.channels.map { LiveEvent.Channel($0) })
  }

  package func count(_ side: LiveEvent.Channel.Side) -> Int { channels.count { $0.side == side } }
}

extension LiveEvent.Channel {
  fileprivate init(drive channel: Int, of rig: RigDescription) {
    let role = DriveRole.allCases.first { rig.drive.channels[$0] == channel }
    let actuator = rig.actuators.first { rig.channel(of: $0) == channel }
    let kind: Kind =
      switch role {
      case .haptic: .drive
      case .audio, .audioLeft, .audioRight: .sound
      case .reference: .reference
      case nil: actuator == nil ? .other : .drive
      }
    self.init(
      name: role?.rawValue ?? "\(channel)", kind: kind, side: .drive, unit: "1", fullScale: 1,
      volts: kind == .drive ? rig.drive.fullScaleVolts : nil,
      actuator: kind == .drive ? actuator?.id : nil)
  }

  fileprivate init(_ channel: CaptureChannelDescription) {
    let kind: Kind =
      switch channel.role {
      case .acceleration: .response
      case .audio: .sound
      case .reference: .reference
      case .voltage, .current: .other
      }
    self.init(
      name: channel.name, kind: kind, side: .capture, unit: channel.unit.rawValue,
      fullScale: channel.fullScaleVolts == nil ? nil : channel.scale)
  }
}

extension LiveEvent.Loss {
  init(kind: StreamEvent.Kind, ofDrive: Bool, frame: Int, count: Int) {
    let what: What =
      switch kind {
      case .underrun, .overrun: .xrun
      case .drop: .dropped
      case .overload: ofDrive ? .clipped : .overload
      }
    self.init(what: what, frame: frame, count: count, device: ofDrive ? .drive : .capture)
  }
}
