/// One PCM of ALSA as a rig file asks for it, for one direction.
public struct ALSADescription: Sendable, Equatable {
  /// How frames cross to the card.
  public enum Access: String, Sendable, Hashable, CaseIterable {
    /// Shared memory where the card offers it, calls where not.
    case automatic = "auto"
    case mmap
    case rw
  }

  /// Whether drive and capture are started by one act of the kernel.
  public enum Link: String, Sendable, Hashable, CaseIterable {
    /// Where the cards can.
    case automatic = "auto"
    /// Never: each side is started by itself.
    case never
  }

  /// The name of the simulated card.
  public static let virtualCardName = "virtual-card"

  /// ALSA's name of the PCM, such as `hw:CARD=Controller,DEV=0`, or `virtual-card`.
  public var pcm: String
  /// The serial number of the USB card that stands in the place of the one in `pcm`; `nil` for that itself.
  public var serial: String?
  /// The only sample format to be used; `nil` takes the widest that is offered.
  public var format: SampleFormat?
  /// How frames cross to the card.
  public var access: Access
  /// The frames of a period that must be had exactly; `nil` takes the nearest to the drive's.
  public var periodFrames: Int?
  /// The frames of the card's buffer, of which the nearest is taken; `nil` for four periods.
  public var bufferFrames: Int?
  /// Whether ALSA may convert rate, format or channels on the way, which changes what is measured.
  public var isResamplingAllowed: Bool
  /// Whether drive and capture are started by one act; the drive's word counts.
  public var link: Link
  /// What the virtual card simulates; `nil` for every other PCM.
  public var virtualCard: SimulationDescription?
  /// The rig file that the virtual card reads, as it was named.
  public var rigFile: String

  /// Makes a description.
  public init(
    pcm: String, serial: String? = nil, format: SampleFormat? = nil, access: Access = .automatic,
    periodFrames: Int? = nil, bufferFrames: Int? = nil, isResamplingAllowed: Bool = false,
    link: Link = .automatic, virtualCard: SimulationDescription? = nil, rigFile: String = ""
  ) {
    self.pcm = pcm
    self.serial = serial
    self.format = format
    self.access = access
    self.periodFrames = periodFrames
    self.bufferFrames = bufferFrames
    self.isResamplingAllowed = isResamplingAllowed
    self.link = link
    self.virtualCard = virtualCard
    self.rigFile = rigFile
  }

  /// Whether the devices wait for the frames, so that nothing depends on the host's time.
  public var isLockStep: Bool { virtualCard?.clock == .virtual }
}
