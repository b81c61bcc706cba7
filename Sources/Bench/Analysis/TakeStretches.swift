import Devices
import Units

/// The stretches of a take between starts of the devices, in drive frames.
///
/// Where the stream broke, drive and capture were started anew: the delay of one stretch says little about
/// that of the next.
struct TakeStretches: Equatable {
  /// What belongs to no stretch, in order: lost on either side, or played before a break and recorded after.
  let breaks: [Range<Int>]
  private let end: Int

  /// Finds the stretches of a recording whose drive is recorded so many frames late.
  init(_ recording: Recording, delay: Double) {
    end = recording.driveFrameCount
    let restarts = recording.moments(of: [.underrun, .overrun])
    let late = max(0, Int(delay.rounded(.up)))
    breaks = restarts.map { max(0, $0.lowerBound - late)..<$0.upperBound }
  }

  /// How many there are.
  var count: Int { breaks.count + 1 }

  /// The number of the stretch that a drive frame belongs to, or follows.
  func index(at frame: Double) -> Int {
    var (low, high) = (0, breaks.count)
    while low < high {
      let middle = (low + high) / 2
      if Double(breaks[middle].upperBound) <= frame { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The drive frames of a stretch; none where the next break begins before it.
  func frames(of index: Int) -> Range<Int> {
    let first = index > 0 ? breaks[index - 1].upperBound : 0
    let last = index < breaks.count ? breaks[index].lowerBound : end
    return first..<max(first, last)
  }
}

extension Recording {
  /// The stretches of frames in which something happened, in order: what drive and capture report of one
  /// moment counts once.
  ///
  /// Frame k of either side is the same instant, as surely as both were laid on each other: what the sides
  /// report less than 5 ms apart is one.
  func moments(of kinds: Set<StreamEvent.Kind>) -> [Range<Int>] {
    let apart = rate.wholeFrames(0.005)
    let sides = [captureEvents, driveEvents].enumerated().flatMap { side, events in
      events.filter { kinds.contains($0.kind) }.map { (side: side, frames: $0.frames) }
    }.sorted { ($0.frames.lowerBound, $0.side) < ($1.frames.lowerBound, $1.side) }
    var moments: [Range<Int>] = []
    var isOfSide = [false, false]
    for (side, frames) in sides {
      let reach = moments.last.map { $0.upperBound + (isOfSide[side] ? 0 : apart) } ?? Int.min
      if let last = moments.last, frames.lowerBound < reach {
        moments[moments.count - 1] = last.lowerBound..<max(last.upperBound, frames.upperBound)
      } else {
        moments.append(frames)
        isOfSide = [false, false]
      }
      isOfSide[side] = true
    }
    return moments
  }
}
