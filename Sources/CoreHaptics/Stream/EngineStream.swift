// SPDX-License-Identifier: Apache-2.0

import Devices
import HapticRendering
import Synchronization
import Units

/// An engine that runs: open devices, the stage that feeds them, and who plays on it.
///
/// On the host's clock one thread renders (`haprig-haptics`) and one tells and records
/// (`haprig-scribe`); on a stepped clock `advance` does both in the caller's thread. An app's threads only
/// put commands into a queue.
final class EngineStream: Sendable {
  /// What the render thread works on; whoever renders holds it for as long as it does.
  private struct Body: ~Copyable {
    var render: RenderCore
    var devices: StreamDevices
    var tape: StreamTape
  }

  /// The time of the engine at the stream's frame 0.
  let origin: Double
  let rate: SampleRate
  /// Whether the devices keep their own time.
  private let isPaced: Bool
  private let bench: EngineBench
  private let handlers: HandlerQueue
  private let log: @Sendable (String) -> Void
  private let body: Guarded<Body>
  /// The host's clock at frame 0.
  private let hostStart: Double
  private let renderedFrames = Atomic<Int>(0)
  private let isSilent = Atomic<Bool>(true)
  private let isStopping = Atomic<Bool>(false)
  /// How far a stop lets the device play.
  private let stopFrame = Atomic<Int>(0)
  /// How far it does for the newest play that was started at once.
  private let sparedFrame = Atomic<Int>(0)
  private let hasRendered = Atomic<Bool>(false)
  private let watch: StreamWatch
  private let clock = ClockCell()
  private let sentFrames = Atomic<Int>(0)
  private let book: Guarded<PlayerBook>
  private let notices: Guarded<RealtimeQueue<StampedNotice>.Consumer>
  private let summary = Guarded(StartSummary())
  private let record: Guarded<StartRecord?>
  /// Called by the scribe after each look, and once when all is over.
  private let onNews: @Sendable (EngineStream) -> Void
  private let onEnd: @Sendable (EngineStream, DeviceError?) -> Void

  /// Opens the devices and starts them; nothing is driven yet.
  init(
    bench: EngineBench, stage: StageConfiguration, origin: Double, watch: StreamWatch = .init(),
    sound: consuming SoundLine = SoundLine(), handlers: HandlerQueue,
    log: @escaping @Sendable (String) -> Void,
    onNews: @escaping @Sendable (EngineStream) -> Void,
    onEnd: @escaping @Sendable (EngineStream, DeviceError?) -> Void
  ) throws {
    self.bench = bench
    self.watch = watch
    self.handlers = handlers
    self.log = log
    self.onNews = onNews
    self.onEnd = onEnd
    rate = bench.rig.drive.rate
    let devices = try StreamDevices(bench.rig, watch: watch, log: log)
    isPaced = devices.isPaced
    let channels = devices.channels
    let frames = bench.records == nil ? 1 : rate.wholeFrames(Self.tapeSeconds)
    let sent = RealtimeQueue<Float>(capacity: frames * bench.rig.drive.channelCount)
    let recorded = RealtimeQueue<Float>(capacity: frames * max(1, channels.count))
    if let folder = bench.records {
      record = Guarded(
        try StartRecord(
          bench, channels: channels, in: folder, sent: sent.consumer, recorded: recorded.consumer))
    } else {
      record = Guarded(nil)
    }
    let commands = RealtimeQueue<StreamCommand>(capacity: 8192)
    let told = RealtimeQueue<StampedNotice>(capacity: 65_536)
    book = Guarded(
      PlayerBook(
        limit: bench.playerLimit, keepsEvents: bench.records != nil, commands: commands.producer))
    notices = Guarded(told.consumer)
    body = Guarded(
      Body(
        render: RenderCore(
          stage: PlayerStage(stage), drive: bench.rig.drive, blockFrames: watch.blockFrames,
          commands: commands.consumer, notices: told.producer, sound: sound), devices: devices,
        tape: StreamTape(
          drive: sent.producer, response: recorded.producer, isKept: bench.records != nil)))
    // Opening takes its time: the clock begins when the first block can be rendered.
    hostStart = HostClock.now()
    self.origin = bench.clock == .host ? hostStart : origin
  }

  /// Starts the threads; a stepped clock needs none.
  func start() throws(DeviceError) {
    OpenStreams.add(self)
    guard bench.clock == .host else { return }
    EndSignals.listen()
    // A device without a clock is a simulation or a program: it is not to keep the app from its work.
    // Where a finger waits it is.
    let priority = isPaced || watch.slack == .touched ? 70 : nil
    do throws(DeviceError) {
      try RealtimeThread.detach(name: "haprig-haptics", priority: priority) {
        self.renderOnHostClock()
      }
      try RealtimeThread.detach(name: "haprig-scribe", priority: nil) { self.scribe() }
    } catch {
      isStopping.store(true, ordering: .releasing)
      OpenStreams.remove(self)
      throw error
    }
  }

  /// The time of the stream, in seconds.
  var time: Double {
    let rendered = rate.seconds(Double(renderedFrames.load(ordering: .acquiring)))
    return bench.clock == .stepped ? rendered : HostClock.now() - hostStart
  }

  /// Whether something plays or is going to, or still rings out.
  var isBusy: Bool { book.withLock { $0.isBusy } || !isSilent.load(ordering: .acquiring) }

  var latency: EngineLatency { summary.withLock { $0.latency } }

  /// How many frames the device lacked, once the stream has ended.
  var underrunFrames: Int { summary.withLock { $0.underrunFrames } }

  /// Asks something of a player, each action so many seconds after a time of the stream; 0 is as soon as
  /// possible.
  ///
  /// Throws `memoryError` where there is no room for it, `engineNotRunning` after a stop. Gives the rank of the
  /// first action, by which a notice tells that it was done.
  @discardableResult
  func ask(
    _ actions: [(action: PlayerAction, delay: Double)], of player: PlayerCore, at time: Double
  ) throws(CHHapticError) -> Int {
    try book.withLock { book throws(CHHapticError) in
      guard !isStopping.load(ordering: .acquiring) else {
        throw CHHapticError(
          .engineNotRunning, "the engine is being stopped: start it, then ask again")
      }
      let moment = now
      let slot = try seat(player, &book, at: moment)
      var first = 0
      for (action, delay) in actions {
        let order = book.nextOrder()
        if first == 0 { first = order }
        if action == .start {
          book.expect(
            PlayerBook.Start(slot: slot, asked: HostClock.now() - hostStart, time: time),
            order: order)
          if time == 0 { spare(at: moment) }
        }
        if action == .cancel { book.expectCancel(of: slot, order: order) }
        try book.push(
          .ask(action, slot: slot, time: time > 0 ? time : moment, delay: delay, order: order))
      }
      return first
    }
  }

  /// Where a player is seated; `nil` where it has no place.
  func slot(of player: PlayerCore) -> Int? { book.withLock { $0.slot(of: player) } }

  /// Notes a start, which a stop of the engine that comes right after it lets play for a moment.
  private func spare(at moment: Double) {
    let frame = max(rate.wholeFrames(moment), renderedFrames.load(ordering: .acquiring))
    sparedFrame.store(frame + rate.wholeFrames(bench.shortestPlay), ordering: .relaxed)
  }

  /// Changes a setting of a player that has a place on the stream; others bring theirs along.
  func set(_ action: PlayerAction, of player: PlayerCore) {
    book.withLock { book in
      guard let slot = book.slot(of: player) else { return }
      try? book.push(.ask(action, slot: slot, time: now, delay: 0, order: book.nextOrder()))
    }
  }

  /// Lets a player go: it plays to its end.
  func release(_ player: PlayerCore) {
    book.withLock { book in
      guard let slot = book.slot(of: player) else { return }
      try? book.push(.release(slot: slot))
    }
  }

  /// Asks something of the sound that is followed; throws where there is no room for it.
  func ask(_ request: SoundFollower.Request) throws(CHHapticError) {
    try book.withLock { book throws(CHHapticError) in try book.push(.sound(request)) }
  }

  func mute(haptics: Bool, audio: Bool) {
    book.withLock { book in
      try? book.push(.muteHaptics(haptics))
      try? book.push(.muteAudio(audio))
    }
  }

  /// The time of what is asked for now, in seconds of the stream: 0 for its next block.
  ///
  /// A device without a clock may lag behind the app, on a machine under load: what is asked then is done at
  /// the moment when it was asked, and not where the device happens to be.
  private var now: Double {
    isPaced || bench.clock == .stepped ? 0 : HostClock.now() - hostStart
  }

  private func seat(
    _ player: PlayerCore, _ book: inout PlayerBook, at moment: Double
  ) throws(CHHapticError) -> Int {
    if let slot = book.slot(of: player) { return slot }
    let slot = try book.seat(player)
    try book.push(.add(ProgramLoan(player.program), slot: slot))
    let settings = player.settings.withLock { $0 }
    for action in [
      PlayerAction.loop(settings.isLooping), .loopEnd(settings.loopEnd), .rate(settings.rate),
      .mute(settings.isMuted),
    ] {
      try book.push(.ask(action, slot: slot, time: moment, delay: 0, order: book.nextOrder()))
    }
    return slot
  }

  /// Ends all plays and, when they have come to rest, the stream; `onEnd` tells when.
  ///
  /// On a stepped clock all of that has happened when this returns. With `sparing` a play that was started
  /// just before is given time for a tap.
  func stop(sparing: Bool = false) {
    let isFirst = book.withLock { _ in
      // Under the lock: nothing that is asked later finds its way in.
      guard !isStopping.load(ordering: .acquiring) else { return false }
      let spared = sparing ? sparedFrame.load(ordering: .relaxed) : 0
      stopFrame.store(max(rate.wholeFrames(now), spared), ordering: .relaxed)
      isStopping.store(true, ordering: .releasing)
      return true
    }
    guard isFirst, bench.clock == .stepped else { return }
    _ = withBody { body throws(DeviceError) in try comeToRest(&body) }
    finish()
  }

  /// Leaves out what a device that lags behind has not played yet; after `stop`.
  func hurry() { stopFrame.store(0, ordering: .relaxed) }

  /// Moves a stepped clock on by whole frames; false where the stream has ended.
  func advance(frames: Int) -> Bool {
    guard !hasRendered.load(ordering: .acquiring) else { return false }
    let isWell = withBody { body throws(DeviceError) in
      var left = frames
      while left > 0, !isStopping.load(ordering: .acquiring) {
        try heedStop(&body)
        let count = min(left, body.render.blockFrames)
        try serve(&body, count)
        left -= count
        // A long step is written block by block, for the tape does not hold it.
        report()
      }
    }
    guard isWell else {
      finish()
      return false
    }
    onNews(self)
    return true
  }

  private func renderOnHostClock() {
    _ = withBody { body throws(DeviceError) in
      while !isStopping.load(ordering: .acquiring) {
        try heedStop(&body)
        if !isPaced {
          let due = rate.seconds(Double(body.render.stage.frame))
          HostClock.sleep(due - (HostClock.now() - hostStart))
        }
        try serve(&body, body.render.blockFrames)
      }
      try comeToRest(&body)
    }
    hasRendered.store(true, ordering: .releasing)
  }

  /// Works on the body; false where a device failed, which is then left at zero.
  private func withBody(_ work: (inout Body) throws(DeviceError) -> Void) -> Bool {
    body.withLock { body in
      var fault: DeviceError?
      do throws(DeviceError) { try work(&body) } catch {
        body.devices.abandon()
        fault = error
      }
      summary.withLock { summary in
        if let fault { summary.fault = fault }
        summary.lostNotices = body.render.lostNotices
        summary.lostSamples = body.tape.lost
        summary.underrunFrames = body.devices.underrunFrames
      }
      return fault == nil
    }
  }

  /// Ends the stream with the drive at zero where somebody asked to stop at once.
  private func heedStop(_ body: inout Body) throws(DeviceError) {
    guard watch.stop.flag.isSet, let number = watch.stop.requested else { return }
    body.devices.silence()
    throw DeviceError(
      .interrupted, device: bench.rig.name,
      message: "stopped by signal \(number); the drive is at zero", errno: number)
  }

  /// When a frame is played, by the host's clock, where the device tells the time; else when it was handed over.
  private func playing(_ notice: StampedNotice) -> Double {
    let handed = hostStart + notice.handed
    guard bench.clock == .host else { return rate.seconds(Double(firstFrame(of: notice))) }
    guard let reading = clock.load() else { return handed }
    let (time, now) = (Double(reading.nanoseconds) * 1e-9, HostClock.now())
    // Devices tell the time by the one or the other of the host's clocks; a look is not older than a moment.
    let ahead = MonotonicClock.seconds - now
    let own = abs(time - now) <= abs(time - now - ahead) ? time : time - ahead
    return max(handed, own + rate.seconds(Double(firstFrame(of: notice) - reading.frame)))
  }

  private func firstFrame(of notice: StampedNotice) -> Int {
    Int((notice.notice.time * rate.hertz - 1e-6).rounded(.up))
  }

  /// How far what is rendered now lies ahead of what the device plays, in seconds; 0 where it has no clock.
  var lead: Double {
    guard let reading = clock.load() else { return 0 }
    return rate.seconds(Double(sentFrames.load(ordering: .acquiring) - reading.frame))
  }

  private func serve(_ body: inout Body, _ count: Int) throws(DeviceError) {
    let now =
      bench.clock == .stepped
      ? rate.seconds(Double(body.render.stage.frame)) : HostClock.now() - hostStart
    body.render.fill(count, now: now)
    try body.devices.serve(
      body.render.block, frames: count, tape: &body.tape, follower: &body.render.follower)
    renderedFrames.store(body.render.stage.frame, ordering: .releasing)
    if watch.onNotice != nil, let reading = body.devices.clockReading {
      clock.store(frame: reading.frame, nanoseconds: reading.nanoseconds)
      sentFrames.store(body.render.stage.frame, ordering: .releasing)
    }
    isSilent.store(body.render.stage.isSilent, ordering: .releasing)
  }

  /// Plays what was asked before the stop, also where the device lags behind, plays on until everything
  /// has come to rest, and rests the devices.
  private func comeToRest(_ body: inout Body) throws(DeviceError) {
    while body.render.stage.frame < stopFrame.load(ordering: .relaxed), !body.render.isIdle {
      let left = stopFrame.load(ordering: .relaxed) - body.render.stage.frame
      try serve(&body, min(body.render.blockFrames, max(1, left)))
    }
    body.render.endAll()
    let end = body.render.stage.frame + rate.wholeFrames(EngineStream.restSeconds)
    while body.render.stage.frame < end {
      try serve(&body, min(body.render.blockFrames, end - body.render.stage.frame))
    }
    try body.devices.finish(tape: &body.tape, follower: &body.render.follower)
  }

  /// How much of a record may wait to be written.
  private static let tapeSeconds = 2.0

  /// How long an engine plays on after a stop: the cut, and what an inverse filter takes to settle.
  private static let restSeconds = 0.12

  private func scribe() {
    while !hasRendered.load(ordering: .acquiring) {
      report()
      onNews(self)
      HostClock.sleep(5e-3)
    }
    finish()
  }

  /// Takes what the render thread has told, and writes what it has kept.
  private func report() {
    var over: [PlayerCore] = []
    while let stamped = notices.withLock({ $0.pop() }) {
      if let onNotice = watch.onNotice {
        let player = book.withLock { $0.players[stamped.notice.slot] }
        onNotice(player, stamped.notice, playing(stamped))
      }
      switch book.withLock({ $0.take(stamped.notice) }) {
      case .over(let player): over.append(player)
      case .began(let start): note(start, stamped)
      case .refused:
        summary.withLock {
          $0.refusals.append("at \(stamped.notice.time) s: too much was asked for later")
        }
      case .dropped: summary.withLock { $0.droppedEvents += 1 }
      case .gone, nil: break
      }
    }
    for player in over { player.complete(nil, on: handlers) }
    record.withLock { record in
      do {
        try record?.write()
      } catch {
        summary.withLock { $0.refusals.append("the recording was not written: \(error)") }
      }
    }
  }

  /// Notes how late a start was, by its first frame.
  private func note(_ start: PlayerBook.Start, _ stamped: StampedNotice) {
    let first = (stamped.notice.time * rate.hertz - 1e-6).rounded(.up) / rate.hertz
    summary.withLock { summary in
      guard start.time > 0 else {
        let asked = bench.clock == .stepped ? stamped.notice.time : start.asked
        summary.latency.immediate.append(stamped.handed - asked)
        return
      }
      summary.latency.scheduled.append(first - start.time)
      if bench.clock == .host { summary.latency.handed.append(stamped.handed - start.time) }
    }
  }

  /// Tells and records all that is left, when nothing is rendered any more.
  private func finish() {
    hasRendered.store(true, ordering: .releasing)
    report()
    var told = summary.withLock { $0 }
    let cut = book.withLock { book in
      defer { for slot in book.players.keys { book.forgetStarts(of: slot) } }
      return book.active
    }
    if let fault = told.fault {
      for player in cut {
        player.complete(CHHapticError(.serverInterrupted, "\(fault)"), on: handlers)
      }
    }
    told.played = book.withLock { $0.past + $0.played.sorted { $0.key < $1.key }.map(\.value) }
    told.duration = rate.seconds(Double(renderedFrames.load(ordering: .acquiring)))
    if let record = record.withLock({ $0.take() }) {
      do {
        try record.finish(told)
      } catch {
        log("the recording of the engine was not kept: \(error)")
      }
    }
    onEnd(self, told.fault)
    OpenStreams.remove(self)
  }
}
