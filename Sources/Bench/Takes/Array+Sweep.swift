extension [Float] {
  /// Puts a known signal in the place of what stands from a frame on, as far as it lies inside.
  mutating func place(_ samples: [Double], scaledBy scale: Double = 1, at start: Int) {
    for frame in (start..<start + samples.count).clamped(to: indices) {
      self[frame] = Float(samples[frame - start] * scale)
    }
  }
}
