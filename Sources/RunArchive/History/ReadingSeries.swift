public import ChangeDetection

/// A series as the index lists it.
public struct SeriesListing: Sendable, Hashable {
  /// What makes the series.
  public var key: SeriesKey
  /// The plan that its runs followed: series of several plans stay apart.
  public var plan: String
  /// The unit of its values.
  public var unit: String

  /// Makes a listing.
  public init(key: SeriesKey, plan: String, unit: String) {
    self.key = key
    self.plan = plan
    self.unit = unit
  }
}

/// The values of one series night by night, as the runs gave them.
public struct ReadingSeries: Sendable, Equatable {
  /// The runs of one UTC day.
  public struct RunsOfNight: Sendable, Equatable {
    /// The day.
    public var day: CalendarDay
    /// One value a run, in the order in which the runs began.
    public var values: [RunValue]

    /// Makes a night.
    public init(day: CalendarDay, values: [RunValue]) {
      self.day = day
      self.values = values
    }
  }

  /// What one run says of the series.
  public struct RunValue: Sendable, Equatable {
    /// The run's id.
    public var run: String
    /// When the run began.
    public var began: Moment
    /// The median of the run's readings of this name and pattern.
    public var value: Double
    /// The median of their standard uncertainties: what they have in common is not averaged away.
    public var uncertainty: Double?
    /// How many readings the value rests on.
    public var count: Int

    /// Makes a value.
    public init(run: String, began: Moment, value: Double, uncertainty: Double?, count: Int) {
      self.run = run
      self.began = began
      self.value = value
      self.uncertainty = uncertainty
      self.count = count
    }
  }

  /// The series.
  public var listing: SeriesListing
  /// The nights with at least one value, in the order of time.
  public var nights: [RunsOfNight]

  /// Makes a series.
  public init(listing: SeriesListing, nights: [RunsOfNight]) {
    self.listing = listing
    self.nights = nights
  }
}
