import CSndFile

/// How samples are stored in a file that is written.
public enum SoundFileFormat: Sendable, Hashable, CaseIterable {
  /// WAV, 32-bit floating point: keeps every sample as it is.
  case wavFloat
  /// WAV, 16-bit integers; beyond -1...1 clipped.
  case wav16
  /// WAV, 24-bit integers; beyond -1...1 clipped.
  case wav24
  /// FLAC, 16-bit integers, compressed without loss; beyond -1...1 clipped.
  case flac16
  /// FLAC, 24-bit integers, compressed without loss; beyond -1...1 clipped.
  case flac24
  /// MATLAB 4, 32-bit floating point: `wavedata` with a row for each channel, and `samplerate`.
  ///
  /// Its header holds no date, as that of later MATLAB files does.
  case matlab

  /// The bytes of one sample before compression.
  var bytesPerSample: Int {
    switch self {
    case .wavFloat, .matlab: 4
    case .wav16, .flac16: 2
    case .wav24, .flac24: 3
    }
  }

  /// The most channels that the container holds.
  public var maximumChannels: Int {
    switch self {
    case .wavFloat, .wav16, .wav24, .matlab: 1_024
    case .flac16, .flac24: 8
    }
  }

  /// Whether the sizes in the header are 32-bit numbers.
  var isWAV: Bool { self == .wavFloat || self == .wav16 || self == .wav24 }

  var code: Int32 {
    switch self {
    case .wavFloat: Int32(SF_FORMAT_WAV | SF_FORMAT_FLOAT)
    case .wav16: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_16)
    case .wav24: Int32(SF_FORMAT_WAV | SF_FORMAT_PCM_24)
    case .flac16: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_16)
    case .flac24: Int32(SF_FORMAT_FLAC | SF_FORMAT_PCM_24)
    case .matlab: Int32(SF_FORMAT_MAT4 | SF_FORMAT_FLOAT)
    }
  }
}
