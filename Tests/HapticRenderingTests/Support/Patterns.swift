// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import Units

func transient(
  at time: Double, intensity: Double? = 1, sharpness: Double? = 0.5
) -> HapticEvent {
  HapticEvent(
    kind: .hapticTransient, time: time,
    parameters: EventParameters(intensity: intensity, sharpness: sharpness))
}

func continuous(
  at time: Double, for duration: Double, intensity: Double? = 1, sharpness: Double? = 0.5,
  _ others: [EventParameterID: Double] = [:]
) -> HapticEvent {
  var event = HapticEvent(
    kind: .hapticContinuous, time: time, duration: duration,
    parameters: EventParameters(intensity: intensity, sharpness: sharpness))
  for (id, value) in others { event.parameters[id] = value }
  return event
}

func sound(
  _ path: String = "sound.wav", at time: Double, for duration: Double? = nil,
  envelope: Bool = false, loops: Bool = false, _ values: [EventParameterID: Double] = [:]
) -> HapticEvent {
  var event = HapticEvent(
    kind: .audioCustom, time: time, duration: duration, waveformPath: path,
    useVolumeEnvelope: envelope, loopEnabled: loops)
  for (id, value) in values { event.parameters[id] = value }
  return event
}

func tone(
  at time: Double, for duration: Double, _ values: [EventParameterID: Double] = [:]
) -> HapticEvent {
  var event = HapticEvent(kind: .audioContinuous, time: time, duration: duration)
  for (id, value) in values { event.parameters[id] = value }
  return event
}

func curve(
  _ id: DynamicParameterID, at time: Double, _ points: [(Double, Double)], order: Int = 0
) -> ParameterCurve {
  ParameterCurve(
    id: id, time: time, points: points.map { .init(time: $0.0, value: $0.1) }, order: order)
}

func step(
  _ id: DynamicParameterID, at time: Double, _ value: Double, order: Int = 0
) -> DynamicParameter {
  DynamicParameter(id: id, time: time, value: value, order: order)
}

/// A bank with one mono file at 48 kHz.
func bank(_ samples: [Float], path: String = "sound.wav") -> SoundBank {
  var bank = SoundBank()
  bank.add([Signal(samples: samples, rate: .standard, unit: .one)], path: path)
  return bank
}
