extension Limit {
  /// Judges a value with its standard uncertainty.
  ///
  /// A value inside its limit that two standard uncertainties would take outside is marginal.
  public func judge(_ value: Double, uncertainty: Double?) -> Verdict {
    let doubt = 2 * max(0, uncertainty ?? 0)
    switch bound {
    case .below(let limit, let marginal):
      return grade(value, fail: limit, marginal: marginal ?? limit, doubt: doubt)
    case .above(let limit, let marginal):
      return grade(-value, fail: -limit, marginal: -(marginal ?? limit), doubt: doubt)
    case .within(let limit, let marginal):
      return grade(abs(value), fail: limit, marginal: marginal ?? limit, doubt: doubt)
    case .syncBands: return SyncBand(offset: value).verdict
    }
  }

  private func grade(_ value: Double, fail: Double, marginal: Double, doubt: Double) -> Verdict {
    if value > fail { return .fail }
    if value > marginal || value + doubt > fail { return .marginal }
    return .pass
  }
}
