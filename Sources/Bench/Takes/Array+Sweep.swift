extension [Float] {
  /// Puts a known signal in the place of what stands from a frame on.
  mutating func place(_ samples: [Double], at start: Int) {
    for (index, sample) in samples.enumerated() { self[start + index] = Float(sample) }
  }
}
