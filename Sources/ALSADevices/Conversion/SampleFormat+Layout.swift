public import Devices

extension SampleFormat {
  /// The bytes of one sample.
  public var byteCount: Int {
    @_noAllocation @_noLocks
    get {
      switch self {
      case .float, .s32, .s24: 4
      case .s24in3: 3
      case .s16: 2
      }
    }
  }

  /// What a sample of 1 would be as an integer, one more than the largest that there is.
  public var steps: Double {
    @_noAllocation @_noLocks
    get {
      switch self {
      case .float: 1
      case .s32: 0x1p31
      case .s24, .s24in3: 0x1p23
      case .s16: 0x1p15
      }
    }
  }

  /// The largest sample that the format holds, as a port's float32.
  ///
  /// At or beyond it, or at -1, the converter was at its end.
  public var largest: Float {
    switch self {
    case .float, .s32: 1
    case .s24, .s24in3: Float((steps - 1) / steps)
    case .s16: Float((steps - 1) / steps)
    }
  }
}
