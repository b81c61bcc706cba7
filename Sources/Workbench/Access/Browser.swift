// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc

/// The browser of the person at this machine.
///
/// Other users see the arguments of a program, so the address with its key is none: the browser is given a file that
/// this user alone may read, and that leads there.
package struct Browser: ~Copyable {
  private let page: String

  /// Opens an address; `nil` where there is no display, no `xdg-open`, or no folder that is the user's alone.
  package init?(showing address: String) {
    guard getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil,
      let opener = Self.opener, RuntimeFolder.make(RuntimeFolder.path)
    else { return nil }
    let page = "\(RuntimeFolder.path)/open-\(getpid()).html"
    unlink(page)
    let descriptor = open(page, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    let text = Array(Self.text(leadingTo: address).utf8)
    let isWritten = write(descriptor, text, text.count) == text.count
    close(descriptor)
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { if nothing >= 0 { close(nothing) } }
    guard isWritten, nothing >= 0,
      (try? Child.start([opener, page], output: nothing, hasInput: false) { _ in }) != nil
    else {
      unlink(page)
      return nil
    }
    self.page = page
  }

  deinit { unlink(page) }

  static func text(leadingTo address: String) -> String {
    """
    <!doctype html>
    <meta charset="utf-8">
    <meta name="referrer" content="no-referrer">
    <meta http-equiv="refresh" content="0; url=\(address)">
    <title>haprig</title>

    """
  }

  private static var opener: String? {
    guard let path = getenv("PATH") else { return nil }
    return String(cString: path).split(separator: ":").lazy.map { "\($0)/xdg-open" }
      .first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
  }
}
