import Reporting
import Testing

@Suite struct RemainingTimeTests {
  @Test(arguments: [
    (10.0, 0.5, "10 s left"), (10, 0.9, "2 s left"), (100, 0.5, "1 min 40 s left"),
    (1000, 0.5, "16 min left"), (36_000, 0.5, "10 h 0 min left"), (2, 0.01, "3 min 18 s left"),
  ])
  func `the rest takes as long as the part did`(elapsed: Double, share: Double, text: String) {
    #expect(RemainingTime.text(elapsed: elapsed, share: share) == text)
  }

  @Test(arguments: [(1.9, 0.5), (100, 0.009), (100, 1), (100, .nan)])
  func `what cannot be told is not told`(elapsed: Double, share: Double) {
    #expect(RemainingTime.text(elapsed: elapsed, share: share) == nil)
  }
}
