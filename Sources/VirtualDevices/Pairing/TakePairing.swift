/// Which halves of a rig have joined the latest take: drive and capture share it, either starts it.
struct TakePairing: Sendable {
  /// The halves of a rig.
  enum Half: Sendable {
    case drive
    case capture
  }

  /// Takes begun so far.
  private(set) var count = 0
  /// True between the drive's start and its stop.
  private(set) var isDriving = false
  /// True between the capture's start and its stop.
  private(set) var isCapturing = false

  private var driveJoined = false
  private var captureJoined = false

  /// Notes a start, and returns true if it begins a new take rather than joining the other half's.
  mutating func start(_ half: Half) -> Bool {
    let joined = half == .drive ? driveJoined : captureJoined
    let begins = count == 0 || joined
    if begins {
      count += 1
      (driveJoined, captureJoined, isDriving, isCapturing) = (false, false, false, false)
    }
    switch half {
    case .drive: (driveJoined, isDriving) = (true, true)
    case .capture: (captureJoined, isCapturing) = (true, true)
    }
    return begins
  }

  /// Notes a stop.
  mutating func stop(_ half: Half) {
    switch half {
    case .drive: isDriving = false
    case .capture: isCapturing = false
    }
  }
}
