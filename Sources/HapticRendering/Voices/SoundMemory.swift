public import Units

/// The decoded sound files of a pattern by their paths as written, at the rate of rendering.
public struct SoundBank: Sendable, Equatable {
  /// One or two channels of one length; the first two of more are used.
  public private(set) var sounds: [String: [Signal]] = [:]

  /// Makes an empty bank.
  public init() {}

  /// Adds a decoded file, all of whose channels have one rate and length.
  public mutating func add(_ channels: [Signal], path: String) {
    precondition(!channels.isEmpty, "a sound needs a channel")
    precondition(
      channels.allSatisfy { $0.samples.count == channels[0].samples.count },
      "the channels of '\(path)' must have one length")
    sounds[path] = Array(channels.prefix(2))
  }

  /// The length of a sound in seconds.
  public func duration(of path: String) -> Double? { sounds[path]?.first?.duration }
}

/// Where a sound file's channels lie in memory.
struct SoundMemory {
  /// The left channel's first sample; two frames of silence stand before and after each channel.
  let left: UnsafePointer<Float>
  /// The right channel's first sample; equal to `left` for a mono file.
  let right: UnsafePointer<Float>
  let frameCount: Int

  /// Copies sounds of a bank into new memory, which the caller gives back; it is never without room.
  ///
  /// Paths that the bank does not have are left out.
  static func place(
    _ paths: [String], of bank: SoundBank, rate: SampleRate
  ) -> (memory: UnsafeMutablePointer<Float>, files: [String: SoundMemory]) {
    let used = Set(paths).sorted().compactMap { path in bank.sounds[path].map { (path, $0) } }
    // Two frames of silence around each channel keep the cubic inside the memory.
    let size = used.reduce(1) { $0 + $1.1.reduce(0) { $0 + $1.samples.count + 4 } }
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: size)
    memory.initialize(repeating: 0, count: size)
    var files: [String: SoundMemory] = [:]
    var place = 0
    for (path, channels) in used {
      precondition(
        channels.allSatisfy { $0.rate == rate },
        "the sound '\(path)' must be at the rate of rendering, \(rate)")
      var pointers: [UnsafePointer<Float>] = []
      for channel in channels {
        let first = memory + place + 2
        for (index, sample) in channel.samples.enumerated() { first[index] = sample }
        pointers.append(UnsafePointer(first))
        place += channel.samples.count + 4
      }
      files[path] = SoundMemory(
        left: pointers[0], right: pointers[pointers.count - 1],
        frameCount: channels[0].samples.count)
    }
    return (memory, files)
  }
}
