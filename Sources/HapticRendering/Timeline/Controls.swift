/// The dynamic parameters of a pattern, each over the whole of it.
public struct Controls: Sendable, Equatable {
  /// Multiplies the intensity of haptic events.
  public var intensity: ControlTrack
  /// Adds to the sharpness of haptic events.
  public var sharpness: ControlTrack
  /// Multiplies the volume of sounds.
  public var volume: ControlTrack
  /// Adds to the pan of sounds.
  public var pan: ControlTrack
  /// Adds to the pitch of sounds.
  public var pitch: ControlTrack
  /// Adds to the brightness of sounds.
  public var brightness: ControlTrack

  /// Makes controls; neutral throughout unless given.
  public init(
    intensity: ControlTrack = .unity, sharpness: ControlTrack = .zero,
    volume: ControlTrack = .unity, pan: ControlTrack = .zero, pitch: ControlTrack = .zero,
    brightness: ControlTrack = .zero
  ) {
    self.intensity = intensity
    self.sharpness = sharpness
    self.volume = volume
    self.pan = pan
    self.pitch = pitch
    self.brightness = brightness
  }
}

extension ControlTrack {
  /// 1 throughout: neutral for what multiplies.
  public static var unity: ControlTrack { ControlTrack(neutral: 1, range: 0...1, sources: []) }
  /// 0 throughout: neutral for what adds.
  public static var zero: ControlTrack { ControlTrack(neutral: 0, range: -1...1, sources: []) }
}
