// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Glibc
import Perception
import Testing
import Units

@testable import Bench

/// What a report draws of a take over each other: target and measured envelope, response and model.
struct TakeFigureTests {
  private static let whole = Result { try Measured() }

  private func panel(_ title: String) throws -> TakeFigure.Panel {
    try #require(Self.whole.get().result.figure.panels.first { $0.title == title })
  }

  private func trace(_ name: String, in panel: TakeFigure.Panel) throws -> TakeFigure.Trace {
    try #require(panel.traces.first { $0.name.hasPrefix(name) }, "\(panel.traces.map(\.name))")
  }

  @Test func `the panels stand from what was felt to what was sent`() throws {
    let titles = try Self.whole.get().result.figure.panels.map(\.title)
    #expect(titles.prefix(5) == ["Envelope", "Response", "Left over", "Intent", "Drive"])
  }

  @Test func `target and measured envelope have one unit, and the band is the noticeable one`()
    throws
  {
    let envelope = try panel("Envelope")
    #expect(envelope.unit == .metrePerSecondSquared)
    let target = try trace("target", in: envelope)
    let band = try trace("tolerance", in: envelope)
    #expect(band.name == "tolerance ±\(JustNoticeable.level.value) dB")
    let ratio = Float(pow(10, JustNoticeable.level.value / 20))
    let largest = target.highest.max() ?? 0
    #expect(largest > 0)
    for column in target.highest.indices where target.highest[column] > 0.1 * largest {
      // A column has the band of all its values, the target the one in its middle.
      #expect(band.highest[column] >= target.highest[column] * ratio * 0.999)
      #expect(band.lowest[column] <= target.highest[column] / ratio * 1.001)
    }
    // Where the target holds still, the band is exactly that far off.
    let still = try #require(
      target.highest.indices.dropFirst(3).dropLast(3).first { column in
        let near = target.highest[(column - 3)...(column + 3)]
        return (near.min() ?? 0) > 0.2 * largest
          && (near.max() ?? 0) < 1.001 * (near.min() ?? 0)
      })
    #expect(abs(band.highest[still] / target.highest[still] - ratio) < 0.01)
    #expect(abs(target.highest[still] / band.lowest[still] - ratio) < 0.01)
  }

  @Test func `without a profile the target is moved by the error that all events share`() throws {
    let result = try Self.whole.get().result
    let errors = result.readings.filter { $0.name == ReadingName(.intensityError) }
      .compactMap(\.value)
    let mean = errors.reduce(0, +) / Double(errors.count)
    let name = try trace("target", in: panel("Envelope")).name
    let size = EngineeringFormat.fixed(abs(mean), 1)
    #expect(name == "target, \(mean < 0 ? "lowered" : "raised") by \(size) dB")
  }

  @Test func `the measured envelope is the response's own size, noise taken off`() throws {
    let measured = try trace("measured", in: panel("Envelope"))
    let response = try trace("response", in: panel("Response"))
    let peak = response.highest.reduce(0) { max($0, abs($1)) }
    let top = measured.highest.max() ?? 0
    #expect(top <= 1.05 * peak)
    #expect(top > 0.5 * peak)
    // Before the pattern there is nothing but noise.
    #expect((measured.highest.first ?? 1) < 0.02 * peak)
  }

  @Test func `the model lies on the response and what is left over is small`() throws {
    let panels = (try panel("Response"), try panel("Left over"))
    let (response, model) = (try trace("response", in: panels.0), try trace("model", in: panels.0))
    let rest = try trace("rest", in: panels.1)
    #expect(model.highest.count == response.highest.count)
    let peak = response.highest.reduce(0) { max($0, abs($1)) }
    #expect(panels.1.leastReach > 0.1 * Double(peak))
    var (apart, left, count) = (Float(0), Float(0), Float(0))
    for column in model.highest.indices where model.highest[column].isFinite {
      let difference = model.highest[column] - response.highest[column]
      apart += difference * difference
      left += rest.highest[column] * rest.highest[column]
      count += 1
    }
    #expect(count > 0.5 * Float(model.highest.count))
    #expect((apart / count).squareRoot() < 0.1 * peak)
    #expect((left / count).squareRoot() < 0.05 * peak)
  }

  @Test func `a response that is not the model's stands in what is left over`() throws {
    let quiet = try trace("rest", in: panel("Left over"))
    var plant = SyntheticPlant()
    plant.noise *= 20
    let noisy = try #require(
      try Measured(plant).result.figure.panels.first { $0.title == "Left over" })
    func size(_ trace: TakeFigure.Trace) -> Float {
      let values = trace.highest.filter(\.isFinite)
      return (values.reduce(0) { $0 + $1 * $1 } / Float(values.count)).squareRoot()
    }
    #expect(try size(trace("rest", in: noisy)) > 8 * size(quiet))
  }
}
