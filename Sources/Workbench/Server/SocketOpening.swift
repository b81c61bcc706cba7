// SPDX-License-Identifier: Apache-2.0

import Reporting
import RunArchive

/// How a request becomes a socket (RFC 6455, 4.2).
enum SocketOpening {
  /// The answer that opens a socket, or why none is opened.
  static func response(
    _ head: RequestHead, then serve: @escaping @Sendable (FrameSocket) -> Void
  ) throws(HTTPFault) -> Response {
    let words = head["connection"]?.lowercased().split(separator: ",").map { word in
      word.filter { $0 != " " }
    }
    guard head["upgrade"]?.lowercased() == "websocket", words?.contains("upgrade") == true,
      head["sec-websocket-version"] == "13"
    else {
      throw HTTPFault(426, "socket", "this is a WebSocket of version 13")
        .with("Upgrade", "websocket").with("Sec-WebSocket-Version", "13")
    }
    guard let key = head["sec-websocket-key"], Base64.isSixteenBytes(key) else {
      throw HTTPFault(400, "socket", "Sec-WebSocket-Key is to stand for 16 bytes")
    }
    let accepted = SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    var response = Response(101)
    response.body = .socket(serve)
    return response.with("Upgrade", "websocket").with("Connection", "Upgrade")
      .with("Sec-WebSocket-Accept", Base64.text(of: accepted))
  }
}
