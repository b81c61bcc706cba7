import Devices
import Units

extension SimulatedTake {
  /// Makes of the motion in `scratch` what the accelerometer shows: its noise, faults, full scale.
  ///
  /// A loose sensor feels a tenth of the motion, and a rattle of a third of what it would have felt.
  mutating func feel(_ channel: Int, _ range: Range<Int>, offset: Float) {
    let sensor = setup.simulation.sensor
    let faulty = shift(range, by: frameOffset)
    for window in setup.faults.windows(of: .loose, in: faulty) {
      for frame in window {
        let motion = scratch[frame - faulty.lowerBound]
        let rattle = Float(captureNoise[channel].rattle.normal())
        scratch[frame - faulty.lowerBound] = 0.1 * motion + 0.3 * abs(motion) * rattle
      }
    }
    scratch.add(offset, count: range.count)
    // White over the capture's band: density^2 times half the rate.
    captureNoise[channel].world.add(
      sensor.noiseDensity * (setup.rate.hertz / 2).squareRoot(), to: &scratch, count: range.count)
    for window in setup.faults.windows(of: .overload, in: faulty) {
      for frame in window { scratch[frame - faulty.lowerBound] = .infinity }
    }
    clip(channel, range, at: Float(sensor.fullScale))
  }

  /// Puts `scratch` through the capture's converter: noise, full scale and quantisation, in volts.
  ///
  /// A channel without a scale of its own delivers SI units: it has the converter's noise where its
  /// unit is the volt, and no other mark of the converter.
  mutating func convert(_ channel: Int, _ range: Range<Int>) {
    let converter = setup.simulation.capture
    let description = setup.channels[channel]
    let sensitivity = description.sensor?.sensitivity
    if sensitivity != nil || description.unit == .volt {
      captureNoise[channel].converter.add(
        converter.noiseVolts / (sensitivity ?? 1), to: &scratch, count: range.count)
    }
    guard let volts = description.fullScaleVolts else { return }
    let fullScale = volts / (sensitivity ?? 1)
    clip(channel, range, at: Float(fullScale))
    guard (1...24).contains(converter.bits) else { return }
    let step = fullScale / Double(1 << (converter.bits - 1))
    scratch.quantize(to: step, count: range.count)
  }

  /// Clipped peaks of one tone are one overload: what lies less than 10 ms apart is joined.
  private mutating func clip(_ channel: Int, _ range: Range<Int>, at fullScale: Float) {
    guard !scratch.areWithin(fullScale, count: range.count) else { return }
    for place in 0..<range.count where abs(scratch[place]) > fullScale {
      scratch[place] = scratch[place] > 0 ? fullScale : -fullScale
      let frame = range.lowerBound + place
      captureEvents.note(
        .overload, frame..<(frame + 1), channel: setup.channels[channel].name,
        gap: setup.overloadGap)
    }
  }
}
