public import JSONText

/// A text that is not a run record: what is wrong, and where.
public typealias RunRecordError = JSONFieldError
