import Glibc
import Synchronization

/// One virtual card in one process: the state file it shares, and the physics where it captures
/// here.
///
/// All of it is under one lock of the process, and what other processes see under the lock of the
/// state file as well, always in this order. Nothing is called back under either.
final class Card: Sendable {
  let setup: CardSetup

  private let state: Mutex<CardState>

  init(name: String, setup: CardSetup) {
    self.setup = setup
    state = Mutex(CardState(name: name, setup: setup))
  }

  /// Does something with the card while nobody else does.
  func with<Result, Failure: Error>(
    _ body: (inout CardState) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try state.withLock { (state) throws(Failure) in
      guard let memory = state.memory else { return try body(&state) }
      if pthread_mutex_lock(&memory.pointee.lock) == EOWNERDEAD {
        pthread_mutex_consistent(&memory.pointee.lock)
      }
      defer { pthread_mutex_unlock(&memory.pointee.lock) }
      return try body(&state)
    }
  }

  func open(_ side: CardDirection) throws(CardError) {
    try state.withLock { (state) throws(CardError) in try state.attach(side) }
    do throws(CardError) {
      try with { (state) throws(CardError) in try state.enter(side) }
    } catch {
      close(side)
      throw error
    }
  }

  /// Lets go of one side, and of the state file with the last one of this process.
  func close(_ side: CardDirection) {
    with { $0.release(side) }
    state.withLock { $0.detachIfUnused() }
  }

  var isUnused: Bool { state.withLock { $0.memory == nil } }
}

/// The cards of this process by name.
///
/// libasound opens the two sides of a card by two calls that share nothing: this is where the
/// second one finds the first. A card stays when both are closed, so that its time, its script of
/// faults and its count of takes go on when a program opens it again.
enum CardRegistry {
  private static let cards = Mutex<[String: Card]>([:])

  static func card(_ configuration: CardConfiguration) throws(CardError) -> Card {
    let setup = try CardSetup(configuration)
    let name = try configuration.stateName()
    return try cards.withLock { (cards) throws(CardError) in
      if let card = cards[name] {
        if card.setup.fingerprint == setup.fingerprint { return card }
        guard card.isUnused else {
          throw CardError(
            EBUSY,
            "the card '\(name)' is open in this program with another rig file or clock: close it "
              + "first, or give this one its own 'state'")
        }
      }
      let card = Card(name: name, setup: setup)
      cards[name] = card
      return card
    }
  }
}
