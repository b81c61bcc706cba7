// SPDX-License-Identifier: Apache-2.0

import Devices

extension Recording {
  /// The recording with the clipping that its acceleration samples show as overloads.
  ///
  /// A device may clip and not say so: its samples then stand still at their own extreme. Four equal
  /// samples at the highest or lowest value, in two places or more, are no vibration.
  func markingClipping() -> Recording {
    var found: [StreamEvent] = []
    for channel in channels where channel.description.role == .acceleration {
      let samples = channel.samples
      guard let (lowest, highest) = samples.extremes, highest > lowest else { continue }
      for extreme in [highest, lowest] {
        let runs = Self.runs(of: extreme, in: samples, atLeast: 4)
        guard runs.count > 1 else { continue }
        found += runs.map {
          StreamEvent(
            kind: .overload, frame: $0.lowerBound, length: $0.count,
            channel: channel.description.name)
        }
      }
    }
    let known = captureEvents.filter { $0.kind == .overload }
    let fresh = found.filter { run in !known.contains { $0.frames.overlaps(run.frames) } }
    guard !fresh.isEmpty else { return self }
    return with(captureEvents: (captureEvents + fresh).sorted { $0.frame < $1.frame })
  }

  /// The stretches of at least so many samples in a row that equal a value.
  static func runs(
    of value: Float, in samples: some Sequence<Float>, atLeast length: Int
  ) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var (frame, equal) = (0, 0)
    for sample in samples {
      if sample == value {
        equal += 1
      } else {
        if equal >= length { runs.append((frame - equal)..<frame) }
        equal = 0
      }
      frame += 1
    }
    if equal >= length { runs.append((frame - equal)..<frame) }
    return runs
  }
}

extension Samples {
  var extremes: (lowest: Float, highest: Float)? {
    var iterator = makeIterator()
    guard let first = iterator.next() else { return nil }
    var (lowest, highest) = (first, first)
    while let sample = iterator.next() {
      if sample < lowest { lowest = sample }
      if sample > highest { highest = sample }
    }
    return (lowest, highest)
  }
}
