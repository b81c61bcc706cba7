import Testing

@testable import Reporting

@Suite struct ConciseNumberTests {
  @Test(arguments: [
    (8.2966, 0.0016, "8.297(2)"), (15.111, 0.035, "15.11(4)"), (-1.0943, 0.0038, "-1.094(4)"),
    (0.2134, 0.2, "0.2(2)"), (0.21, 0.96, "0(1)"), (153.4, 20, "153(20)"), (12.3, 1.4, "12(1)"),
    (8.2966123, 0.0000047, "8.2966(1)"), (1, 0.095, "1.0(1)"), (1, 0.149, "1.0(1)"),
  ])
  func `the last digit carries the uncertainty`(value: Double, spread: Double, text: String) {
    #expect(ConciseNumber.text(value, uncertainty: spread) == text)
  }

  @Test(arguments: [nil, 0, -1, .nan] as [Double?])
  func `without an uncertainty there are four digits`(spread: Double?) {
    #expect(ConciseNumber.text(0.004059, uncertainty: spread, scale: 1e3) == "4.059")
  }

  @Test func `value and uncertainty are scaled alike`() {
    #expect(ConciseNumber.text(0.0004059, uncertainty: 0.0000027, scale: 1e3) == "0.406(3)")
  }
}
