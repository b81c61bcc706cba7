// SPDX-License-Identifier: Apache-2.0

package import Devices
private import Glibc

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

  package var end: Int? { hasSamples ? grid.end : nil }

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

/// Samples of one rate on the frames of another, without a change of what lies below 0.42 of the rate.
///
/// A sinc in a Kaiser window (beta 8) of 32 samples to either side: flat to 0.002 dB up to 0.42 of the lower
/// rate, what would fold back or is an image is below -80 dB (the tests measure both). A frame needs the 32 samples
/// after it, so it is given that much later; it is not delayed itself. Cost: 65 multiplications a frame and channel.
package struct GridInterpolator: Sendable {
  private static let beta = 8.0
  private static let reach = 32
  private static let phases = 512

  /// Samples a frame.
  package let step: Double
  package let channelCount: Int
  /// Half of the kernel in samples.
  package let half: Int
  private let kernel: [Double]
  /// The position of the next frame, in samples.
  package private(set) var position = 0.0
  private var frames = 0
  private var origin = 0.0
  /// Values of the samples from `first` on, interleaved.
  private var values: [Double] = []
  package private(set) var first = 0

  package init(sampleRate: Double, frameRate: Double, channelCount: Int) {
    step = sampleRate / frameRate
    self.channelCount = channelCount
    // Below the lower of the two rates' halves, by half of the window's own band.
    let share = min(1, frameRate / sampleRate)
    half = Int((Double(Self.reach) / share).rounded(.up))
    let corner = 0.46 * share
    let half = half
    kernel = (0...(half * Self.phases + 1)).map { place in
      let x = Double(place) / Double(Self.phases)
      guard x < Double(half) else { return 0 }
      let t = x / Double(half)
      let window = Self.bessel(Self.beta * (1 - t * t).squareRoot()) / Self.bessel(Self.beta)
      let angle = 2 * Double.pi * corner * x
      return 2 * corner * (angle == 0 ? 1 : sin(angle) / angle) * window
    }
  }

  /// Lays frame 0 at a position, in samples.
  package mutating func start(at position: Double) {
    origin = position
    self.position = position
    frames = 0
  }

  package var end: Int { first + values.count / channelCount }

  package mutating func append(_ sample: [Double], index: Int) {
    if values.isEmpty { first = index }
    precondition(index == end, "sample \(index) does not follow \(end - 1)")
    values += sample
  }

  package func latest(_ channel: Int) -> Double { values[values.count - channelCount + channel] }

  package var isReady: Bool { !values.isEmpty && Int(position.rounded(.down)) + half < end }

  /// Gives the next frame; samples before the first are taken for it.
  package mutating func next() -> [Double] {
    let frame = frame()
    skip()
    return frame
  }

  private func frame() -> [Double] {
    let whole = Int(position.rounded(.down))
    let part = position - Double(whole)
    var frame = [Double](repeating: 0, count: channelCount)
    var sum = 0.0
    let kernel = kernel.span
    let values = values.span
    var place = 1 - half
    while place <= half {
      let distance = abs(Double(place) - part) * Double(Self.phases)
      let lower = Int(distance)
      let weight = kernel[lower] + (distance - Double(lower)) * (kernel[lower + 1] - kernel[lower])
      sum += weight
      let sample = max(0, whole + place - first) * channelCount
      for channel in 0..<channelCount { frame[channel] += weight * values[sample + channel] }
      place += 1
    }
    // Weights of a finite kernel sum to 1 within 1e-4 only: a constant stays exactly what it is.
    for channel in frame.indices { frame[channel] /= sum }
    return frame
  }

  package mutating func skip() {
    frames += 1
    position = origin + Double(frames) * step
    trim()
  }

  private mutating func trim() {
    let spare = Int(position.rounded(.down)) - half - first
    guard spare > 4096, spare < end - first else { return }
    values.removeFirst(spare * channelCount)
    first += spare
  }

  package mutating func keep(_ count: Int) {
    let spare = end - first - count
    guard spare > count else { return }
    values.removeFirst(spare * channelCount)
    first += spare
  }

  /// The modified Bessel function of the first kind, order 0, by its series.
  private static func bessel(_ x: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    var k = 1.0
    while term > 1e-12 * sum {
      term *= x * x / (4 * k * k)
      sum += term
      k += 1
    }
    return sum
  }
}
