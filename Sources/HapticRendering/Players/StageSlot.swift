private import Glibc
import Units

/// A player on a stage.
struct StageSlot {
  let program: ProgramView
  var transport: PlayerTransport
  /// The play that has come to its end, for what rings out; stopped where there is none.
  var ended: PlayerTransport
  /// Whether its owner has let it go: it ends what it plays, and a loop at its turn.
  var isReleased = false
  /// How much waits to be done.
  var pendingCount = 0
  /// How many events of it are felt or heard.
  var voiceCount = 0
  /// The next event to begin.
  var nextEvent = 0
  /// When the play last entered, and the rank of what made it: the newness of its own curves.
  var enteredTime = 0.0
  var enteredOrder = 0
  /// What muting leaves at the stage's frame, 0...1.
  var gain: Float = 1

  @_noAllocation @_noLocks
  init(program: ProgramView) {
    self.program = program
    transport = PlayerTransport(length: program.length)
    ended = transport
  }

  /// What the pattern's own curves go by.
  var course: PlayerTransport {
    @_noAllocation @_noLocks get {
      !transport.isPlaying && voiceCount > 0 ? ended : transport
    }
  }

  /// What muting leads to.
  var wantedGain: Float {
    @_noAllocation @_noLocks get { transport.isMuted ? 0 : 1 }
  }

  /// Whether nothing of it is left to come.
  var isIdle: Bool {
    @_noAllocation @_noLocks get {
      !transport.isPlaying && pendingCount == 0 && voiceCount == 0
    }
  }
}

/// The times of a configuration as a stage counts them, in frames.
struct StageTimes {
  /// The length of a cut.
  let cutFrames: Double
  private let shortest: Float
  private let octaves: Float

  init(_ configuration: RenderConfiguration, cut: Double) {
    let (rate, law) = (configuration.rate.hertz, configuration.envelopeLaw)
    cutFrames = max(1, cut * rate)
    shortest = Float(law.shortest * rate)
    octaves = Float(log2(law.longest / law.shortest))
  }

  /// The frames of an attack, decay or release: its value moved by its control, held to 0...1.
  @_noAllocation @_noLocks
  func frames(_ value: Float, control: Double) -> Double {
    let moved = value + Float(control)
    let held = moved > 0 ? (moved < 1 ? moved : 1) : 0
    return Double(shortest * powerOfTwo(octaves * held))
  }
}
