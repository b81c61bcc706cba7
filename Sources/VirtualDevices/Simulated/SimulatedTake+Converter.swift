import Devices
import Units

extension SimulatedTake {
  /// Makes of the motion in `scratch` what the accelerometer shows: its noise, faults, full scale.
  ///
  /// A loose sensor feels a tenth of the motion, and a rattle of a third of what it would have felt.
  mutating func feel(_ channel: Int, _ range: Range<Int>) {
    let converter = setup.converters[channel]
    let faulty = shift(range, by: frameOffset)
    for window in setup.faults.windows(of: .loose, in: faulty) {
      for frame in window {
        let motion = scratch[frame - faulty.lowerBound]
        let rattle = Float(captureNoise[channel].rattle.normal())
        scratch[frame - faulty.lowerBound] = 0.1 * motion + 0.3 * abs(motion) * rattle
      }
    }
    scratch.add(converter.offset, count: range.count)
    captureNoise[channel].world.add(converter.worldNoise, to: &scratch, count: range.count)
    for window in setup.faults.windows(of: .overload, in: faulty) {
      for frame in window { scratch[frame - faulty.lowerBound] = .infinity }
    }
    clip(channel, range, at: converter.sensorFullScale)
  }

  /// Puts `scratch` through the capture's converter: noise, full scale and quantisation.
  mutating func convert(_ channel: Int, _ range: Range<Int>) {
    let converter = setup.converters[channel]
    captureNoise[channel].converter.add(converter.noise, to: &scratch, count: range.count)
    clip(channel, range, at: converter.fullScale)
    if let step = converter.step { scratch.quantize(to: step, count: range.count) }
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
