extension HapticEvent {
  /// The event as pieces of at most 30 s that follow each other; the event itself if it is not longer.
  ///
  /// Only the first piece keeps the attack and only the last the release: where two meet, the one's
  /// shortest fall crosses the other's shortest rise. An event that is not sustained is over by its
  /// decay, so its duration is just limited. So is that of one longer than ``AppleExport/longestSplit``,
  /// or so late that no time lies between its pieces.
  func pieces(_ log: inout ExportLog) -> [HapticEvent] {
    let longest = Self.longestDuration
    guard kind.isContinuous, let duration, duration > longest else { return [self] }
    var limited = self
    limited.duration = longest
    guard resolved().isSustained else {
      log.limitedEvents += 1
      return [limited]
    }
    guard duration <= AppleExport.longestSplit else {
      log.tooLongEvents += 1
      return [limited]
    }
    guard time + longest - time > longest / 2 else {
      log.tooLateEvents += 1
      return [limited]
    }
    let count = Int((duration / longest).rounded(.up))
    log.splitDomains.insert(kind.domain)
    log.splitEvents += 1
    log.pieces += count
    return (0..<count).map { index in
      let start = duration * Double(index) / Double(count)
      let end = duration * Double(index + 1) / Double(count)
      var piece = self
      piece.time = time + start
      piece.duration = min(end - start, longest)
      if index > 0, parameters.attackTime != nil { piece.parameters.attackTime = 0 }
      if index < count - 1, parameters.releaseTime != nil { piece.parameters.releaseTime = 0 }
      return piece
    }
  }
}
