private import Glibc
public import Units

extension ResonatorModel {
  /// The response that the model gives to a drive, frame by frame, as long as the drive.
  ///
  /// The drive counts as zero outside and as band-limited between its samples; it is convolved
  /// linearly: zeros take up the delay and 14 decay times (1e-6). In the unit of the gain times that
  /// of the drive. Costs two transforms.
  public func predict(_ drive: [Float], rate: SampleRate) -> [Double] {
    guard !drive.isEmpty else { return [] }
    let room = rate.wholeFrames(abs(delay.value) + 14 * decayTime.value) + 1_024
    var transform = FourierTransform(
      length: FourierTransform.fastLength(atLeast: drive.count + room))
    var bins = transform.forward(drive.span)
    for index in bins.indices {
      bins[index] =
        bins[index] * response(at: Double(index) * rate.hertz / Double(transform.length))
    }
    return Array(transform.inverse(bins).prefix(drive.count))
  }
}
