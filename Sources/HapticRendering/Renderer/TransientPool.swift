/// The taps in force, in a pool made for the most that ever sound together.
///
/// Taps that wait are seeds by rising first frame; a tap is made of its seed when its time has come,
/// and its place is given to another when it is over. All taps of a renderer have one length, so the
/// one that began last ends last.
struct TransientPool: ~Copyable {
  /// How many taps are in force.
  private(set) var activeCount = 0
  /// The first frame after which none is left.
  let endFrame: Int

  private let seeds: UnsafeMutablePointer<TransientSeed>
  private let count: Int
  private let voices: UnsafeMutablePointer<TransientVoice>
  private var next = 0

  /// Takes the seeds by rising first frame.
  init(_ waiting: [TransientSeed]) {
    count = waiting.count
    seeds = .allocate(capacity: max(1, count))
    var (ended, most, last) = (0, 0, 0)
    for (index, seed) in waiting.enumerated() {
      (seeds + index).initialize(to: seed)
      while waiting[ended].endFrame <= seed.firstFrame, ended < index { ended += 1 }
      most = max(most, index + 1 - ended)
      last = max(last, seed.endFrame)
    }
    voices = .allocate(capacity: max(1, most))
    endFrame = last
  }

  deinit {
    seeds.deallocate()
    voices.deallocate()
  }

  /// The first frame of the next tap to begin, where one is left.
  @_noAllocation @_noLocks @inline(__always)
  func nextFirstFrame() -> Int { next < count ? seeds[next].firstFrame : Int.max }

  /// Begins the taps whose time has come and drops those whose time is over.
  @_noAllocation @_noLocks
  mutating func update(at frame: Int) {
    var kept = 0
    for index in 0..<activeCount where voices[index].endFrame > frame {
      if kept != index { voices[kept] = voices[index] }
      kept += 1
    }
    while next < count, seeds[next].firstFrame <= frame {
      if seeds[next].endFrame > frame {
        (voices + kept).initialize(to: TransientVoice(seeds[next]))
        kept += 1
      }
      next += 1
    }
    activeCount = kept
  }

  /// Adds the taps in force to frames; `output` points at frame `from`.
  @_noAllocation @_noLocks
  mutating func add(to output: UnsafeMutablePointer<Float>, from: Int, to: Int) {
    for index in 0..<activeCount {
      // Not by a subscript: Swift 6.3 then makes no valid code for the thread sanitizer.
      (voices + index).pointee.add(to: output, from: from, to: to)
    }
  }

  /// Fills what the last tap that asks for something leaves of the vibrations in frames; false where
  /// there is none.
  @_noAllocation @_noLocks
  func fillDucking(
    _ gains: UnsafeMutablePointer<Float>, from: Int, to: Int, depth: Float,
    halfTurnsPerFrame: Double
  ) -> Bool {
    var index = activeCount - 1
    while index >= 0, voices[index].isSilent { index -= 1 }
    guard index >= 0 else { return false }
    let end = earlier(to, voices[index].endFrame)
    let first = voices[index].age - Double(voices[index].firstFrame)
    for frame in from..<to {
      let age = Double(frame) + first
      // A quarter of a turn ahead the sine is the cosine.
      let cosine = sine(ofPhase: phaseUnits(ofTurns: 0.25 + 0.5 * halfTurnsPerFrame * age))
      gains[frame - from] = frame < end ? 1 - depth * (0.5 + 0.5 * cosine) : 1
    }
    return true
  }
}
