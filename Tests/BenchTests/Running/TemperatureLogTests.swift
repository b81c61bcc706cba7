// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
import Testing

@testable import Bench

struct TemperatureLogTests {
  @Test func `a take has the readings around it, and none of a thermometer that fell silent`()
    throws
  {
    let log = try TemperatureLog(every: 3600, uncertainty: 0.5) { () throws(ThermometerFault) in
      21.25
    }
    let now = MonotonicClock.seconds
    let near = log.during(now...(now + 1))
    #expect(near.celsius == [21.25] && near.uncertainty == 0.5 && near.fault == nil)
    let late = log.during((now + 10_000)...(now + 10_001))
    #expect(late.celsius.isEmpty && late.times.isEmpty)
    log.finish()
    #expect(log.during(now...(now + 1)).celsius == [21.25, 21.25])
  }

  @Test func `a reading that fails is a fault that is kept`() throws {
    let log = try TemperatureLog(every: 3600, uncertainty: nil) { () throws(ThermometerFault) in
      throw ThermometerFault("it is unplugged")
    }
    let now = MonotonicClock.seconds
    let take = log.during(now...(now + 1))
    #expect(take.celsius.isEmpty && take.fault == "it is unplugged")
  }
}
