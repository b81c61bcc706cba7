import Testing

@testable import ChangeDetection

struct ReferenceTests {
  @Test(arguments: ReferenceSeries.all)
  func `change points and their chances are those of an independent implementation`(
    _ reference: ReferenceSeries.Case
  ) {
    let points = ChangeDetector().changePoints(in: series(reference.values))
      .filter { $0.state != .weak }
    #expect(points.map(\.index) == reference.points.map(\.index))
    for (point, expected) in zip(points, reference.points) {
      #expect(
        abs(point.significance - expected.chance) < 1e-4 * expected.chance,
        "\(point.significance) instead of \(expected.chance)")
    }
  }

  @Test(arguments: ReferenceSeries.all)
  func `the noise is that of an independent implementation`(
    _ reference: ReferenceSeries.Case
  ) throws {
    let examination = try #require(
      Examination(
        series(reference.values).nights, settings: DetectorSettings(), minimum: MinimumEffect()))
    let noise = examination.segmentation.noise
    #expect(abs(noise.correlation - reference.correlation) < 1e-9)
    #expect(abs(noise.innovation - reference.innovation) < 1e-9)
  }
}
