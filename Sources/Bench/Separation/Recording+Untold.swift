import Devices
import SignalAnalysis

extension Recording {
  /// Stretches of drive frames, with fractions, of which the capture does not tell what the drive as sent did:
  /// captured frames that were lost or clipped, drive that was not sent as commanded and what it leaves ringing,
  /// and what was not recorded.
  ///
  /// Where silence was lost, nothing rings on.
  ///
  /// - Parameters:
  ///   - alignment: Where drive frames lie in the capture.
  ///   - drive: What was commanded.
  ///   - ringing: How many frames the actuator answers after its drive.
  ///   - last: The drive frame up to which anybody asks.
  /// - Returns: The stretches, in no order; one may be empty, or end before it begins.
  func untold(
    _ alignment: TakeAlignment, drive: Samples, ringing: Int, until last: Double
  ) -> [(from: Double, until: Double)] {
    func driven(_ frame: Int) -> Double {
      Double(frame) - alignment.electricalFrames(at: Double(frame))
    }
    return captureEvents.map {
      (driven($0.frames.lowerBound), driven($0.frames.upperBound))
    }
      + driveEvents.map { event in
        let lost = drive[event.frames.clamped(to: drive.indices)].contains { $0 != 0 }
        return (
          Double(event.frames.lowerBound), Double(event.frames.upperBound + (lost ? ringing : 0))
        )
      } + [(driven(frameCount), last)]
  }
}
