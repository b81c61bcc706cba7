// SPDX-License-Identifier: Apache-2.0

import JSONText

/// What a `.haptic` file of version 1 holds: an amplitude and a frequency over time, and taps on it.
///
/// Lofelt's format, which Meta's tools write today. Lines join the points of both envelopes; after the
/// last point of the amplitude the clip is over.
public struct HapticClip: Sendable, Hashable {
  /// The version of the format.
  public struct Version: Sendable, Hashable {
    /// 1 for all that is read here.
    public var major: Int
    /// 0 unless a tool says otherwise.
    public var minor: Int
    /// 0 unless a tool says otherwise.
    public var patch: Int

    /// Creates a version.
    public init(major: Int = 1, minor: Int = 0, patch: Int = 0) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }
  }

  /// Notes that do not change what is played; empty where there are none.
  public struct Metadata: Sendable, Hashable {
    /// The program that wrote the clip.
    public var editor = ""
    /// Who made it.
    public var author = ""
    /// What it was made from, such as a sound file.
    public var source = ""
    /// What it belongs to.
    public var project = ""
    /// Words to find it by.
    public var tags: [String] = []
    /// What it is.
    public var description = ""

    /// Creates empty notes.
    public init() {}
  }

  /// A tap on top of the continuous signal.
  public struct Emphasis: Sendable, Hashable {
    /// The strength 0...1, at least that of the amplitude beneath.
    public var amplitude: Double
    /// The character 0...1, from dull to crisp.
    public var frequency: Double

    /// Creates an emphasis.
    public init(amplitude: Double, frequency: Double) {
      self.amplitude = amplitude
      self.frequency = frequency
    }
  }

  /// A point of the amplitude.
  public struct AmplitudePoint: Sendable, Hashable {
    /// The time in seconds from the start of the clip.
    public var time: Double
    /// The amplitude 0...1.
    public var amplitude: Double
    /// The tap at this time.
    public var emphasis: Emphasis?

    /// Creates a point.
    public init(time: Double, amplitude: Double, emphasis: Emphasis? = nil) {
      self.time = time
      self.amplitude = amplitude
      self.emphasis = emphasis
    }
  }

  /// A point of the frequency.
  public struct FrequencyPoint: Sendable, Hashable {
    /// The time in seconds from the start of the clip.
    public var time: Double
    /// The frequency 0...1, without a unit.
    public var frequency: Double

    /// Creates a point.
    public init(time: Double, frequency: Double) {
      self.time = time
      self.frequency = frequency
    }
  }

  /// The version of the format.
  public var version: Version
  /// Notes that do not change what is played.
  public var metadata: Metadata
  /// The amplitude by rising time, at least two points; two at one time are a jump.
  public var amplitude: [AmplitudePoint]
  /// The frequency by rising time within the amplitude's span; empty where it is not given.
  public var frequency: [FrequencyPoint]

  /// Creates a clip.
  public init(
    version: Version = Version(), metadata: Metadata = Metadata(), amplitude: [AmplitudePoint],
    frequency: [FrequencyPoint] = []
  ) {
    self.version = version
    self.metadata = metadata
    self.amplitude = amplitude
    self.frequency = frequency
  }
}

/// Notes carried from one format to the other by the keys that AHAP files use.
extension HapticClip.Metadata {
  /// The notes as the `Metadata` of a pattern; nil if there are none.
  var ahap: JSONValue? {
    let texts = [
      ("Project", project), ("Description", description), ("Author", author), ("Editor", editor),
      ("Source", source),
    ]
    var members = texts.filter { !$1.isEmpty }.map { JSONMember($0, .string($1)) }
    if !tags.isEmpty {
      members.append(JSONMember("Tags", .array(tags.map(JSONValue.string))))
    }
    return members.isEmpty ? nil : .object(members)
  }

  /// Takes the notes that a clip has a place for out of a pattern's `Metadata`.
  init(ahap: JSONValue?) {
    self.init()
    project = ahap?["Project"]?.string ?? ""
    description = ahap?["Description"]?.string ?? ""
    author = ahap?["Author"]?.string ?? ""
    editor = ahap?["Editor"]?.string ?? ""
    source = ahap?["Source"]?.string ?? ""
    tags = ahap?["Tags"]?.elements?.compactMap(\.string) ?? []
  }

  /// The keys of a pattern's `Metadata` that a clip has no place for.
  static func unknownKeys(in ahap: JSONValue?) -> [String] {
    let known: Set = ["Project", "Description", "Author", "Editor", "Source", "Tags"]
    return ahap?.members?.map(\.key).filter { !known.contains($0) } ?? []
  }
}
