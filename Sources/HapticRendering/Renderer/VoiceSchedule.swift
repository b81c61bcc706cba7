/// Which events of a timeline sound when more are in force than there are voices.
///
/// Events are admitted in the order of time; one that begins while the limit is reached is left out.
struct VoiceSchedule {
  let events: [TimelineEvent]
  let droppedCount: Int

  init(timeline: Timeline, limit: Int) {
    var ends: [Double] = []
    var admitted: [TimelineEvent] = []
    var dropped = 0
    for event in timeline.events where event.envelope.end > 0 {
      ends.removeAll { $0 <= event.start }
      guard ends.count < limit else {
        dropped += 1
        continue
      }
      ends.append(event.end)
      admitted.append(event)
    }
    events = admitted
    droppedCount = dropped
  }
}
