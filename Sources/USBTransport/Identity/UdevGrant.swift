import Devices

/// Whom the installed rules of udev let open a device's node.
public struct UdevGrant: Sendable, Hashable {
  /// Whoever sits at the machine, by the tag `uaccess`.
  public var isForSeat: Bool
  /// The members of a group; `nil` for none but root's.
  public var group: String?
  /// Everybody, by the node's mode.
  public var isForAll: Bool

  /// Makes a grant; one for nobody without arguments.
  public init(isForSeat: Bool = false, group: String? = nil, isForAll: Bool = false) {
    self.isForSeat = isForSeat
    self.group = group
    self.isForAll = isForAll
  }

  /// Whether nobody but root is let in.
  var isForNobody: Bool { self == UdevGrant() }

  /// What a user does whom the node is closed to all the same, as the end of a sentence.
  public var advice: String {
    guard !isForAll, isForSeat || group != nil else { return "plug it in again" }
    let joining = group.map { "'sudo usermod -aG \($0) $USER', then log in again" }
    guard isForSeat else { return joining ?? "" }
    return "plug it in again; without a seat at the machine (ssh, a service) "
      + (joining ?? "the rule lets nobody in: add GROUP=\"\(SystemFiles.deviceGroup)\" to it")
  }
}
