import Devices
import Units

extension SimulatedTake {
  /// Takes drive frames through the drive's converters: clipping, quantisation, noise.
  ///
  /// Frames whose time is past already are not played, but counted.
  mutating func send(_ frames: Span<Float>, count: Int) {
    let late = min(count, max(0, playedFrames - sentFrames))
    driveEvents.note(.underrun, sentFrames..<(sentFrames + late))
    for first in stride(from: late, to: count, by: scratch.count) {
      let part = first..<min(count, first + scratch.count)
      for line in lines.indices { play(frames, part, on: line) }
    }
    let sent = sentFrames..<(sentFrames + count)
    for window in setup.faults.windows(of: .xrun, in: shift(sent, by: frameOffset)) {
      driveEvents.note(.underrun, shift(window, by: -frameOffset))
    }
    sentFrames += count
  }

  /// Plays zeros up to a frame where nothing was sent in time.
  mutating func runDry(to frame: Int) {
    for line in lines.indices { lines[line].pad(to: frame) }
  }

  mutating func dropUnread() {
    for line in lines.indices { lines[line].forget(before: lines[line].end) }
  }

  /// Drops what was sent from a frame on, and plays zero until the next take.
  mutating func silence(from frame: Int) {
    isSilent = true
    for line in lines.indices { lines[line].clear(from: frame) }
  }

  private mutating func play(_ frames: Span<Float>, _ range: Range<Int>, on line: Int) {
    let converter = setup.simulation.drive
    let channel = setup.driveLines[line].index
    frames.withUnsafeBufferPointer { frames in
      scratch.take(
        frames, channel: channel, of: setup.driveFormat.channelCount, range, silent: isSilent)
    }
    if !scratch.areWithin(1, count: range.count) {
      for place in 0..<range.count {
        scratch[place] = driveEvents.limited(
          scratch[place], at: sentFrames + range.lowerBound + place,
          of: setup.driveLines[line].role, setup.driveFormat)
      }
    }
    if (1...24).contains(converter.bits) {
      scratch.quantize(to: 1 / Double(1 << (converter.bits - 1)), count: range.count)
    }
    let first = frameOffset + sentFrames + range.lowerBound
    for window in setup.faults.windows(of: .xrun, in: first..<(first + range.count)) {
      for frame in window { scratch[frame - first] = 0 }
    }
    lineNoise[line].add(
      Float(converter.noiseVolts / setup.fullScaleVolts), to: &scratch, count: range.count)
    lines[line].append(scratch, count: range.count)
  }

  /// Lets the plant live up to and with a step; the drive frames for it must be there.
  mutating func live(through last: Int) {
    while nextStep <= last {
      let count = min(PlantBlock.capacity, last + 1 - nextStep)
      setup.driveKernel.read(
        lines[setup.hapticLine], along: stepAxis, nextStep..<(nextStep + count),
        into: &block.volts)
      block.volts.scale(by: Float(setup.fullScaleVolts), count: count)
      let held = heldSteps(nextStep..<(nextStep + count))
      plant.run(block.volts, count: count, held: held, into: &block.output)
      for channel in setup.sources.indices { show(channel, count: count) }
      nextStep += count
    }
  }

  private mutating func show(_ channel: Int, count: Int) {
    switch setup.sources[channel] {
    case .lines: break
    case .motion(let share, _, _):
      mixing.fill(from: block.output, count: count) {
        share.x * $0.along + share.y * $0.across
      }
      shown[channel].append(mixing, count: count)
    case .current:
      mixing.fill(from: block.output, count: count) { $0.current }
      shown[channel].append(mixing, count: count)
    }
  }

  private func heldSteps(_ steps: Range<Int>) -> [Range<Int>] {
    guard !setup.faults.isEmpty else { return [] }
    let frames = Int(frame(ofStep: steps.lowerBound))..<(Int(frame(ofStep: steps.upperBound)) + 1)
    return setup.faults.windows(of: .stuck, in: shift(frames, by: frameOffset)).map { window in
      let own = shift(window, by: -frameOffset)
      return shift(
        step(ofFrame: own.lowerBound)..<step(ofFrame: own.upperBound), by: -steps.lowerBound)
    }
  }

  /// The true time of a step in frames of the nominal rate, at the earliest 0.
  private func frame(ofStep step: Int) -> Double {
    let position = Double(step) / Double(setup.oversampling) - Double(stepLead)
    return max(0, (driveDelay + position / driveRate) * setup.rate.hertz)
  }

  /// The step next to the true time of a frame of the nominal rate.
  private func step(ofFrame frame: Int) -> Int {
    let position = (Double(frame) / setup.rate.hertz - driveDelay) * driveRate
    return Int(((position + Double(stepLead)) * Double(setup.oversampling)).rounded())
  }
}

func shift(_ range: Range<Int>, by offset: Int) -> Range<Int> {
  (range.lowerBound + offset)..<(range.upperBound + offset)
}
