// SPDX-License-Identifier: Apache-2.0

import Actuators
import ChangeDetection
import Devices
import Units

/// Values of a rig file that can be read and are hardly meant.
struct RigDoubts {
  struct Doubt: Equatable {
    let subject: String
    let finding: String
  }

  private(set) var found: [Doubt] = []

  /// `today` is `2026-01-31`: certificates age.
  init(_ rig: RigDescription, today: String) {
    voltages(rig)
    for channel in rig.capture.channels where channel.role == .acceleration {
      sensor(channel, today: today)
    }
    wires(rig)
    if rig.actuators.contains(where: { $0.mass == nil }) {
      note(
        "actuator",
        "its 'mass' is not given: levels of two rigs compare only where the moving mass is known")
    }
  }

  private mutating func note(_ subject: String, _ finding: String) {
    found.append(Doubt(subject: subject, finding: finding))
  }

  /// What actuators of a kind take: an LRA or a voice coil a few volts, a piezo up to some hundred.
  private static func highest(_ kind: ActuatorKind) -> Double {
    kind == .piezo ? 300 : 30
  }

  private mutating func voltages(_ rig: RigDescription) {
    for actuator in rig.actuators {
      let (limits, kind) = (actuator.limits, actuator.kind)
      let highest = Self.highest(kind)
      let peak = EngineeringFormat.text(limits.peakVolts, .volt)
      if limits.peakVolts > highest {
        note(
          "limits",
          "'peak' of \(actuator.id) is \(peak): actuators of kind \(kind.rawValue) take at most some "
            + "\(EngineeringFormat.text(highest, .volt)). Is the unit right?")
      }
      // A motor with an eccentric mass runs on a steady voltage.
      if kind != .erm, limits.continuousVolts > 0.72 * limits.peakVolts {
        note(
          "limits",
          "'continuous' of \(actuator.id) is more than 0.71 of its peak (\(peak)): no sine comes that near, so one "
            + "of the two is probably peak for RMS")
      }
      let full = rig.drive.fullScaleVolts
      if full > highest {
        note(
          "drive",
          "'full-scale' is \(EngineeringFormat.text(full, .volt)): is it the peak at the actuator?")
      } else if full < 0.1 * min(highest, limits.peakVolts) {
        note(
          "drive",
          "'full-scale' is \(EngineeringFormat.text(full, .volt)), less than a tenth of what \(actuator.id) takes: "
            + "it can hardly be felt")
      }
    }
  }

  /// Sensitivities of accelerometers that are sold, in V/(m/s2): 0.05 mV/g for shock to 10 V/g for seismic ones.
  private static let sensitivities = 5e-6...1.0
  /// What a converter's end should be, in g.
  private static let ranges = 2.0...5_000

  private mutating func sensor(_ channel: CaptureChannelDescription, today: String) {
    let gravity = MeasurementUnit.standardGravity.factor
    guard let sensor = channel.sensor else { return }
    if let volts = channel.fullScaleVolts {
      if !Self.sensitivities.contains(sensor.sensitivity) {
        note(
          "sensor",
          "the sensitivity of '\(channel.name)' is \(EngineeringFormat.significant(1000 * sensor.sensitivity * gravity)) "
            + "mV/g: accelerometers have 0.05 mV/g to 10 V/g")
      }
      let range = volts / sensor.sensitivity / gravity
      if !Self.ranges.contains(range) {
        note(
          "sensor",
          "the input of '\(channel.name)' ends at \(EngineeringFormat.significant(range)) g: taps reach 10 g and "
            + "more, and above some thousand g nothing is left of them but noise. Is 'full-scale' the converter's "
            + "peak voltage?")
      }
    }
    if sensor.relativeUncertainty == nil {
      note(
        "sensor", "'\(channel.name)' has no 'uncertainty': levels are given without one, too")
    }
    age(of: channel.name, sensor.date, today)
  }

  private mutating func age(of name: String, _ date: String?, _ today: String) {
    guard let date, let then = CalendarDay(date)?.number, let now = CalendarDay(today)?.number
    else { return }
    if then > now {
      note("sensor", "the certificate of '\(name)' is of \(date), which is still to come")
    } else if now - then > 2 * 365 + 1 {
      note(
        "sensor",
        "the certificate of '\(name)' is of \(date): accelerometers are usually calibrated anew every year or two"
      )
    }
  }

  private mutating func wires(_ rig: RigDescription) {
    let (drive, capture) = (rig.drive.channels, rig.capture)
    let hasReference = drive[.reference] != nil && capture.channel(.reference) != nil
    if !hasReference {
      note(
        "wires",
        "there is no reference wire from an output to an input: latency and sync will be \"not measured\""
      )
    }
    let hasSound = drive[.audio] != nil || drive[.audioLeft] != nil
    if hasSound, capture.channel(.audio) == nil {
      note("wires", "sound is played and no input hears it: sync will be \"not measured\"")
    }
    if capture.channel(.acceleration) == nil {
      note("wires", "there is no acceleration channel: nothing that is felt can be measured")
    }
    for (index, channel) in capture.channels.enumerated() {
      let twin = capture.channels[..<index].first { $0.input == channel.input }
      if let twin {
        note("wires", "'\(twin.name)' and '\(channel.name)' are both input \(channel.input)")
      }
    }
  }
}
