/// The limit of a mixing law for the render loop: `MixingLaw.limited(_:)` without a call.
struct SoftLimit {
  private let isOn: Bool
  private let knee: Float
  private let room: Float

  init(_ law: MixingLaw, fullScale: Double) {
    switch law.limit {
    case .none: (isOn, knee, room) = (false, 0, 0)
    case .soft(let knee, let ceiling):
      isOn = fullScale > 0
      // What rounding adds to one event at full strength is not a sum above full scale.
      self.knee = Float(fullScale * knee * (1 + 0x1p-20))
      room = Float(fullScale * (ceiling - knee))
    }
  }

  /// Limits frames in place and says how many were above the knee.
  @_noAllocation @_noLocks
  func apply(to output: UnsafeMutablePointer<Float>, count: Int) -> Int {
    guard isOn else { return 0 }
    var above: Int32 = 0
    for index in 0..<count { above &+= output[index].magnitude > knee ? 1 : 0 }
    guard above > 0 else { return 0 }
    for index in 0..<count where output[index].magnitude > knee {
      let excess = output[index].magnitude - knee
      let limited = knee + room * (excess / (excess + room))
      output[index] = output[index] < 0 ? -limited : limited
    }
    return Int(above)
  }
}
