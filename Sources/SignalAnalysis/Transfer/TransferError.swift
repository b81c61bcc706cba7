/// Why no transfer function could be measured.
public enum TransferError: Error, Equatable, CustomStringConvertible {
  /// The recording does not hold the stimulus and its response.
  case tooShort(frames: Int, needed: Int)
  /// A sample is not a finite number.
  case notFinite
  /// The input holds nothing in the band.
  case noInput

  /// One sentence.
  public var description: String {
    switch self {
    case .tooShort(let frames, let needed):
      "\(frames) frames are too few for a transfer function: record at least \(needed)"
    case .notFinite: "a sample of input or output is not a finite number"
    case .noInput:
      "the input is silent in the band of the stimulus: check the reference and its wiring"
    }
  }
}
