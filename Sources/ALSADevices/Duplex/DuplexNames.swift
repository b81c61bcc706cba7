import Devices
private import Glibc

/// What errors of a running stream are about.
struct DuplexNames: Sendable {
  /// The rig, as its file names it.
  let rig: String
  let playback: String
  let capture: String

  /// The card or cards, for a sentence.
  private var cards: String {
    playback == capture ? "'\(playback)'" : "'\(playback)' or '\(capture)'"
  }

  /// The error of a number that a stream ended with.
  func error(_ code: Int32, at step: String) -> DeviceError {
    switch code {
    case -ENODEV:
      error(
        .unplugged, code,
        "\(cards) was unplugged while it was in use: plug it in again, and start the run again")
    case StreamFault.stalled:
      error(
        .stalled, code,
        "\(cards) moved no frame for a second: check its cable and its hub, or take a longer period"
      )
    case StreamFault.unpaced:
      error(
        .garbled, nil,
        "\(cards) takes frames much faster than its rate: it has no clock, so nothing can be "
          + "measured with it; name a card")
    case StreamFault.breaking:
      error(
        .stalled, nil,
        "\(cards) breaks off again as soon as it is started: take a longer 'period' and more "
          + "'periods'")
    case StreamFault.unread:
      error(
        .refused, nil, "the capture is full and nobody reads it: read it as the drive goes on")
    default:
      error(
        .garbled, code,
        "\(cards) failed at \(step): \(LibraryMessages.sentence(code)) (error \(-code)); "
          + "look at 'dmesg', and start the run again")
    }
  }

  private func error(_ code: DeviceError.Code, _ number: Int32?, _ message: String) -> DeviceError {
    DeviceError(code, device: rig, message: message, errno: number.map { -$0 })
  }
}
