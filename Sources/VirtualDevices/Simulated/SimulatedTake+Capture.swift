// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

extension SimulatedTake {
  /// The end of the capture frames that the drive sent so far decides, at most `limit`.
  ///
  /// A capture frame depends on its own drive frame and those before, and on as many after it as the
  /// interpolation reaches beyond the delay between them: those are held back until the drive goes on
  /// or ends.
  func capturable(limit: Int) -> Int {
    var end = min(limit, isEnded ? sentFrames : playedFrames)
    if !isEnded {
      let played = playedFrames
      while end > readFrames {
        let missing = neededDrive(for: end - 1) - played
        guard missing > 0 else { break }
        // Frame by frame where it comes near: the clocks differ by parts in a thousand at most.
        end -= max(1, missing * 7 / 8 - 2)
      }
    }
    return max(end, readFrames)
  }

  /// Ends the drive: zeros follow, as many as the last capture frame can reach.
  mutating func end() {
    isEnded = true
    if sentFrames > 0 { runDry(to: max(sentFrames, neededDrive(for: sentFrames - 1))) }
  }

  /// Computes capture frames up to `end` into interleaved samples, and counts them as read.
  ///
  /// Frames before `lost` were not fetched in time: they stand as zeros.
  mutating func capture(to end: Int, into frames: inout MutableSpan<Float>, lost: Int = 0) {
    let first = readFrames
    while readFrames < end {
      let part = readFrames..<min(end, readFrames + scratch.count)
      if let step = lastStep(for: part.upperBound - 1) { live(through: step) }
      let gaps = noteLosses(part, lost: lost)
      for channel in setup.channels.indices {
        render(channel, part)
        for gap in gaps {
          for frame in gap { scratch[frame - part.lowerBound] = 0 }
        }
        let stride = setup.channels.count
        let start = (part.lowerBound - first) * stride + channel
        frames.withUnsafeMutableBufferPointer { frames in
          scratch.withUnsafeBufferPointer { scratch in
            for place in 0..<part.count { frames[start + place * stride] = scratch[place] }
          }
        }
      }
      readFrames = part.upperBound
      forget()
    }
  }

  private mutating func noteLosses(_ range: Range<Int>, lost: Int) -> [Range<Int>] {
    let faults = setup.faults
    if faults.isEmpty, lost <= range.lowerBound { return [] }
    let own = shift(range, by: frameOffset)
    let drops = faults.windows(of: .drop, in: own).map { shift($0, by: -frameOffset) }
    var overruns = faults.windows(of: .xrun, in: own).map { shift($0, by: -frameOffset) }
    if lost > range.lowerBound {
      overruns.append(range.lowerBound..<min(lost, range.upperBound))
    }
    for gap in drops { captureEvents.note(.drop, gap) }
    for gap in overruns { captureEvents.note(.overrun, gap) }
    return drops + overruns
  }

  private mutating func forget() {
    let (driveMargin, stepMargin) = (setup.driveKernel.halfWidth, setup.plantKernel.halfWidth)
    var drive = stepAxis.split(nextStep).whole
    var step = nextStep
    if let axis = stepReach?.first { step = min(step, axis.split(readFrames).whole) }
    if let axis = driveReach?.first { drive = min(drive, axis.split(readFrames).whole) }
    for line in lines.indices { lines[line].forget(before: drive - driveMargin) }
    for channel in shown.indices { shown[channel].forget(before: step - stepMargin) }
  }

  private func neededDrive(for frame: Int) -> Int {
    let steps = lastStep(for: frame).map { stepAxis.split($0).whole } ?? Int.min
    let line = driveReach?.last.split(frame).whole ?? Int.min
    let last = max(steps, line)
    return last == Int.min ? 0 : last + setup.driveKernel.halfWidth + 1
  }

  private func lastStep(for frame: Int) -> Int? {
    stepReach.map { $0.last.split(frame).whole + setup.plantKernel.halfWidth }
  }

  private mutating func render(_ channel: Int, _ range: Range<Int>) {
    let axis = captureAxes[channel]
    switch setup.sources[channel] {
    case .lines(let inputs, let gain, _):
      mix(inputs, axis, range, gain: gain)
      captureNoise[channel].world.add(
        setup.converters[channel].worldNoise, to: &scratch, count: range.count)
    case .motion:
      setup.plantKernel.read(shown[channel], along: axis, range, into: &scratch)
      feel(channel, range)
    case .current: setup.plantKernel.read(shown[channel], along: axis, range, into: &scratch)
    }
    convert(channel, range)
  }

  private mutating func mix(
    _ inputs: [Int], _ axis: SampleAxis, _ range: Range<Int>, gain: Double
  ) {
    let share = inputs.isEmpty ? 0 : Float(gain / Double(inputs.count))
    guard let first = inputs.first else { return scratch.clear(count: range.count) }
    setup.driveKernel.read(lines[first], along: axis, range, into: &scratch)
    scratch.scale(by: share, count: range.count)
    for input in inputs.dropFirst() {
      setup.driveKernel.read(lines[input], along: axis, range, into: &mixing)
      scratch.add(mixing, times: share, count: range.count)
    }
  }

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

  private mutating func clip(_ channel: Int, _ range: Range<Int>, at fullScale: Float) {
    guard !scratch.areWithin(fullScale, count: range.count) else { return }
    for place in 0..<range.count where abs(scratch[place]) > fullScale {
      scratch[place] = scratch[place] > 0 ? fullScale : -fullScale
      let frame = range.lowerBound + place
      captureEvents.note(
        .overload, frame..<(frame + 1), channel: setup.channels[channel].name,
        gap: setup.driveFormat.overloadGap)
    }
  }
}
