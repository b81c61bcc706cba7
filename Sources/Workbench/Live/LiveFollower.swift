// SPDX-License-Identifier: Apache-2.0

import JSONText
import LiveRuns

/// One piece of work as it is followed: what it told so far, and its waves.
struct LiveFollower {
  private var reader: LiveReader
  /// The folder of all work.
  private let folder: String
  /// The newest lines, from the number `base` on.
  private var lines: [String] = []
  private var base = 0
  private var waves: LiveWaves?
  private(set) var start: LiveEvent.Start?
  private(set) var work: LiveEvent.Work?
  private(set) var progress: LiveEvent.Progress?
  private(set) var channels: [LiveEvent.Channel] = []
  /// When it was found to go on no more, in seconds.
  private(set) var ended: Double?

  /// Lines that are kept; who asks for older ones has them read again.
  private static let most = 40_000

  init?(_ id: String, in folder: String) {
    guard let reader = try? LiveReader(id: id, in: folder) else { return nil }
    self.reader = reader
    self.folder = folder
  }

  var state: String { reader.state.word }
  var isWorking: Bool { reader.state == .working }
  /// How many events it told.
  var count: Int { base + lines.count }

  /// Reads what is new.
  mutating func look(now: Double) {
    while let new = try? reader.next(), !new.isEmpty {
      for line in new { take(line) }
    }
    if !isWorking, ended == nil { ended = now }
    if lines.count > Self.most {
      let gone = lines.count - Self.most / 2
      lines.removeFirst(gone)
      base += gone
    }
  }

  private mutating func take(_ line: RawLine) {
    lines.append(Self.text(of: line))
    guard let kind = line.kind, ["start", "work", "progress", "channels"].contains(kind),
      let told = try? line.line()
    else { return }
    switch told.event {
    case .start(let event): start = event
    case .work(let event):
      work = event
      progress = nil
    case .progress(let event): progress = event
    case .channels(let event):
      channels = event.channels
      // Other channels have a file of their own.
      waves = nil
    default: break
    }
  }

  /// The lines from a number on, at most so many.
  func lines(from first: Int, limit: Int) -> [String] {
    guard first < base else {
      return first < count ? Array(lines[(first - base)...].prefix(limit)) : []
    }
    guard var older = try? LiveReader(id: reader.id, from: first, in: folder),
      let found = try? older.next()
    else { return [] }
    return found.prefix(limit).map(Self.text)
  }

  /// A line as it is handed on; what is no JSON would spoil what stands around it.
  private static func text(of line: RawLine) -> String {
    (try? JSONDocument(Array(line.text.utf8))) == nil ? "null" : line.text
  }

  /// Bins of a range of frames, of the newest seconds, or of all that is there.
  mutating func bins(
    _ range: Range<Int>?, seconds: Double?, columns: Int, channels wanted: [Int]?
  ) -> WaveBins? {
    if waves == nil { waves = try? LiveWaves(folder: folder + "/" + reader.id) }
    guard let waves else { return nil }
    let (count, rate) = (waves.frameCount, waves.layout.rate)
    let places = (wanted ?? Array(0..<waves.layout.channels)).filter {
      (0..<waves.layout.channels).contains($0)
    }
    let names = places.map { channels.indices.contains($0) ? channels[$0].name : "\($0)" }
    let units = places.map { channels.indices.contains($0) ? channels[$0].unit : "1" }
    var bins: WaveBins
    if let seconds {
      // One more than these may begin before the window.
      let columns = max(1, min(columns, WaveBins.mostColumns - 1))
      let width = max(1, Int((seconds * rate / Double(columns)).rounded(.up)))
      bins = WaveBins(
        rate: rate, newest: count, framesPerBin: width, columns: columns, names: names,
        units: units)
    } else {
      // What is still to come is not there.
      let end = min(range?.upperBound ?? count, count)
      let first = min(range?.lowerBound ?? 0, end)
      bins = WaveBins(rate: rate, range: first..<end, columns: columns, names: names, units: units)
    }
    let frames = bins.range
    guard bins.binCount > 0 else { return bins }
    let end = frames.lowerBound + bins.binCount * bins.framesPerBin
    for (index, place) in places.enumerated() {
      let pairs = waves.bins(
        channel: place, from: frames.lowerBound, to: end, columns: bins.binCount)
      bins.set(
        stride(from: 0, to: pairs.count, by: 2).map { pairs[$0] },
        stride(from: 1, to: pairs.count, by: 2).map { pairs[$0] }, channel: index)
    }
    return bins
  }
}
