/// One source of random numbers, repeatable by its seed and independent of every other source.
///
/// Normal numbers are made sixty-four at a time, without a jump and without a call to a library, so
/// that they are quick to make and the same on every machine.
struct RandomStream: Sendable {
  private var generator: LaneGenerator
  /// Normal numbers made, of which those before `next` were handed out.
  private var normals = [Float](repeating: 0, count: NormalTransform.batch)
  private var next = NormalTransform.batch

  /// Makes the stream of a seed, a take and a source; streams that differ in any of them share nothing.
  init(seed: UInt64, take: Int, source: Int) {
    var mixer = SplitMix(state: seed)
    mixer.state = mixer.next() ^ UInt64(bitPattern: Int64(take))
    mixer.state = mixer.next() ^ UInt64(bitPattern: Int64(source))
    generator = LaneGenerator(&mixer)
  }

  /// A normal number of mean 0 and standard deviation 1.
  mutating func normal() -> Double {
    if next == normals.count { refill() }
    defer { next += 1 }
    return Double(normals[next])
  }

  /// Adds normal numbers of a standard deviation to the first `count` samples; none for zero.
  mutating func add(_ deviation: Float, to samples: inout [Float], count: Int) {
    guard deviation > 0 else { return }
    var done = 0
    while done < count {
      if next == normals.count { refill() }
      let part = min(count - done, normals.count - next)
      let (first, source) = (done, next)
      samples.withUnsafeMutableBufferPointer { samples in
        normals.withUnsafeBufferPointer { normals in
          for place in 0..<part { samples[first + place] += deviation * normals[source + place] }
        }
      }
      next += part
      done += part
    }
  }

  private mutating func refill() {
    normals.withUnsafeMutableBufferPointer { NormalTransform.fill($0, from: &generator) }
    next = 0
  }
}

/// SplitMix64: turns any seed, 0 among them, into well mixed bits.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// Four generators of 32 bits side by side: Marsaglia's xorwow (Journal of Statistical Software 8, 2003).
///
/// A shift register of 160 bits and a counter: no rotation, which four lanes have no instruction for.
struct LaneGenerator: Sendable {
  private var register: (SIMD4<UInt32>, SIMD4<UInt32>, SIMD4<UInt32>, SIMD4<UInt32>, SIMD4<UInt32>)
  private var counter: SIMD4<UInt32>

  /// Takes its state from a mixer.
  init(_ mixer: inout SplitMix) {
    func word(_ mixer: inout SplitMix) -> SIMD4<UInt32> {
      let (low, high) = (mixer.next(), mixer.next())
      return [
        UInt32(truncatingIfNeeded: low), UInt32(truncatingIfNeeded: low >> 32),
        UInt32(truncatingIfNeeded: high), UInt32(truncatingIfNeeded: high >> 32),
      ]
    }
    register = (word(&mixer), word(&mixer), word(&mixer), word(&mixer), word(&mixer))
    counter = word(&mixer)
  }

  /// The next 32 random bits of each.
  @inline(__always)
  mutating func next() -> SIMD4<UInt32> {
    let mixed = register.0 ^ (register.0 &>> 2)
    let last = register.4
    let new = (last ^ (last &<< 4)) ^ (mixed ^ (mixed &<< 1))
    register = (register.1, register.2, register.3, last, new)
    counter &+= SIMD4(repeating: 362_437)
    return new &+ counter
  }
}
