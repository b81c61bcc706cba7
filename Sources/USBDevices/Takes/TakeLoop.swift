import Devices
import Synchronization

/// An engine under its lock, as the thread of a take and the stream that started it both hold it.
///
/// The thread holds no more than this: whoever lets go of the stream ends the take.
final class TakeLoop<Engine: TakeEngine & ~Copyable>: Sendable {
  let engine: Guarded<Engine>
  let shared: TakeShared

  init(_ engine: consuming sending Engine) {
    shared = engine.shared
    self.engine = Guarded(engine)
  }

  /// The thread's work: serves the device until the take is over.
  func run() {
    try? guarded { engine throws(DeviceError) in
      try engine.begin()
      while !shared.isEndWanted.load(ordering: .acquiring) { try engine.step(microseconds: 1000) }
      try engine.end()
    }
    shared.hasEnded.store(true, ordering: .releasing)
  }

  /// Does something with the engine; a fault brings the output to zero and is kept.
  func guarded(
    _ body: (inout Engine) throws(DeviceError) -> Void
  ) throws(DeviceError) {
    let fault = engine.withLock { engine -> DeviceError? in
      do throws(DeviceError) {
        try body(&engine)
        return nil
      } catch {
        _ = engine.shutOff()
        return error
      }
    }
    guard let fault else { return }
    shared.fail(fault)
    throw fault
  }

  /// Brings the output to zero where a take still goes on.
  func shutOff() {
    engine.withLock { engine in
      if engine.isRunning { _ = engine.shutOff() }
    }
  }
}
