import Devices

extension PCMOffer {
  /// Asks an open PCM what it can do; `nil` where it tells nothing.
  init?(_ pcm: borrowing PCM) {
    guard let space = HardwareParameters(pcm) else { return nil }
    space.allowResampling(false)
    self.init(
      formats: space.formats.map(\.rawValue), rates: space.rates, rateRange: space.rateRange,
      channels: space.channels, periods: space.periods, buffers: space.buffers,
      hasMmap: space.offersAccess(mmap: true), channelMaps: pcm.channelMaps)
  }
}

extension ClosedRange<Int> {
  /// `2`, or `2 to 8`.
  var words: String {
    lowerBound == upperBound ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)"
  }
}
