import Glibc

/// What a process knows of a card, beside the memory that both sides share.
struct CardState: Sendable {
  /// One side that is open in this process.
  struct LocalSide: Sendable {
    let timer: WakeTimer
    /// True while the timer waits for a moment, false while it is left readable.
    var isWaiting = false
    /// How long it waits when nothing is known of when to wake, in nanoseconds.
    var patience = shortest
    /// Where the stream was when `patience` was last set.
    var seen = -1
    /// The stream position that was last reported.
    var reported = 0

    /// Short beside the time that a period takes on a virtual clock.
    static let shortest: Int64 = 50_000
    static let longest: Int64 = 5_000_000
  }

  let name: String
  let setup: CardSetup
  var physics: CardPhysics?
  var playback: LocalSide?
  var capture: LocalSide?

  /// How often a side was looked at while virtual time stands at a break.
  var looksAtBreak = 0

  private var file: StateFile?
  /// The card's time when this process had it last.
  private var savedFrame = 0
  private var savedFaults = 0
  private var savedPlug: Int32 = 0

  init(name: String, setup: CardSetup) {
    self.name = name
    self.setup = setup
  }

  var memory: UnsafeMutablePointer<CardMemory>? { file?.memory }
  var ring: UnsafeMutablePointer<Float>? { file?.ring }

  subscript(side: CardDirection) -> LocalSide? {
    get { side == .playback ? playback : capture }
    set { if side == .playback { playback = newValue } else { capture = newValue } }
  }

  /// Takes a side, and maps the state file where this is the first one here.
  mutating func attach(_ side: CardDirection) throws(CardError) {
    guard self[side] == nil else {
      throw CardError(
        EBUSY,
        "the card's \(side) is open in this program already: close it first, or give this one its "
          + "own 'state'")
    }
    let timer = try WakeTimer()
    do throws(CardError) {
      if let file {
        try file.take(side)
      } else {
        let (file, isFresh) = try StateFile.attach(
          name: name, channels: setup.driveChannels, fingerprint: setup.fingerprint, taking: side)
        self.file = file
        if isFresh { resumeTime(file.memory) }
      }
    } catch {
      timer.remove()
      throw error
    }
    self[side] = LocalSide(timer: timer)
  }

  /// Shows the other processes that a side is taken.
  mutating func enter(_ side: CardDirection) throws(CardError) {
    guard let memory else { return }
    forgetTheDead(side.other)
    memory.pointee[side].phase = .opened
    memory.pointee[side].process = getpid()
    memory.pointee[side].seen = 1
    if memory.pointee.isUnplugged {
      throw CardError(
        ENODEV,
        "the virtual card was unplugged by its script of faults: take the fault out of the rig "
          + "file, or start the program anew")
    }
    if side == .capture, physics == nil {
      physics = try CardPhysics(setup, frame: memory.pointee.frame)
    }
  }

  private func resumeTime(_ memory: UnsafeMutablePointer<CardMemory>) {
    memory.pointee.frame = savedFrame
    memory.pointee.faultsPassed = savedFaults
    memory.pointee.unplugged = savedPlug
  }

  /// Lets go of a side.
  mutating func release(_ side: CardDirection) {
    guard let memory, let local = self[side] else { return }
    if side == .capture { physics?.end() }
    if side == .playback { memory.pointee.head = memory.pointee.keptHead }
    memory.pointee[side].phase = .closed
    savedFrame = memory.pointee.frame
    savedFaults = memory.pointee.faultsPassed
    savedPlug = memory.pointee.unplugged
    local.timer.remove()
    self[side] = nil
    file?.release(side)
    wakeReady()
  }

  /// Unmaps the state file once neither side is open here.
  mutating func detachIfUnused() {
    guard playback == nil, capture == nil else { return }
    file?.detach()
    file = nil
  }

  /// Closes a side whose process died: its lock is gone.
  func forgetTheDead(_ side: CardDirection) {
    guard let memory, let file, self[side] == nil, memory.pointee[side].phase != .closed,
      !file.isTakenElsewhere(side)
    else { return }
    if side == .playback { memory.pointee.head = memory.pointee.keptHead }
    memory.pointee[side].phase = .closed
  }

  /// Makes the ring as long as a playback buffer needs it; false where memory has run out.
  func makeRing(buffer: Int) -> Bool {
    guard let memory, let file else { return false }
    var frames = 4096
    while frames < 4 * buffer { frames *= 2 }
    frames = min(frames, StateFile.mostFrames(channels: setup.driveChannels))
    guard frames > memory.pointee.ringFrames else { return true }
    guard file.allocate(frames: frames) else { return false }
    // Positions mean other places now: what a stream before this one left is dropped.
    memory.pointee.tail = memory.pointee.head
    memory.pointee.ringFrames = frames
    return true
  }
}

extension CardMemory {
  /// Where the drive ends when the playback goes away: what was drained is still played.
  var keptHead: Int {
    switch playback.phase {
    case .idle, .closed: head
    case .prepared, .opened: max(tail, min(head, playback.start))
    case .draining, .running, .xrun: tail
    }
  }
}
