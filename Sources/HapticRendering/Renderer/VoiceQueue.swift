/// Which voices are in force at a frame: their places by rising first frame.
///
/// Voices in force stay in the order of their beginnings, so that sums come out the same whatever
/// ended in between.
struct VoiceQueue: ~Copyable {
  /// How many voices are in force.
  private(set) var activeCount = 0
  /// The first frame after which no voice is left.
  let endFrame: Int

  private let spans: UnsafeMutablePointer<(first: Int, end: Int)>
  private let active: UnsafeMutablePointer<Int>
  private let count: Int
  private var next = 0

  /// Takes the spans of voices by rising first frame.
  init(_ voices: [(first: Int, end: Int)]) {
    count = voices.count
    endFrame = voices.map(\.end).max() ?? 0
    spans = .allocate(capacity: max(1, count))
    active = .allocate(capacity: max(1, count))
    for (index, voice) in voices.enumerated() { (spans + index).initialize(to: voice) }
  }

  deinit {
    spans.deallocate()
    active.deallocate()
  }

  /// The place of the nth voice in force.
  @_noAllocation @_noLocks @inline(__always)
  func place(_ index: Int) -> Int { active[index] }

  /// The first frame of the next voice to begin, where one is left.
  @_noAllocation @_noLocks @inline(__always)
  func nextFirstFrame() -> Int { next < count ? spans[next].first : Int.max }

  /// Begins the voices whose time has come and drops those whose time is over.
  @_noAllocation @_noLocks
  mutating func update(at frame: Int) {
    var kept = 0
    var index = 0
    while index < activeCount {
      if spans[active[index]].end > frame {
        active[kept] = active[index]
        kept += 1
      }
      index += 1
    }
    while next < count, spans[next].first <= frame {
      if spans[next].end > frame {
        active[kept] = next
        kept += 1
      }
      next += 1
    }
    activeCount = kept
  }
}

/// The earlier of two frames; the generic `min` is not known to be free of allocation.
@_noAllocation @_noLocks @inline(__always)
func earlier(_ a: Int, _ b: Int) -> Int { a < b ? a : b }
