import Acceptance
import Devices
import HapticRendering

extension TakeMeasurement {
  /// What the drive could not express of the pattern, apart from what the response then did.
  mutating func addQuantisation() {
    guard let loss = expressed?.loss,
      take.intent.timeline.events.contains(where: \.kind.isHaptic)
    else { return }
    if loss.sampleCount > 0 {
      add(.quantisationLevel, loss.level, count: loss.sampleCount)
      add(.quantisationFrequency, loss.frequency, count: loss.sampleCount)
    } else {
      let reason = "nothing that the pattern asks for is driven"
      addMissing(.quantisationLevel, because: reason)
      addMissing(.quantisationFrequency, because: reason)
    }
    add(.quantisationSilenced, loss.silenced)
    add(.quantisationProlonged, loss.prolonged)
    add(.quantisationDelay, loss.delay)
  }
}
