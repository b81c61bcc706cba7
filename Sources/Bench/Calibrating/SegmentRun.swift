// SPDX-License-Identifier: Apache-2.0

package import Actuators
package import Calibration
package import Devices
import JSONText
import Profiles
import SignalAnalysis
import SoundFiles
import Units

/// A measurement that says segment by segment what is to be played: a calibration, a check.
package protocol SegmentProcedure {
  var progress: CalibrationProgress { get }

  /// What is to be played next; `nil` when it is done. The same segment until it is accepted.
  mutating func next() throws(CalibrationRefusal) -> CalibrationSegment?

  mutating func accept(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict

  func recognition() -> CalibrationSegment?

  func recognize(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict
}

extension SegmentProcedure {
  package func recognition() -> CalibrationSegment? { nil }

  package func recognize(
    _ response: SegmentResponse, to segment: CalibrationSegment
  ) throws(CalibrationRefusal) -> SegmentVerdict { .accepted }
}

extension CalibrationProcedure: SegmentProcedure {}
extension CalibrationCheck: SegmentProcedure {}

/// Plays a procedure's segments on a rig until it is done.
///
/// With a store every accepted response is kept before the next segment is played, and a run that was
/// stopped goes on from there: the procedure is fed what was kept, and comes to the same place.
package struct SegmentRun: Sendable {
  package enum Progress: Sendable {
    case began(CalibrationProgress, CalibrationSegment)
    case playing(CalibrationProgress, CalibrationSegment, share: Double)
    case accepted(CalibrationProgress, CalibrationSegment)
    case resumed(CalibrationSegment)
    case again(CalibrationSegment, String)
  }

  let rig: RigDescription
  let limits: DriveLimits
  let store: SegmentStore?

  package init(rig: RigDescription, limits: DriveLimits, store: SegmentStore?) {
    self.rig = rig
    self.limits = limits
    self.store = store
  }

  /// Plays until the procedure is done.
  ///
  /// `prepare` is called before a segment is played for the first time, not for one that was kept: whoever
  /// has to lend a hand does it then. What was accepted before an error stays in the store.
  package func execute(
    _ procedure: inout some SegmentProcedure, on session: Session,
    progress: @escaping @Sendable (Progress) -> Void = { _ in },
    prepare: (CalibrationSegment) throws -> Void = { _ in }
  ) async throws {
    var clock: Double?
    var mustRecognize = false
    var isKnown = false
    var prepared: Int?
    while let segment = try procedure.next() {
      if let kept = try store?.response(to: segment),
        try procedure.accept(kept, to: segment) == .accepted
      {
        progress(.resumed(segment))
        clock = kept.clock?.value ?? clock
        mustRecognize = !isKnown
        continue
      }
      if prepared != segment.number {
        try prepare(segment)
        prepared = segment.number
      }
      if mustRecognize, let faint = procedure.recognition() {
        try await recognize(faint, by: procedure, on: session, clock: clock, progress: progress)
      }
      (mustRecognize, isKnown) = (false, true)
      let response = try await play(
        segment, at: procedure.progress, on: session, clock: clock, progress: progress)
      clock = response.clock?.value ?? clock
      switch try procedure.accept(response, to: segment) {
      case .accepted:
        try store?.keep(response, to: segment)
        progress(.accepted(procedure.progress, segment))
      case .again(let reason):
        progress(.again(segment, reason))
      }
    }
  }

  private func play(
    _ segment: CalibrationSegment, at state: CalibrationProgress, on session: Session,
    clock: Double?, progress: @escaping @Sendable (Progress) -> Void
  ) async throws -> SegmentResponse {
    let take = SegmentTake(segment, rig: rig, limits: limits, clock: clock)
    progress(.began(state, segment))
    let recording = await session.play(take.frames) {
      progress(.playing(state, segment, share: $0))
    }
    if let fault = recording.fault { throw fault }
    return SegmentResponse(segment, take: take, recording: recording, rig: rig, clock: clock)
  }

  private func recognize(
    _ segment: CalibrationSegment, by procedure: some SegmentProcedure, on session: Session,
    clock: Double?, progress: @escaping @Sendable (Progress) -> Void
  ) async throws {
    for _ in 0...CalibrationProcedure.repeatLimit {
      let response = try await play(
        segment, at: procedure.progress, on: session, clock: clock, progress: progress)
      switch try procedure.recognize(response, to: segment) {
      case .accepted:
        progress(.accepted(procedure.progress, segment))
        return
      case .again(let reason): progress(.again(segment, reason))
      }
    }
    throw CalibrationRefusal(
      .disturbed,
      "the sweep by which a stopped calibration knows its actuator again could not be used "
        + "\(CalibrationProcedure.repeatLimit + 1) times: find what disturbs the rig")
  }
}

/// Keeps the responses of accepted segments in a folder, two files each, so that a measurement that was
/// stopped can go on.
///
/// `07-grid.wav` holds the drive, the input, every axis, and voltage and current where they are
/// measured; `07-grid.json` says what they are, and appears last: without it the sound is not looked at.
package struct SegmentStore: Sendable {
  package typealias Writing = @Sendable (_ text: String, _ path: String) throws -> Void

  package let folder: String
  private let write: Writing

  package init(folder: String, write: @escaping Writing) {
    self.folder = folder
    self.write = write
  }

  package static func stem(of segment: CalibrationSegment) -> String {
    let number = String(segment.number)
    return (number.count < 2 ? "0" : "") + number + "-" + segment.purpose.rawValue
  }

  package func keep(_ response: SegmentResponse, to segment: CalibrationSegment) throws {
    let path = folder + "/" + Self.stem(of: segment)
    let count = response.input.count
    func signal(_ samples: [Float], _ unit: MeasurementUnit) -> Signal {
      Signal(samples: samples, rate: response.rate, unit: unit)
    }
    var drive = [Float](repeating: 0, count: count)
    for (index, volts) in segment.volts.enumerated() where response.lead + index < count {
      drive[response.lead + index] = volts
    }
    var signals = [signal(drive, .volt), signal(response.input, .volt)]
    signals += response.axes.map { signal($0.samples, .metrePerSecondSquared) }
    if let voltage = response.voltage { signals.append(signal(voltage, .volt)) }
    if let current = response.current { signals.append(signal(current, .ampere)) }
    try SoundFile.write(path: path + ".wav", signals: signals)
    try write(response.metadata(of: segment).text(indent: 1) + "\n", path + ".json")
  }

  package func response(to segment: CalibrationSegment) throws -> SegmentResponse? {
    let path = folder + "/" + Self.stem(of: segment)
    guard let file = try? RegularFile(path: path + ".json"),
      let bytes = try? file.bytes(limit: 1 << 20),
      let metadata = try? JSONValue(parsing: bytes),
      metadata["title"]?.string == segment.title,
      metadata["frames"]?.integer == segment.volts.count,
      let sound = try? SoundFile.read(path: path + ".wav")
    else { return nil }
    return SegmentResponse(metadata: metadata, channels: sound.channels)
  }
}

extension Estimate {
  fileprivate init?(_ pair: [JSONValue]) {
    guard pair.count == 2, let value = pair[0].number, let uncertainty = pair[1].number else {
      return nil
    }
    self.init(value, uncertainty: uncertainty)
  }
}

extension SegmentResponse.Hum {
  fileprivate var metadata: JSONValue {
    ["sentence": .string(sentence), "left": left.map(JSONValue.number) ?? .null]
  }

  fileprivate init?(_ metadata: JSONValue) {
    guard let sentence = metadata["sentence"]?.string else { return nil }
    self.init(sentence: sentence, left: metadata["left"]?.number)
  }
}

extension SegmentResponse {
  fileprivate func metadata(of segment: CalibrationSegment) -> JSONValue {
    [
      "title": .string(segment.title),
      "frames": .integer(segment.volts.count),
      "lead": .integer(lead),
      "inputIsMeasured": .bool(inputIsMeasured),
      "axes": .array(
        axes.map { axis in
          .object(
            present: [
              "name": .string(axis.name),
              "fullScale": axis.fullScale.map(JSONValue.number) ?? .null,
              "hum": axis.hum?.metadata,
            ])
        }),
      "voltage": .bool(voltage != nil),
      "current": .bool(current != nil),
      "gaps": .array(gaps.map { [.integer($0.lowerBound), .integer($0.upperBound)] }),
      "delayUncertainty": delayUncertainty.map(JSONValue.number) ?? .null,
      "drift": drift.map(JSONValue.number) ?? .null,
      "clock": clock.map { [.number($0.value), .number($0.uncertainty)] } ?? .null,
    ]
  }

  fileprivate init?(metadata: JSONValue, channels: [Signal]) {
    guard let lead = metadata["lead"]?.integer,
      let isMeasured = metadata["inputIsMeasured"]?.bool,
      let axes = metadata["axes"]?.elements, let gaps = metadata["gaps"]?.elements,
      let hasVoltage = metadata["voltage"]?.bool, let hasCurrent = metadata["current"]?.bool,
      channels.count == 2 + axes.count + (hasVoltage ? 1 : 0) + (hasCurrent ? 1 : 0)
    else { return nil }
    let measured = channels.dropFirst(2)
    var rest = measured.dropFirst(axes.count).map(\.samples)[...]
    self.init(
      rate: channels[0].rate, input: channels[1].samples, inputIsMeasured: isMeasured,
      axes: zip(axes, measured).map {
        Axis(
          name: $0["name"]?.string ?? "", samples: $1.samples, fullScale: $0["fullScale"]?.number,
          hum: $0["hum"].flatMap(Hum.init))
      },
      voltage: hasVoltage ? rest.popFirst() : nil, current: hasCurrent ? rest.popFirst() : nil,
      gaps: gaps.compactMap { pair in
        guard let ends = pair.elements, ends.count == 2, let from = ends[0].integer,
          let to = ends[1].integer, from <= to
        else { return nil }
        return from..<to
      },
      lead: lead, delayUncertainty: metadata["delayUncertainty"]?.number,
      drift: metadata["drift"]?.number, clock: metadata["clock"]?.elements.flatMap(Estimate.init))
  }
}
