public import Units

extension SoundFile {
  /// Writes signals of one rate and one length as the channels of a file.
  ///
  /// The file appears under its name when it is whole, and replaces one that is there. Traps where
  /// there is no signal, or where rates or lengths differ. Costs memory for one block of frames.
  public static func write(
    path: String, signals: [Signal], format: SoundFileFormat = .wavFloat
  ) throws(SoundFileError) {
    guard let first = signals.first else { preconditionFailure("a sound file without channels") }
    for signal in signals {
      precondition(
        signal.rate == first.rate && signal.samples.count == first.samples.count,
        "\(signal.samples.count) frames at \(signal.rate) beside \(first.samples.count) at "
          + "\(first.rate)")
    }
    var writer = try SoundFileWriter(
      path: path, format: format, channels: signals.count, rate: first.rate)
    let blockFrames = 8_192
    for start in stride(from: 0, to: first.samples.count, by: blockFrames) {
      let frames = start..<min(start + blockFrames, first.samples.count)
      var block: [Float] = []
      block.reserveCapacity(frames.count * signals.count)
      for frame in frames {
        for signal in signals { block.append(signal.samples[frame]) }
      }
      try writer.write(block)
    }
    try writer.close()
  }
}
