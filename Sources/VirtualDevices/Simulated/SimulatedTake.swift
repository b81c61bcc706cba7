// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

/// One start of a simulated rig: the world between its drive frames and its capture frames.
///
/// Drive frame k leaves at the true time k / (rate (1 + drive offset)) and reaches the world after the
/// drive's latency. The plant's steps lie on the drive's frames and evenly between them, so that its
/// voltage needs no reading between them. Capture frame k is taken at
/// k / (rate (1 + capture offset)) and shows the world as it was the capture's latency before. Frames
/// and steps are computed only once every drive frame that they depend on is there.
struct SimulatedTake: Sendable {
  let setup: SimulationSetup
  /// Frames sent in all takes before this one: faults count from the rig's opening.
  let frameOffset: Int
  /// This take's delays with their jitter, in seconds.
  let driveDelay: Double
  let captureDelay: Double
  /// True frames a second of either clock.
  let driveRate: Double
  let captureRate: Double
  /// How many drive frames before the first one the plant begins.
  let stepLead: Int
  /// The drive position of the voltage that a step of the plant is given.
  let stepAxis: SampleAxis
  /// By channel, what a capture frame shows: a drive position or a step of the plant.
  let captureAxes: [SampleAxis]
  /// Of those that show steps of the plant, the axes that lie furthest back and furthest ahead.
  let stepReach: (first: SampleAxis, last: SampleAxis)?
  /// The same of those that show the drive.
  let driveReach: (first: SampleAxis, last: SampleAxis)?

  var sentFrames = 0
  var readFrames = 0
  /// True once the drive has ended: what follows is zero.
  var isEnded = false
  /// True while everything sent is played as zero.
  var isSilent = false
  var driveEvents = EventLog()
  var captureEvents = EventLog()

  /// What each drive line plays, after its converter, in parts of full scale.
  var lines: [SampleHistory]
  var lineNoise: [RandomStream]
  var scratch = [Float](repeating: 0, count: 1024)
  var mixing = [Float](repeating: 0, count: 1024)

  var plant: Plant
  var nextStep = 0
  var block = PlantBlock()
  /// By channel, what it shows at the plant's steps; nothing where it shows the drive.
  var shown: [SampleHistory]

  var captureNoise: [CaptureNoise]

  /// Starts take number `number`, after `frameOffset` drive frames in the takes before it.
  init(_ setup: SimulationSetup, number: Int, frameOffset: Int) {
    let simulation = setup.simulation
    self.setup = setup
    self.frameOffset = frameOffset
    func stream(_ source: NoiseSource) -> RandomStream {
      RandomStream(seed: simulation.seed, take: number, source: source.number)
    }
    var (driveJitter, captureJitter) = (stream(.driveJitter), stream(.captureJitter))
    driveDelay = max(0, simulation.drive.latency + simulation.drive.jitter * driveJitter.normal())
    captureDelay = max(
      0, simulation.capture.latency + simulation.capture.jitter * captureJitter.normal())
    driveRate = setup.rate.hertz * (1 + simulation.drive.clockOffset)
    captureRate = setup.rate.hertz * (1 + simulation.capture.clockOffset)

    let oversampling = Double(setup.oversampling)
    plant = Plant(
      simulation.plant, bandwidth: simulation.sensor.bandwidth,
      step: 1 / (driveRate * oversampling))
    stepLead = setup.driveKernel.halfWidth + plant.lookahead
    stepAxis = SampleAxis(
      offset: Double(plant.lookahead) / oversampling - Double(stepLead),
      increment: 1 / oversampling, stride: setup.oversampling)
    let (drive, ratio) = (driveDelay, driveRate / captureRate)
    let (capture, rate, ahead) = (captureDelay, driveRate, Double(stepLead))
    let axes = setup.sources.map { source in
      let position = -(drive + capture + source.delay) * rate
      return source.isPlant
        ? SampleAxis(
          offset: (position + ahead) * oversampling, increment: ratio * oversampling,
          advance: setup.oversampling)
        : SampleAxis(offset: position, increment: ratio)
    }

    captureAxes = axes
    func reach(plant: Bool) -> (first: SampleAxis, last: SampleAxis)? {
      let sorted = zip(axes, setup.sources).filter { $0.1.isPlant == plant }.map(\.0)
        .sorted { $0.offset < $1.offset }
      return sorted.first.flatMap { first in sorted.last.map { (first, $0) } }
    }
    stepReach = reach(plant: true)
    driveReach = reach(plant: false)

    let longest = driveDelay + captureDelay + (setup.sources.map(\.delay).max() ?? 0)
    let lead = Int((longest * driveRate).rounded(.up)) + 2 * setup.driveKernel.halfWidth
    let history = SampleHistory(lead: lead + stepLead)
    lines = setup.driveLines.map { _ in history }
    lineNoise = setup.driveLines.map { stream(.driveLine($0.role)) }

    let plantLead = (lead + setup.plantKernel.halfWidth) * setup.oversampling
    shown = setup.sources.map { SampleHistory(lead: $0.isPlant ? plantLead : 0) }
    captureNoise = setup.channels.map { channel in
      CaptureNoise(
        world: stream(.world(input: channel.input)),
        converter: stream(.converter(input: channel.input)),
        rattle: stream(.rattle(input: channel.input)))
    }
  }

  /// How many drive frames the world has got, those played as zeros because none came among them.
  var playedFrames: Int { lines[0].end }

}

enum NoiseSource {
  case driveJitter
  case captureJitter
  case driveLine(DriveRole)
  case world(input: Int)
  case converter(input: Int)
  case rattle(input: Int)

  var number: Int {
    switch self {
    case .driveJitter: 1
    case .captureJitter: 2
    case .driveLine(let role): 16 + (DriveRole.allCases.firstIndex(of: role) ?? 0)
    case .world(let input): 1024 + 4 * input
    case .converter(let input): 1025 + 4 * input
    case .rattle(let input): 1026 + 4 * input
    }
  }
}

struct CaptureNoise: Sendable {
  var world: RandomStream
  var converter: RandomStream
  var rattle: RandomStream
}

extension SimulatedTake {
  /// Takes drive frames through the drive's converters: clipping, quantisation, noise.
  ///
  /// Frames whose time is past already are not played, but counted.
  mutating func send(_ frames: Span<Float>, count: Int) {
    let late = min(count, max(0, playedFrames - sentFrames))
    driveEvents.note(.underrun, sentFrames..<(sentFrames + late))
    for first in stride(from: late, to: count, by: scratch.count) {
      let part = first..<min(count, first + scratch.count)
      for line in lines.indices { play(frames, part, on: line) }
    }
    let sent = sentFrames..<(sentFrames + count)
    for window in setup.faults.windows(of: .xrun, in: shift(sent, by: frameOffset)) {
      driveEvents.note(.underrun, shift(window, by: -frameOffset))
    }
    sentFrames += count
  }

  mutating func runDry(to frame: Int) {
    for line in lines.indices { lines[line].pad(to: frame) }
  }

  mutating func dropUnread() {
    for line in lines.indices { lines[line].forget(before: lines[line].end) }
  }

  mutating func silence(from frame: Int) {
    isSilent = true
    for line in lines.indices { lines[line].clear(from: frame) }
  }

  private mutating func play(_ frames: Span<Float>, _ range: Range<Int>, on line: Int) {
    let converter = setup.simulation.drive
    let channel = setup.driveLines[line].index
    frames.withUnsafeBufferPointer { frames in
      scratch.take(
        frames, channel: channel, of: setup.driveFormat.channelCount, range, silent: isSilent)
    }
    if !scratch.areWithin(1, count: range.count) {
      for place in 0..<range.count {
        scratch[place] = driveEvents.limited(
          scratch[place], at: sentFrames + range.lowerBound + place,
          of: setup.driveLines[line].role, setup.driveFormat)
      }
    }
    if (1...24).contains(converter.bits) {
      scratch.quantize(to: 1 / Double(1 << (converter.bits - 1)), count: range.count)
    }
    let first = frameOffset + sentFrames + range.lowerBound
    for window in setup.faults.windows(of: .xrun, in: first..<(first + range.count)) {
      for frame in window { scratch[frame - first] = 0 }
    }
    if setup.driveLines[line].isReversed {
      for place in 0..<range.count { scratch[place] = -scratch[place] }
    }
    lineNoise[line].add(
      Float(converter.noiseVolts / setup.fullScaleVolts), to: &scratch, count: range.count)
    lines[line].append(scratch, count: range.count)
  }

  /// Lets the plant live up to and with a step; the drive frames for it must be there.
  mutating func live(through last: Int) {
    while nextStep <= last {
      let count = min(PlantBlock.capacity, last + 1 - nextStep)
      setup.driveKernel.read(
        lines[setup.hapticLine], along: stepAxis, nextStep..<(nextStep + count),
        into: &block.volts)
      block.volts.scale(by: Float(setup.fullScaleVolts), count: count)
      let held = heldSteps(nextStep..<(nextStep + count))
      plant.run(block.volts, count: count, held: held, into: &block.output)
      for channel in setup.sources.indices { show(channel, count: count) }
      nextStep += count
    }
  }

  private mutating func show(_ channel: Int, count: Int) {
    switch setup.sources[channel] {
    case .lines: break
    case .motion(let share, _, _):
      mixing.fill(from: block.output, count: count) {
        share.x * $0.along + share.y * $0.across
      }
      shown[channel].append(mixing, count: count)
    case .current:
      mixing.fill(from: block.output, count: count) { $0.current }
      shown[channel].append(mixing, count: count)
    }
  }

  private func heldSteps(_ steps: Range<Int>) -> [Range<Int>] {
    guard !setup.faults.isEmpty else { return [] }
    let frames = Int(frame(ofStep: steps.lowerBound))..<(Int(frame(ofStep: steps.upperBound)) + 1)
    return setup.faults.windows(of: .stuck, in: shift(frames, by: frameOffset)).map { window in
      let own = shift(window, by: -frameOffset)
      return shift(
        step(ofFrame: own.lowerBound)..<step(ofFrame: own.upperBound), by: -steps.lowerBound)
    }
  }

  private func frame(ofStep step: Int) -> Double {
    let position = Double(step) / Double(setup.oversampling) - Double(stepLead)
    return max(0, (driveDelay + position / driveRate) * setup.rate.hertz)
  }

  /// The step next to the true time of a frame of the nominal rate.
  private func step(ofFrame frame: Int) -> Int {
    let position = (Double(frame) / setup.rate.hertz - driveDelay) * driveRate
    return Int(((position + Double(stepLead)) * Double(setup.oversampling)).rounded())
  }
}

func shift(_ range: Range<Int>, by offset: Int) -> Range<Int> {
  (range.lowerBound + offset)..<(range.upperBound + offset)
}
