import Acceptance
import Devices
import SoundFiles
import Units

extension PlanRun {
  /// Keeps a take's recordings and measures it; a take that a fault cut short is kept, not measured.
  func measure(_ played: PlayedTake) throws -> MeasuredTake {
    let (take, recording) = (played.take, played.recording)
    let (pattern, name, number) = (played.pattern, played.name, played.number)
    let roles = builder.rig.drive.channels.sorted { $0.value < $1.value }.map(\.key)
    let drive = roles.map { role in
      (
        RunRecord.FileChannel(name: role.rawValue, unit: .one),
        take.channels[role]
      )
    }
    let response = recording.channels.map {
      (
        RunRecord.FileChannel(name: $0.description.name, unit: $0.description.unit),
        Optional($0.samples)
      )
    }
    var account = RunRecord.Take(
      number: number, drive: nil, driveChannels: drive.map(\.0), response: nil,
      responseChannels: response.map(\.0), patternFrame: take.layout.pattern, rejected: [],
      stream: recording.statistics, place: played.place,
      opening: played.opening,
      markers: take.channels[.reference] == nil
        ? nil : [take.layout.startMarker, take.layout.endMarker],
      device: RunAccount.device(recording))
    if folder != nil {
      let stem = "\(stems[pattern])-\(number)"
      account.drive = "\(stem)-drive.wav"
      try write(
        drive.map(\.1), count: take.layout.frameCount, to: "\(stem)-drive.wav", rate: take.rate)
      if recording.frameCount > 0 {
        account.response = "\(stem)-response.wav"
        try write(
          response.map(\.1), count: recording.frameCount, to: "\(stem)-response.wav",
          rate: recording.rate)
      }
    }
    guard recording.fault == nil else {
      return MeasuredTake(pattern: pattern, account: account, readings: [], figure: nil)
    }
    let result = analysis.measure(take, recording, pattern: name, number: number)
    account.rejected = result.rejected
    return MeasuredTake(
      pattern: pattern, account: account, readings: result.readings, figure: result.figure,
      actuator: result.actuator)
  }

  /// Writes channels side by side; one that there is not is silent.
  private func write(
    _ channels: [Samples?], count: Int, to file: String, rate: SampleRate
  ) throws {
    guard let folder else { return }
    var writer = try SoundFileWriter(
      path: folder + "/" + file, channels: channels.count, rate: rate)
    let stretch = 16_384
    for first in stride(from: 0, to: count, by: stretch) {
      let frames = first..<min(count, first + stretch)
      var block = [Float](repeating: 0, count: frames.count * channels.count)
      for (place, channel) in channels.enumerated() {
        for (index, sample) in (channel?[frames] ?? []).enumerated() {
          block[index * channels.count + place] = sample
        }
      }
      try writer.write(block)
    }
    try writer.close()
  }

  /// Patterns' names as parts of files' names, no two alike.
  public static func fileStems(_ names: [String]) -> [String] {
    UniqueNames.number(names.map(fileStem))
  }

  /// A pattern's name as a part of a file's: letters, digits, dots, dashes; anything else a dash.
  private static func fileStem(_ name: String) -> String {
    String(
      name.map { character in
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
          ? character : "-"
      }.drop { $0 == "." })
  }
}
