import Devices

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
    if !scratch.areWithin(1, count: range.count) { clip(range, setup.driveLines[line].role) }
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

  /// Clipped peaks of one tone are one overload: what lies less than 10 ms apart is joined.
  private mutating func clip(_ range: Range<Int>, _ role: DriveRole) {
    for place in 0..<range.count {
      let value = scratch[place]
      guard !(abs(value) <= 1) else { continue }
      scratch[place] = value.isNaN ? 0 : value > 0 ? 1 : -1
      let frame = sentFrames + range.lowerBound + place
      driveEvents.note(
        .overload, frame..<(frame + 1), channel: role.rawValue, gap: setup.overloadGap)
    }
  }
}

/// Moves a range of frames.
func shift(_ range: Range<Int>, by offset: Int) -> Range<Int> {
  (range.lowerBound + offset)..<(range.upperBound + offset)
}
