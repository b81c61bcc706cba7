import Devices
import Glibc
import Synchronization
import Units

/// Which halves of a rig have joined the latest take: drive and capture share it, either starts it.
final class StreamHalves: Sendable {
  private struct State: Sendable {
    var hasBegun = false
    var joined: (playback: Bool, capture: Bool) = (false, false)
    var running: (playback: Bool, capture: Bool) = (false, false)
  }

  private let state = Mutex(State())

  /// Joins a half to the take, and begins a new one where this half was in the latest already.
  func start(_ half: Direction, _ stream: any DuplexStream, device: String) throws(DeviceError) {
    let begins = state.withLock { state in
      let joined = half == .playback ? state.joined.playback : state.joined.capture
      if !state.hasBegun || joined {
        state = State(hasBegun: true)
        return true
      }
      return false
    }
    if begins {
      do throws(DeviceError) {
        try stream.rest()
      } catch {
        state.withLock { $0 = State() }
        throw error
      }
    }
    if half == .capture {
      guard stream.shared.sent.load(ordering: .acquiring) == 0 else {
        throw DeviceError(
          .refused, device: device,
          message: "the capture has to start before the first drive frame is written")
      }
      stream.shared.isCaptureWanted.store(true, ordering: .releasing)
    }
    state.withLock { state in
      if half == .playback {
        (state.joined.playback, state.running.playback) = (true, true)
      } else {
        (state.joined.capture, state.running.capture) = (true, true)
      }
    }
  }

  /// Whether a half is between its start and its stop.
  func isRunning(_ half: Direction) -> Bool {
    state.withLock { half == .playback ? $0.running.playback : $0.running.capture }
  }

  /// Takes a half out, and ends the take with the last one.
  func stop(_ half: Direction, _ stream: any DuplexStream) {
    let isLast = state.withLock { state in
      let wasRunning = state.running.playback || state.running.capture
      if half == .playback { state.running.playback = false } else { state.running.capture = false }
      return wasRunning && !state.running.playback && !state.running.capture
    }
    if half == .capture { stream.shared.isCaptureWanted.store(false, ordering: .releasing) }
    if isLast { stream.finish() }
  }

  /// The error of a call outside start and stop.
  func notStarted(_ call: String, _ device: String) -> DeviceError {
    DeviceError(.refused, device: device, message: "\(call) was called before start")
  }

  /// Waits in the caller's thread for a part of a period, at most two milliseconds.
  static func sleep(periods: Double, of format: StreamFormat) {
    let seconds = min(0.002, periods * format.rate.seconds(Double(format.periodFrames)))
    usleep(UInt32(max(50, seconds * 1e6)))
  }
}
