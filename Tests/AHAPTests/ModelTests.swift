// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText
import Testing

/// Apple's tables and the rules that follow from them.
struct ModelTests {
  @Test func `there are ten event parameters and twelve dynamic ones`() {
    #expect(EventParameterID.allCases.count == 10)
    #expect(DynamicParameterID.allCases.count == 12)
  }

  @Test(arguments: EventParameterID.allCases)
  func `every default lies in its range`(id: EventParameterID) {
    for kind in HapticEvent.Kind.allCases {
      #expect(id.range.contains(EventDefaults.apple.value(of: id, for: kind)))
    }
  }

  @Test(arguments: DynamicParameterID.allCases)
  func `the neutral value changes nothing and results stay in range`(id: DynamicParameterID) {
    let event = id.target.range
    for step in 0...20 {
      let portion = Double(step) / 20
      let value = event.lowerBound + portion * (event.upperBound - event.lowerBound)
      #expect(id.apply(id.neutral, to: value) == value)
      for dynamic in [id.range.lowerBound, -0.3, 0, 0.4, id.range.upperBound] {
        let result = id.apply(dynamic, to: value)
        let joined = id.combination == .multiply ? value * dynamic : value + dynamic
        #expect(event.contains(result))
        #expect(!event.contains(joined) || result == joined)
      }
    }
  }

  @Test(arguments: DynamicParameterID.allCases)
  func `names tell domain and combination`(id: DynamicParameterID) {
    #expect(id.rawValue.hasPrefix("Audio") == (id.domain == .audio))
    let multiplies = ["HapticIntensityControl", "AudioVolumeControl"].contains(id.rawValue)
    #expect((id.combination == .multiply) == multiplies)
    #expect(id.range == (multiplies ? 0...1 : -1...1))
    let name = id.rawValue.replacing("Control", with: "")
    #expect(name == id.target.rawValue || name.hasSuffix(id.target.rawValue))
  }

  @Test func `defaults depend on the type of the event`() {
    let tap = HapticEvent(kind: .hapticTransient, time: 0).resolved()
    let buzz = HapticEvent(kind: .hapticContinuous, time: 0, duration: 1).resolved()
    #expect(tap.intensity == 0.75 && tap.sharpness == 0.5)
    #expect(buzz.intensity == 0.6 && buzz.sharpness == 0.422601)
    #expect(
      tap.isSustained && buzz.isSustained && buzz.audioVolume == 1 && buzz.audioBrightness == 1)
  }

  @Test func `written values and other defaults go before Apple's`() {
    var defaults = EventDefaults.apple
    defaults.transient.sharpness = 0.25
    let event = HapticEvent(
      kind: .hapticTransient, time: 0, parameters: EventParameters(intensity: 0, sharpness: nil))
    #expect(event.resolved(defaults: defaults).intensity == 0)
    #expect(event.resolved(defaults: defaults).sharpness == 0.25)
  }

  @Test(arguments: EventParameterID.allCases)
  func `the subscript reaches the parameter of the name`(id: EventParameterID) {
    var parameters = EventParameters()
    #expect(parameters.isEmpty)
    parameters[id] = 0.5
    for other in EventParameterID.allCases {
      #expect(parameters[other] == (other == id ? 0.5 : nil))
    }
  }

  @Test func `a pattern ends with its latest event or parameter`() {
    var pattern = HapticPattern()
    #expect(pattern.duration == 0)
    pattern.events = [
      HapticEvent(kind: .hapticContinuous, time: 0.5, duration: 4),
      HapticEvent(kind: .hapticTransient, time: 1),
    ]
    #expect(pattern.duration == 4.5)
    pattern.parameters = [DynamicParameter(id: .hapticIntensity, time: 6, value: 1)]
    #expect(pattern.duration == 6)
    let point = ParameterCurve.Point(time: 9, value: 1)
    pattern.curves = [ParameterCurve(id: .hapticIntensity, time: 0, points: [point])]
    #expect(pattern.duration == 6)
  }

  @Test func `sorting by time keeps the order of the file at one time`() {
    let times = [0.5, 0, 0.5, 0.25, 0]
    let pattern = HapticPattern(
      events: times.enumerated().map {
        HapticEvent(kind: .hapticTransient, time: $0.element, order: $0.offset)
      })
    #expect(pattern.eventsByTime.map(\.order) == [1, 4, 3, 0, 2])
    #expect(pattern.events.map(\.order) == [0, 1, 2, 3, 4])
  }

  @Test func `where an event stands does not count in comparisons`() {
    let place = SourceMark(JSONPosition(offset: 5, line: 1, column: 6))
    let event = HapticEvent(kind: .hapticTransient, time: 0)
    var moved = event
    moved.source = place
    #expect(event == moved)
    #expect(Set([event, moved]).count == 1)
  }

  // Apple's Jump has a first point equal to its curve's time, and is relative all the same.
  @Test func `a curve that ends with its pattern does not look absolute`() {
    let points = [
      ParameterCurve.Point(time: 0.07, value: 1), ParameterCurve.Point(time: 0.37, value: 0),
    ]
    let curve = ParameterCurve(id: .hapticIntensity, time: 0.07, points: points)
    #expect(!curve.looksAbsolute(patternEnd: 0.44))
    #expect(curve.looksAbsolute(patternEnd: 0.37))
    #expect(curve.rebased().points.map(\.time) == [0, 0.37 - 0.07])
  }

  @Test func `only curves that look absolute are counted anew`() {
    let event = HapticEvent(kind: .hapticContinuous, time: 0, duration: 1)
    let late = [ParameterCurve.Point(time: 0.5, value: 1), ParameterCurve.Point(time: 1, value: 0)]
    let pattern = HapticPattern(
      events: [event],
      curves: [
        ParameterCurve(id: .hapticIntensity, time: 0.5, points: late),
        ParameterCurve(id: .hapticIntensity, time: 0, points: late),
      ])
    let rebased = pattern.rebasingAbsoluteCurves()
    #expect(rebased.curves.map(\.end) == [1, 1])
    #expect(rebased.curves[1] == pattern.curves[1])
  }
}
