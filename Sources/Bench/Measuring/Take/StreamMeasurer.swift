import Acceptance
import Devices
import HapticRendering
import Profiles

/// What the devices themselves told: losses, clipping, limiting.
struct StreamMeasurer: TakeMeasurer {
  let source: CapturedTake

  func readings() -> [Reading] {
    var list = ReadingList(source)
    list.add(.dropouts, stretches([.drop]), count: recording.frameCount)
    list.add(.xruns, stretches([.underrun, .overrun]), count: recording.frameCount)
    list.add(.overloads, stretches([.overload]), count: recording.frameCount)
    list.add(.driveLimited, Double(take.limited.total), count: take.layout.frameCount)
    list.add(.mixingLimited, Double(take.mixingLimited), count: take.layout.frameCount)
    if let held = take.profileLimited {
      list.add(.profileLimited, Double(held), count: take.layout.frameCount)
    }
    list.add(
      .voicesDropped, Double(take.droppedEvents.count), count: take.intent.timeline.events.count)
    return list.readings
  }

  private func stretches(_ kinds: Set<StreamEvent.Kind>) -> Double {
    Double(recording.moments(of: kinds).count)
  }
}
