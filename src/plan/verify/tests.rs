//! Corruptions of schedules, each of which must be found.
