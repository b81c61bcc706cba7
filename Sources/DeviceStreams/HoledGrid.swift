package import Devices

/// Samples that may have holes, on the frames of another rate: what was lost stands as zeros and is told.
package struct HoledGrid: Sendable {
  private var grid: GridInterpolator
  /// Holes between two samples that came: nothing inside is true.
  private var holes: [(after: Int, before: Int)] = []
  private var drops: [StreamEvent] = []
  private var frameCount = 0
  private var hasSamples = false

  package init(sampleRate: Double, frameRate: Double, channelCount: Int) {
    grid = GridInterpolator(
      sampleRate: sampleRate, frameRate: frameRate, channelCount: channelCount)
  }

  /// The index of the sample after the latest; `nil` before the first.
  package var end: Int? { hasSamples ? grid.end : nil }

  /// Lays frame 0 at a position, in samples.
  package mutating func start(at position: Double) { grid.start(at: position) }

  /// Keeps so many of the latest samples and what a frame needs around them, while no frame is laid.
  package mutating func keep(_ count: Int) { grid.keep(count + 2 * grid.half) }

  /// Takes the next sample that came; the indices between it and the one before were lost.
  package mutating func append(_ values: [Double], index: Int) {
    if hasSamples, index > grid.end {
      let missing = index - grid.end
      holes.append((grid.end - 1, index))
      // A straight line over the hole, so that what stands beside it is not disturbed.
      let before = values.indices.map { grid.latest($0) }
      for step in 1...missing {
        let share = Double(step) / Double(missing + 1)
        grid.append(zip(before, values).map { $0 + share * ($1 - $0) }, index: grid.end)
      }
    }
    hasSamples = true
    grid.append(values, index: index)
  }

  /// Gives the frames that can be made now, at most so many, interleaved.
  package mutating func frames(limit: Int = .max) -> [Float] {
    var made: [Float] = []
    var count = 0
    while count < limit, grid.isReady {
      let position = grid.position
      while let hole = holes.first, position >= Double(hole.before) { holes.removeFirst() }
      let isLost =
        position < Double(grid.first)
        || (holes.first.map { position > Double($0.after) } ?? false)
      if isLost {
        grid.skip()
        made += [Float](repeating: 0, count: grid.channelCount)
        noteDrop()
      } else {
        made += grid.next().map(Float.init)
      }
      frameCount += 1
      count += 1
    }
    return made
  }

  /// Takes what was lost among the frames since the last call.
  package mutating func takeDrops() -> [StreamEvent] {
    defer { drops = [] }
    return drops
  }

  private mutating func noteDrop() {
    guard let last = drops.last, last.frames.upperBound == frameCount else {
      return drops.append(StreamEvent(kind: .drop, frame: frameCount, length: 1))
    }
    drops[drops.count - 1] = StreamEvent(kind: .drop, frame: last.frame, length: last.length + 1)
  }
}
