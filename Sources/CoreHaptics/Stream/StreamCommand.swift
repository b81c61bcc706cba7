import HapticRendering

/// What the program asks of the thread that renders.
enum StreamCommand: BitwiseCopyable {
  case add(ProgramLoan, slot: Int)
  case ask(PlayerAction, slot: Int, time: Double, delay: Double, order: Int)
  case release(slot: Int)
  case muteHaptics(Bool)
  case muteAudio(Bool)
}

/// A stage's notice, with when its block was handed to the device.
struct StampedNotice: BitwiseCopyable {
  let notice: StageNotice
  /// Seconds of the host's clock from the stream's start to when the first frame at or after the
  /// notice's time was handed to the device.
  let handed: Double

  @_noAllocation @_noLocks
  init(notice: StageNotice, handed: Double) {
    self.notice = notice
    self.handed = handed
  }
}
