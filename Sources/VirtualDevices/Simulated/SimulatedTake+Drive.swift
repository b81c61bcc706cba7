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
    let (role, index) = (setup.driveLines[line].role, setup.driveLines[line].index)
    let stride = setup.driveFormat.channelCount
    let steps = (1...24).contains(converter.bits) ? Float(1 << (converter.bits - 1)) : 0
    for place in 0..<range.count {
      let frame = range.lowerBound + place
      var value = isSilent ? 0 : frames[frame * stride + index]
      if !(abs(value) <= 1) {
        value = value.isNaN ? 0 : value > 0 ? 1 : -1
        noteClipping(sentFrames + frame, role)
      }
      scratch[place] = steps == 0 ? value : (value * steps).rounded() / steps
    }
    let first = frameOffset + sentFrames + range.lowerBound
    for window in setup.faults.windows(of: .xrun, in: first..<(first + range.count)) {
      for frame in window { scratch[frame - first] = 0 }
    }
    lineNoise[line].add(
      converter.noiseVolts / setup.fullScaleVolts, to: &scratch, count: range.count)
    lines[line].append(scratch[..<range.count])
  }

  /// Clipped peaks of one tone are one overload: what lies less than 10 ms apart is joined.
  private mutating func noteClipping(_ frame: Int, _ role: DriveRole) {
    driveEvents.note(
      .overload, frame..<(frame + 1), channel: role.rawValue, gap: setup.overloadGap)
  }
}

/// Moves a range of frames.
func shift(_ range: Range<Int>, by offset: Int) -> Range<Int> {
  (range.lowerBound + offset)..<(range.upperBound + offset)
}
