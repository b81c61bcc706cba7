import Acceptance
import Devices
import HapticRendering

/// What the drive could not express of the pattern, apart from what the response then did.
struct QuantisationMeasurer: TakeMeasurer {
  let source: CapturedTake

  func readings() -> [Reading] {
    guard let loss = expressed?.loss, hasHaptics else { return [] }
    var list = ReadingList(source)
    if loss.sampleCount > 0 {
      list.add(.quantisationLevel, loss.level, count: loss.sampleCount)
      list.add(.quantisationFrequency, loss.frequency, count: loss.sampleCount)
    } else {
      let reason = "nothing that the pattern asks for is driven"
      list.addMissing(.quantisationLevel, because: reason)
      list.addMissing(.quantisationFrequency, because: reason)
    }
    list.add(.quantisationSilenced, loss.silenced)
    list.add(.quantisationProlonged, loss.prolonged)
    list.add(.quantisationDelay, loss.delay)
    return list.readings
  }
}
