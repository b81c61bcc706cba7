import Devices
import HapticRendering
import SignalAnalysis
import Units

/// What each haptic event did by itself, told apart by the responses that the probe's resonator predicts.
///
/// The drive of every event is rendered alone and sent through the fitted resonator; events that overlap,
/// or ring into each other, are fitted to the response together, each with a gain and a delay of its own.
/// That holds where drives add: where no limit held anything back, which the sum of the parts shows.
struct EventSeparation {
  /// One event's own response.
  struct Part {
    /// The pure delay of this event's response after the reference, in seconds, the sensor's included.
    let delay: Estimate
    /// The strength of the response over the predicted one.
    let gain: Estimate
    /// The response of this event alone, without noise and offset, from frame `first` of the capture.
    let response: [Double]
    /// The capture frame that `response` begins at.
    let first: Int
    /// The events that it was told apart from, in order.
    let others: [Int]
    /// What prediction and response differ by, as a share.
    let misfit: Double
  }

  private(set) var parts: [Int: Part] = [:]
  /// Why an event has no part.
  private(set) var reasons: [Int: String] = [:]

  /// The longest stretch that is fitted at once, in seconds.
  private static let longestStretch = 2.5
  /// What lies further from an event than this is none of it, in seconds.
  private static let reach = 0.020
  /// The most events that are fitted at once.
  private static let mostEvents = 24
  /// Above this the resonator does not describe what the events do, as a share.
  private static let largestMisfit = 0.25
  /// Delays less sure than this tell nothing, in seconds.
  private static let vaguestDelay = 0.5e-3

  private let take: TakeDrive
  private let rig: RigDescription
  private let recording: Recording
  private let alignment: TakeAlignment
  private let model: ResonatorModel
  private let samples: [Float]
  private let noise: NoiseFloor
  private let rate: Double

  /// Fits every haptic event of a take; nothing is told apart without a model of the response.
  init?(
    _ take: TakeDrive, rig: RigDescription, recording: Recording, alignment: TakeAlignment,
    samples: [Float], noise: NoiseFloor
  ) {
    guard let model = alignment.model, alignment.electrical != nil else { return nil }
    self.take = take
    self.rig = rig
    self.recording = recording
    self.alignment = alignment
    self.model = model
    self.samples = samples
    self.noise = noise
    rate = take.rate.hertz
    for cluster in clusters() { separate(cluster) }
  }

  /// Groups of events of which each may still ring when the next begins.
  private func clusters() -> [[TimelineEvent]] {
    // After five decay times 0.7 % are left.
    let margin = max(0.060, 5 * model.decayTime.value)
    var groups: [[TimelineEvent]] = []
    var latest = -Double.infinity
    let dropped = Set(take.droppedEvents)
    for event in take.intent.timeline.events
    where event.kind.isHaptic && !dropped.contains(event.index) {
      if event.start < latest + margin, let last = groups.indices.last {
        groups[last].append(event)
      } else {
        groups.append([event])
      }
      latest = max(latest, event.end)
    }
    return groups
  }

  private mutating func separate(_ cluster: [TimelineEvent]) {
    do throws(Obstacle) {
      for (event, part) in try fitted(cluster) {
        if part.delay.uncertainty < Self.vaguestDelay,
          part.gain.value > 5 * part.gain.uncertainty
        {
          parts[event] = part
        } else {
          reasons[event] = "its response cannot be told from the others' with any certainty"
        }
      }
    } catch {
      for event in cluster { reasons[event.index] = error.reason }
    }
  }

  private struct Obstacle: Error {
    let reason: String
  }

  private func fitted(_ cluster: [TimelineEvent]) throws(Obstacle) -> [(Int, Part)] {
    let frames = try stretch(of: cluster)
    let drives = try drives(of: cluster, frames: frames.drive)
    let offset = Float(noise.offset.value)
    let window = samples[frames.capture].map { $0 - offset }
    let volts = Float(alignment.referenceGain ?? rig.drive.fullScaleVolts)
    // The capture's window stands a whole number of frames after the drive's, and its clock may drift.
    let rest =
      alignment.electricalFrames(at: Double(frames.drive.lowerBound)) - Double(frames.shift)
    let templates = drives.map { drive in
      TimeStretch.apply(
        model.predict(drive.map { $0 * volts }, rate: take.rate), offset: rest,
        stretch: 1 + 1e-6 * alignment.knownDrift, count: window.count)
    }
    let fit = TemplateFit(templates: templates, reach: Self.reach * rate)
    let result: TemplateFit.Result
    do throws(DelayError) {
      result = try fit.fit(window, noise: noise.sigma.value)
    } catch {
      throw Obstacle(reason: "the joint fit does not settle")
    }
    guard result.misfit <= Self.largestMisfit else {
      let share = Int((100 * result.misfit).rounded())
      throw Obstacle(reason: "the resonator of the probe leaves \(share) % of the response over")
    }
    let names = cluster.map(\.index)
    // A resonance that is a little off turns the phase of what it predicts, most where it rings longest.
    let (f0, q) = (model.frequency.relativeUncertainty, model.q.relativeUncertainty)
    let turn = model.decayTime.value * (f0 * f0 + 0.25 * q * q).squareRoot()
    return cluster.indices.map { place in
      let part = result.parts[place]
      let line = alignment.electricalDelay(at: frame(cluster[place].start))
      let spread = [part.delay.uncertainty, line.uncertainty].reduce(0) { $0 + $1 * $1 }
      let own = model.delay.uncertainty
      let delay = Estimate(
        model.delay.value + part.delay.value / rate,
        uncertainty: (spread / (rate * rate) + own * own + turn * turn + TakeAlignment.finest)
          .squareRoot())
      return (
        names[place],
        Part(
          delay: delay, gain: part.gain, response: part.waveform, first: frames.capture.lowerBound,
          others: names.filter { $0 != names[place] }, misfit: result.misfit)
      )
    }
  }

  private struct Frames {
    let drive: Range<Int>
    let capture: Range<Int>
    /// Whole frames from the drive's to the capture's.
    let shift: Int
  }

  /// The stretch of a cluster, from a little before its first event to where its last has rung out.
  private func stretch(of cluster: [TimelineEvent]) throws(Obstacle) -> Frames {
    guard let start = cluster.first?.start, cluster.count <= Self.mostEvents else {
      throw Obstacle(reason: "\(cluster.count) events ring into each other")
    }
    let last = cluster.reduce(start) { max($0, $1.end) }
    let room = Self.reach + 5 * model.decayTime.value + max(0, model.delay.value)
    var length = last - start + room
    if length > Self.longestStretch {
      guard cluster.count == 1 else {
        throw Obstacle(
          reason: "events ring into each other for more than \(Self.longestStretch) s")
      }
      // Of one long event its beginning tells enough.
      length = 0.5
    }
    let first = Int(frame(start).rounded(.down)) - Int(Self.reach * rate)
    let end = min(Int(frame(start + length).rounded(.up)), take.layout.frameCount)
    let shift = Int(alignment.electricalFrames(at: Double(first + end) / 2).rounded(.down))
    guard first >= 0, first + shift >= 0, end + shift <= samples.count, end > first else {
      throw Obstacle(reason: "the recording ends before it")
    }
    let capture = (first + shift)..<(end + shift)
    guard !recording.touches(capture, delay: Double(shift)) else {
      throw Obstacle(reason: "a gap, an xrun or an overload touches it")
    }
    return Frames(drive: first..<end, capture: capture, shift: shift)
  }

  /// The drive of each event alone, over some frames of the take.
  private func drives(
    of cluster: [TimelineEvent], frames: Range<Int>
  ) throws(Obstacle) -> [[Float]] {
    let whole = Array((take.channels[.haptic] ?? [])[frames])
    guard cluster.count > 1 else { return [whole] }
    let alone = cluster.map { take.drive(of: $0, frames: frames) }
    var difference: Float = 0
    var height: Float = 0
    for index in whole.indices {
      let sum = alone.reduce(0) { $0 + $1[index] }
      difference = max(difference, abs(sum - whole[index]))
      height = max(height, abs(whole[index]))
    }
    guard difference <= 2e-3 * height else {
      throw Obstacle(reason: "a limit bends the sum of their drives")
    }
    return alone
  }

  private func frame(_ time: Double) -> Double { Double(take.layout.pattern) + time * rate }
}

extension TakeDrive {
  /// The haptic drive of one event alone, without limits, over some frames of the take.
  func drive(of event: TimelineEvent, frames: Range<Int>) -> [Float] {
    let timeline = Timeline(
      events: [event], controls: intent.timeline.controls, duration: 0)
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration)
    let last = min(frames.upperBound - layout.pattern, renderer.frameCount)
    var samples = [Float](repeating: 0, count: max(0, last))
    var span = samples.mutableSpan
    renderer.render(haptic: &span)
    return frames.map { frame in
      let place = frame - layout.pattern
      return samples.indices.contains(place) ? samples[place] : 0
    }
  }
}

extension EventSeparation.Part {
  /// From what it was told apart, in words; `nil` where the event stood alone.
  var account: String? {
    guard let first = others.first else { return nil }
    let names =
      others.count == 1
      ? "event \(first)" : "events \(others.map(String.init).joined(separator: ", "))"
    return "told apart from \(names) by a joint fit"
  }
}
