public import JSONText

/// A text that is not a calibration profile: what is wrong, and where.
public typealias ProfileError = JSONFieldError
