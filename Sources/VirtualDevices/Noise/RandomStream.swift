import Glibc

/// One source of random numbers, repeatable by its seed and independent of every other source.
///
/// The generator is xoshiro256++ seeded by SplitMix64 (Blackman and Vigna, 2018); normal numbers come
/// from the ziggurat of Marsaglia and Tsang (2000) with 128 layers.
struct RandomStream: Sendable {
  private var generator: Xoshiro
  private let edges: [Double]

  /// Makes the stream of a seed, a take and a source; streams that differ in any of them share nothing.
  init(seed: UInt64, take: Int, source: Int) {
    var mixer = SplitMix(state: seed)
    mixer.state = mixer.next() ^ UInt64(bitPattern: Int64(take))
    mixer.state = mixer.next() ^ UInt64(bitPattern: Int64(source))
    generator = Xoshiro(state: (mixer.next(), mixer.next(), mixer.next(), mixer.next()))
    edges = Self.layerEdges
  }

  /// A normal number of mean 0 and standard deviation 1.
  mutating func normal() -> Double {
    edges.withUnsafeBufferPointer { Self.normal(&generator, $0) }
  }

  /// Adds normal numbers of a standard deviation to the first `count` samples; none for zero.
  mutating func add(_ deviation: Double, to samples: inout [Float], count: Int) {
    guard deviation > 0 else { return }
    let scale = Float(deviation)
    // A copy that stays in registers.
    var copy = generator
    edges.withUnsafeBufferPointer { edges in
      samples.withUnsafeMutableBufferPointer { samples in
        for index in 0..<count { samples[index] += scale * Float(Self.normal(&copy, edges)) }
      }
    }
    generator = copy
  }

  @inline(__always)
  private static func normal(
    _ generator: inout Xoshiro, _ edges: UnsafeBufferPointer<Double>
  ) -> Double {
    let draw = generator.bits()
    let layer = Int(draw & 127)
    let x = Double(Int64(draw >> 11)) * 0x1p-53 * edges[layer]
    // Inside the part of the layer that lies under the curve whatever the height: 98.8 % of draws.
    if x < edges[layer + 1] { return signed(x, by: draw) }
    // By value and back, so that the generator needs no place in memory.
    let (value, next) = seldomNormal(generator, edges, draw, x)
    generator = next
    return value
  }

  /// The rest of a draw that did not fall under the curve at once.
  @inline(never)
  private static func seldomNormal(
    _ generator: Xoshiro, _ edges: UnsafeBufferPointer<Double>, _ draw: UInt64, _ x: Double
  ) -> (Double, Xoshiro) {
    var generator = generator
    let layer = Int(draw & 127)
    if layer == 0 { return (signed(tail(&generator), by: draw), generator) }
    let upper = density(edges[layer + 1])
    let lower = density(edges[layer])
    if lower + generator.uniform() * (upper - lower) < density(x) {
      return (signed(x, by: draw), generator)
    }
    return (normal(&generator, edges), generator)
  }

  private static func tail(_ generator: inout Xoshiro) -> Double {
    while true {
      let x = -log(1 - generator.uniform()) / base
      let y = -log(1 - generator.uniform())
      if 2 * y > x * x { return base + x }
    }
  }

  /// A number with the sign of a draw, without a jump that nobody could foresee.
  @inline(__always)
  private static func signed(_ x: Double, by draw: UInt64) -> Double {
    Double(bitPattern: x.bitPattern ^ ((draw & 128) << 56))
  }

  private static func density(_ x: Double) -> Double { exp(-0.5 * x * x) }

  /// Where the tail begins, and the area of each layer, for 128 layers.
  private static let base = 3.442619855899
  private static let area = 9.91256303526217e-3

  /// The right edges of the layers from the bottom; the bottom one is as wide as its area with the tail.
  private static let layerEdges: [Double] = {
    var edges = [area / density(base), base]
    while edges.count < 128 {
      let last = edges[edges.count - 1]
      edges.append((-2 * log(area / last + density(last))).squareRoot())
    }
    return edges + [0]
  }()
}

/// xoshiro256++.
private struct Xoshiro: Sendable {
  var state: (UInt64, UInt64, UInt64, UInt64)

  /// The next 64 random bits.
  @inline(__always)
  mutating func bits() -> UInt64 {
    let result = Self.rotate(state.0 &+ state.3, 23) &+ state.0
    let shifted = state.1 &<< 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = Self.rotate(state.3, 45)
    return result
  }

  /// A number spread evenly over 0..<1.
  mutating func uniform() -> Double { Double(bits() >> 11) * 0x1p-53 }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    (value &<< count) | (value &>> (64 &- count))
  }
}

/// SplitMix64: turns any seed, 0 among them, into well mixed bits.
private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
