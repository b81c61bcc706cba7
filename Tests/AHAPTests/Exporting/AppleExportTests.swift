// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

/// What an exported pattern looks like; that it plays the same is tested with the timeline.
struct AppleExportTests {
  private typealias Point = ParameterCurve.Point

  private func curve(
    of id: DynamicParameterID = .hapticIntensity, at time: Double = 0, _ points: [(Double, Double)],
    order: Int = 0
  ) -> ParameterCurve {
    ParameterCurve(
      id: id, time: time, points: points.map { Point(time: $0.0, value: $0.1) }, order: order)
  }

  private func exported(_ curves: ParameterCurve...) -> [ParameterCurve] {
    AppleExport(HapticPattern(curves: curves)).pattern.curves
  }

  private func continuous(
    at time: Double, for duration: Double, _ values: [EventParameterID: Double] = [:]
  ) -> HapticEvent {
    var event = HapticEvent(kind: .hapticContinuous, time: time, duration: duration)
    for (id, value) in values { event.parameters[id] = value }
    return event
  }

  @Test func `a pattern within the limits stays as it is`() {
    let pattern = HapticPattern(
      metadata: ["Project": "p"],
      events: [
        HapticEvent(kind: .hapticTransient, time: 0, order: 0),
        HapticEvent(kind: .hapticContinuous, time: 0.5, duration: 30, order: 2),
      ],
      parameters: [DynamicParameter(id: .hapticSharpness, time: 1, value: 0.5, order: 3)],
      curves: [curve([(0, 1), (0.001, 0.2), (1, 1)], order: 1)])
    let export = AppleExport(pattern)
    #expect(export.pattern == pattern)
    #expect(export.changes == [])
  }

  @Test func `a chain repeats the last point of the curve before`() {
    let points = (0..<40).map { (0.1 * Double($0), Double($0 % 2)) }
    let chain = exported(curve(at: 2, points))
    #expect(chain.map(\.points.count) == [16, 16, 10])
    for (link, next) in zip(chain, chain.dropFirst()) {
      #expect(abs(link.end - next.time) < 1e-9)
      #expect(link.points.last?.value == next.points.first?.value)
    }
    #expect(chain.allSatisfy { $0.points.first?.time == 0 })
    #expect(chain.map(\.order) == [0, 1, 2])
    #expect(abs((chain.last?.end ?? 0) - 5.9) < 1e-9)
  }

  @Test func `sixteen points are left alone and seventeen make two curves`() {
    let points = (0..<17).map { (0.1 * Double($0), 0.5) }
    #expect(exported(curve(Array(points.prefix(16)))).count == 1)
    #expect(exported(curve(points)).map(\.points.count) == [16, 2])
  }

  @Test func `no link of a chain begins once a newer source has taken over`() {
    let points = (0..<100).map { (0.1 * Double($0), Double($0 % 2)) }
    let pattern = HapticPattern(
      parameters: [DynamicParameter(id: .hapticIntensity, time: 2.95, value: 0.5, order: 1)],
      curves: [
        curve(points), curve([(0, 0.25), (1, 0.5)], order: 2),
        curve(of: .hapticSharpness, points, order: 3),
      ]
    )
    let export = AppleExport(pattern).pattern
    // The second intensity curve begins with the first, behind it in the file: the first is never
    // heard.
    let intensity = export.curves.filter { $0.id == .hapticIntensity }
    #expect(intensity.map(\.points.count) == [2])

    var alone = pattern
    alone.curves.remove(at: 1)
    let chain = AppleExport(alone).pattern.curves.filter { $0.id == .hapticIntensity }
    #expect(chain.map(\.points.count) == [16, 16])
    #expect(chain.allSatisfy { $0.time < 2.95 })
    #expect(AppleExport(alone).pattern.curves.filter { $0.id == .hapticSharpness }.count == 7)
  }

  @Test func `a jump becomes a ramp of 1 ms that ends where the jump was`() {
    let result = exported(curve([(0, 0.2), (0.5, 0.4), (0.5, 0.9), (1, 0.4)]))
    #expect(result.count == 1)
    let points = result.first?.points ?? []
    #expect(points.map(\.time) == [0, 0.499, 0.5, 1])
    // The second point lies on the line that leads to the jump.
    let expected = [0.2, 0.4 - 0.0004, 0.9, 0.4]
    #expect(zip(points, expected).allSatisfy { abs($0.value - $1) < 1e-9 }, "\(points)")
  }

  @Test func `a jump behind a corner becomes a ramp that begins where the jump was`() {
    let result = exported(curve([(0, 1), (0.0985, 0), (0.1, 0), (0.1, 1), (0.12, 1)]))
    #expect(result.first?.points.map(\.time) == [0, 0.0985, 0.1, 0.101, 0.12])
  }

  @Test func `jumps at both ends of a curve keep its first and its last value`() {
    let points = exported(curve([(0, 0.1), (0, 0.6), (0.5, 0.6), (0.5, 0.2)])).first?.points ?? []
    #expect(
      points == [
        Point(time: 0, value: 0.6), Point(time: 0.499, value: 0.6), Point(time: 0.5, value: 0.2),
      ])
  }

  @Test func `a ramp of a tenth of a millisecond becomes one of 1 ms`() {
    let points = exported(curve([(0, 1), (0.1, 1), (0.1001, 0.2), (0.3, 0.2)])).first?.points ?? []
    #expect(points.map(\.time) == [0, 0.0991, 0.1001, 0.3])
    #expect(points.map(\.value) == [1, 1, 0.2, 0.2])
  }

  @Test func `points denser than 1 ms are thinned`() {
    let points = (0...1000).map { (1e-4 * Double($0), 0.5 + 1e-4 * Double($0)) }
    let chain = exported(curve(points))
    #expect(chain.reduce(0) { $0 + $1.points.count } <= 101 + 7)
    let last = chain.last?.points.last?.value ?? 0
    #expect(abs(last - 0.6) < 1e-9)
  }

  @Test func `a single point gets a second one of its value`() {
    #expect(
      exported(curve(at: 0.25, [(0.5, 0.6)]))
        == [curve(at: 0.75, [(0, 0.6), (0.001, 0.6)])])
  }

  @Test func `a late first point becomes the start of its curve`() {
    #expect(
      exported(curve(at: 0.25, [(0.25, 0), (0.75, 1)])) == [curve(at: 0.5, [(0, 0), (0.5, 1)])])
  }

  @Test func `a long event becomes pieces without a gap that attack and release once`() {
    let event = continuous(
      at: 1, for: 75, [.attackTime: 0.5, .releaseTime: 0.4, .hapticIntensity: 0.3])
    let pieces = AppleExport(HapticPattern(events: [event])).pattern.events
    #expect(pieces.map(\.time) == [1, 26, 51])
    #expect(pieces.map(\.duration) == [25, 25, 25])
    #expect(pieces.map(\.parameters.attackTime) == [0.5, 0, 0])
    #expect(pieces.map(\.parameters.releaseTime) == [0, 0, 0.4])
    #expect(pieces.allSatisfy { $0.parameters.intensity == 0.3 })
  }

  @Test func `an audio tone is split too, and one that is not sustained is only limited`() {
    let tone = HapticEvent(kind: .audioContinuous, time: 0, duration: 60)
    let fading = continuous(at: 0, for: 40, [.sustained: 0, .decayTime: 1])
    let sound = HapticEvent(kind: .audioCustom, time: 0, duration: 90, waveformPath: "a.wav")
    let events = AppleExport(HapticPattern(events: [tone, fading, sound])).pattern.events
    #expect(events.filter { $0.kind == .audioContinuous }.map(\.duration) == [30, 30])
    #expect(events.filter { $0.kind == .hapticContinuous }.map(\.duration) == [30])
    #expect(events.filter { $0.kind == .audioCustom }.map(\.duration) == [90])
  }

  @Test func `each change is a sentence`() {
    var tap = HapticEvent(kind: .hapticTransient, time: -1)
    tap.parameters.intensity = 3
    tap.parameters.sustained = 0.7
    let pattern = HapticPattern(
      version: 0,
      events: [
        continuous(at: 5, for: 61), tap, HapticEvent(kind: .hapticContinuous, time: 0),
        continuous(at: 0, for: 31, [.sustained: 0]),
      ],
      parameters: [DynamicParameter(id: .hapticReleaseTime, time: 0, value: 0.5)],
      curves: [
        curve([(0, 1), (0.1, 0)], order: 1), curve([], order: 2),
        curve(of: .hapticSharpness, at: 1, [(0.5, 0), (0.2, 0), (0.2, 1)], order: 3),
        curve(of: .audioVolume, (0..<17).map { (Double($0), 0) }, order: 4),
        curve(of: .audioPan, [(0, 1)], order: 5),
      ])
    let export = AppleExport(pattern)
    #expect(
      export.changes == [
        "'Version' was 0 and is 1.0 now.",
        "3 values were moved into their ranges.",
        "1 continuous event without a length was left out.",
        "1 curve that is never in force was left out.",
        "1 curve had its points put in the order of time.",
        "1 event that is not sustained was limited to 30 s.",
        "1 event of more than 30 s was split into 3 pieces without a gap.",
        "The envelope controls of the pattern act on each piece of a split event anew, at its start.",
        "The events were put in the order of time.",
        "1 curve whose first point came late starts at that point now.",
        "1 curve had jumps or ramps of less than 1 ms, which last 1 ms now.",
        "1 curve of one point got a second one of the same value 1 ms later.",
        "1 curve of more than 16 points became 2 of at most 16.",
      ])
    #expect(export.pattern.version == 1)
    #expect(export.pattern.events.map(\.time) == export.pattern.eventsByTime.map(\.time))
  }
}
