import Devices
import SignalAnalysis
import Units

/// What a drive that makes tones of its own is told during a take: one tone each update interval, from frame 0.
///
/// The drive follows the waveform of all events together, which it is sent; what of a command's power belongs to
/// which event is the share of that waveform that the event's own has.
struct ToneCommands {
  /// One event's waveform as it is sent, with a strength and a delay that it may have on the way.
  struct Source {
    var share: DriveShares.Share
    var gain = 1.0
    /// Frames.
    var delay = 0
  }

  /// What one event has of the powers of some commands.
  struct Powers {
    /// The first command that it has any of.
    var first: Int
    /// By command; together with all others' the square of the amplitude that is made.
    var values: [Double]
    /// The amplitude that the event alone would be given, by command.
    var alone: [Double]
  }

  /// Frames of one command, with a fraction.
  let width: Double
  /// What the drive makes, by command.
  private(set) var tones: [DriveTone] = []
  /// By event.
  private(set) var powers: [Int: Powers] = [:]

  private let drive: ExpressibleDrive
  private let tracker: ToneTracker

  /// Lays waveforms on a drive's grid; `count` is how many frames the take has.
  ///
  /// Cost: linear in the frames of the take and of all waveforms.
  init(
    _ sources: [Source], over samples: Samples, from pattern: Int, rate: SampleRate,
    by drive: ExpressibleDrive
  ) {
    self.drive = drive
    width = drive.updateInterval * rate.hertz
    tracker = ToneTracker(rate: rate, form: .wave)
    var sum = samples[samples.indices]
    for frame in sum.indices where frame >= pattern { sum[frame] = 0 }
    for source in sources {
      let (first, gain) = (source.share.first + source.delay, Float(source.gain))
      let frames = (first..<(first + source.share.samples.count)).clamped(to: sum.indices)
      for frame in frames { sum[frame] += gain * source.share.samples[frame - first] }
    }
    let count = Int((Double(sum.count) / width).rounded(.up))
    tones.reserveCapacity(count)
    var ratios: [Double] = []
    ratios.reserveCapacity(count)
    for command in 0..<count {
      let asked = tone(command, of: sum, from: 0)
      let made = asked.amplitude > 0 ? drive.nearest(asked) : asked
      tones.append(made)
      ratios.append(asked.amplitude > 0 ? made.amplitude / asked.amplitude : 0)
    }
    for source in sources { add(source, to: sum, ratios: ratios) }
  }

  /// The first frame of a command.
  func frame(of command: Int) -> Int { Int((Double(command) * width).rounded()) }

  /// What a stretch of drive asks for during a command.
  private func tone(_ command: Int, of samples: [Float], from first: Int) -> DriveTone {
    let wanted =
      (frame(of: command) - tracker.lag - first)..<(frame(of: command + 1) + tracker.lag - first)
    let inside = wanted.clamped(to: samples.indices)
    guard inside.contains(where: { samples[$0] != 0 }) else {
      return DriveTone(frequency: 0, amplitude: 0)
    }
    var window = [Float](repeating: 0, count: wanted.count)
    for place in inside { window[place - wanted.lowerBound] = samples[place] }
    return tracker.tone(of: window.span)
  }

  private mutating func add(_ source: Source, to sum: [Float], ratios: [Double]) {
    let (start, own) = (source.share.first + source.delay, source.share.samples)
    let begin = max(0, Int((Double(start - tracker.lag) / width).rounded(.down)))
    let end = min(
      tones.count, Int((Double(start + own.count + tracker.lag) / width).rounded(.up)))
    guard begin < end else { return }
    var powers = Powers(first: begin, values: [], alone: [])
    for command in begin..<end {
      let frames =
        ((frame(of: command) - tracker.lag)..<(frame(of: command + 1) + tracker.lag))
        .clamped(to: sum.indices)
      var (whole, part) = (0.0, 0.0)
      for frame in frames {
        whole += Double(sum[frame]) * Double(sum[frame])
        if own.indices.contains(frame - start) {
          part += Double(sum[frame]) * Double(own[frame - start])
        }
      }
      let made = tones[command].amplitude
      powers.values.append(whole > 0 ? made * made * source.gain * part / whole : 0)
      powers.alone.append(tone(command, of: own, from: start).amplitude * ratios[command])
    }
    self.powers[source.share.event] = powers
  }

  // MARK: Over time

  /// The mean around frames of a value that holds for a command each, over `half` frames to either side.
  struct Course {
    private let first: Int
    private let values: [Double]
    private let sums: [Double]
    private let width: Double

    /// Takes values by command from one on; zero before and after.
    init(_ values: [Double], from first: Int, width: Double) {
      self.first = first
      self.values = values
      self.width = width
      var sums = [0.0]
      sums.reserveCapacity(values.count + 1)
      for value in values { sums.append((sums.last ?? 0) + value) }
      self.sums = sums
    }

    private func integral(to frame: Double) -> Double {
      let place = frame / width - Double(first)
      guard place > 0 else { return 0 }
      guard place < Double(values.count) else { return sums.last ?? 0 }
      let index = Int(place)
      return sums[index] + (place - Double(index)) * values[index]
    }

    /// The mean over a stretch around a frame.
    func mean(around frame: Double, half: Double) -> Double {
      (integral(to: frame + half) - integral(to: frame - half)) * width / (2 * half)
    }
  }
}
