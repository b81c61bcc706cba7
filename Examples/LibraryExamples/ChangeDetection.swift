// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import Units

func changeDetection() {
  // Twenty nights around 5 ms, then ten around 6 ms.
  let key = SeriesKey(rig: "bench", actuator: "lra-1", pattern: "tap", reading: "latency")
  let nights = (0..<30).map { night in
    let wander = Double(night * 7 % 5 - 2) * 2e-5
    return Night(day: 20_000 + night, value: (night < 20 ? 5e-3 : 6e-3) + wander)
  }
  let series = NightlySeries(key: key, unit: .second, nights: nights)

  for change in ChangeDetector().changePoints(in: series) {
    let day = CalendarDay(number: change.day)
    print("\(day): from \(rounded(change.before)) to \(rounded(change.after)) ms")
  }
}

private func rounded(_ seconds: Double) -> Double { (seconds * 1e5).rounded() / 100 }
