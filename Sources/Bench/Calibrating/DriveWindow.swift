import Devices
import SignalAnalysis
import SoundFiles
import Units

/// A stretch of the drive's frames, and how it is cut out of what was captured.
///
/// Two clocks pull a sweep apart, and frequencies with it: where the capture counts faster or slower than
/// the drive, its samples are resampled to the drive's clock.
struct DriveWindow {
  /// The frames as they were sent.
  let driveFrames: Range<Int>

  private let rate: SampleRate
  /// The captured frame at which the window begins, and its margin before.
  private let begin: Int
  /// Captured frames to a drive frame.
  private let stretch: Double
  /// Frames on either side that keep the resampler's ends out.
  private let margin: Int

  /// Rates closer than this are the same, as a share: what a marker cannot tell.
  private static let sameClock = 1e-6

  /// Places a window by the line through the markers; `nil` takes the capture for the drive's own time.
  init(first: Int, count: Int, line: ClockLine?, rate: SampleRate) {
    driveFrames = first..<(first + count)
    self.rate = rate
    let drift = (line?.drift.value ?? 0) * 1e-6
    stretch = abs(drift) > Self.sameClock ? 1 + drift : 1
    margin = stretch == 1 ? 0 : rate.wholeFrames(0.02)
    let place = Double(first - margin)
    begin = Int((place + (line?.delay(at: place).value ?? 0)).rounded())
  }

  /// What a channel holds in the window; zeros where nothing was captured.
  func cut(_ samples: Samples) -> [Float] {
    let count = driveFrames.count + 2 * margin
    let taken = stretch == 1 ? count : Int((Double(count) * stretch).rounded(.up)) + 1
    let held = samples.padded(begin..<(begin + taken))
    guard stretch != 1 else { return held }
    let captured = Signal(
      samples: held, rate: SampleRate(hertz: rate.hertz * stretch), unit: .one)
    guard let resampled = try? Resampler.resample(captured, to: rate) else { return held }
    return (margin..<(margin + driveFrames.count)).map {
      resampled.samples.indices.contains($0) ? resampled.samples[$0] : 0
    }
  }

  /// The stretches of the window that hold no true sample.
  func gaps(of recording: Recording) -> [Range<Int>] {
    let all = recording.gaps + [recording.frameCount..<Int.max]
    return all.compactMap { gap in
      let from = max(0, place(of: gap.lowerBound, rounded: .down))
      let to =
        gap.upperBound == .max
        ? driveFrames.count : min(driveFrames.count, place(of: gap.upperBound, rounded: .up))
      return from < to ? from..<to : nil
    }
  }

  /// Where a captured frame stands in the window.
  private func place(of frame: Int, rounded rule: FloatingPointRoundingRule) -> Int {
    Int((Double(frame - begin) / stretch).rounded(rule)) - margin
  }
}
