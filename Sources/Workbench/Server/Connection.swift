// SPDX-License-Identifier: Apache-2.0

/// One connection: one request, one answer, or a socket.
///
/// A connection is closed after its answer: what a second request on it could be taken for is no question then.
struct Connection {
  let stream: any ByteStream
  let router: Router
  /// Takes one of the places for sockets, and gives it back.
  let places: Places

  static let answerSeconds = 30.0

  func serve() {
    var reader = RequestReader(stream)
    var isHead = false
    let response: Response
    do throws(HTTPFault) {
      guard let head = try reader.head() else { return }
      isHead = head.method == "HEAD"
      if let reception = try router.reception(head) {
        try reader.pass(on: head, to: reception)
        response = try reception.finish()
      } else {
        let body = try reader.body(of: head, atMost: router.largestBody(head))
        response = router.answer(head, body)
      }
    } catch {
      response = Response(error)
    }
    guard case .socket(let work) = response.body else {
      send(response, withBody: !isHead)
      return stream.finish()
    }
    guard places.take() else {
      send(
        Response(HTTPFault(503, "sockets", "all \(Places.sockets) sockets are in use")),
        withBody: true)
      return stream.finish()
    }
    defer { places.giveBack() }
    guard stream.write(response.head, until: stream.now + Self.answerSeconds) else { return }
    work(FrameSocket(stream, rest: reader.rest))
    stream.finish()
  }

  private func send(_ response: Response, withBody: Bool) {
    var deadline = stream.now + Self.answerSeconds
    guard stream.write(response.head, until: deadline), withBody else { return }
    switch response.body {
    case .socket: return
    case .bytes(let bytes): _ = stream.write(bytes, until: deadline)
    case .file(let file):
      var sent = 0
      while sent < file.size {
        let piece = file.bytes(from: sent, count: min(1 << 18, file.size - sent))
        deadline = stream.now + Self.answerSeconds
        guard !piece.isEmpty, stream.write(piece, until: deadline) else { return }
        sent += piece.count
      }
    }
  }
}
