//! Points in time as whole microseconds since 1970-01-01 00:00 UTC: reading, writing, and their parts.

/// The value of a missing time.
pub const MISSING_TIME: i64 = i64::MIN;

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// A point in time taken apart, in UTC and the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The year.
    pub year: i64,
    /// The month, 1 to 12.
    pub month: u32,
    /// The day of the month, from 1.
    pub day: u32,
    /// The hour, 0 to 23.
    pub hour: u32,
    /// The minute.
    pub minute: u32,
    /// The second.
    pub second: u32,
    /// The microsecond within the second.
    pub micro: u32,
    /// The day of the week: 0 is Monday, 6 is Sunday.
    pub weekday: u32,
    /// The day of the year, from 1.
    pub yearday: u32,
}

impl Moment {
    /// The parts of a time.
    ///
    /// # Example
    /// ```
    /// use mercer_core::{Moment, parse_time};
    /// let leap = Moment::of(parse_time("2024-02-29 12:30:00").unwrap());
    /// assert_eq!((leap.month, leap.day, leap.hour, leap.weekday, leap.yearday), (2, 29, 12, 3, 60));
    /// ```
    pub fn of(micros: i64) -> Self {
        let (days, within) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
        let (year, month, day) = civil(days);
        let part = |unit: i64, of: i64| ((within / unit) % of) as u32;
        Self {
            year,
            month,
            day,
            hour: part(3600 * SECOND, 24),
            minute: part(60 * SECOND, 60),
            second: part(SECOND, 60),
            micro: part(1, SECOND),
            weekday: (days + 3).rem_euclid(7) as u32,
            yearday: (days - days_from_civil(year, 1, 1) + 1) as u32,
        }
    }
}

/// Year, month and day of a day number (H. Hinnant, chrono-compatible low-level date algorithms).
fn civil(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    (yoe + era * 400 + i64::from(month <= 2), month as u32, (doy - (153 * mp + 2) / 5 + 1) as u32)
}

/// The day number of a date.
fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let y = year - i64::from(month <= 2);
    let (era, m) = (y.div_euclid(400), i64::from(month));
    let doy = (153 * (if m > 2 { m - 3 } else { m + 9 }) + 2) / 5 + i64::from(day) - 1;
    let yoe = y.rem_euclid(400);
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}

fn days_in(year: i64, month: u32) -> u32 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Reads an ISO 8601 date or time: `2024-02-29`, `2024/02/29`, with `T` or a space before `12:30`, `12:30:15`,
/// `12:30:15.25`, and an optional `Z` or `+01:00`; without an offset it is UTC. `None` for anything else.
///
/// # Example
/// ```
/// use mercer_core::parse_time;
/// assert_eq!(parse_time("1970-01-02"), Some(86_400_000_000));
/// assert_eq!(parse_time("1970-01-01T01:00:00.5+01:00"), Some(500_000));
/// assert_eq!(parse_time("2023-02-29"), None);
/// ```
pub fn parse_time(text: &str) -> Option<i64> {
    let text = text.trim().as_bytes();
    let separator = *text.get(4)?;
    if !matches!(separator, b'-' | b'/') || text.get(7) != Some(&separator) {
        return None;
    }
    let (year, month, day) = (digits(text, 0, 4)?, digits(text, 5, 2)?, digits(text, 8, 2)?);
    if !(1..=12).contains(&month) || day == 0 || day > days_in(i64::from(year), month) {
        return None;
    }
    let days = days_from_civil(i64::from(year), month, day);
    let within = match text.get(10) {
        None => 0,
        Some(b'T' | b't' | b' ') => clock(&text[11..])?,
        Some(_) => return None,
    };
    Some(days * DAY + within)
}

/// The number in `len` digits at `at`.
fn digits(text: &[u8], at: usize, len: usize) -> Option<u32> {
    let part = text.get(at..at + len)?;
    part.iter().try_fold(0, |n, c| c.is_ascii_digit().then(|| n * 10 + u32::from(c - b'0')))
}

/// Microseconds into the day of `12:30[:15[.25]][Z|+01:00]`.
fn clock(text: &[u8]) -> Option<i64> {
    let (hour, minute) = (digits(text, 0, 2)?, digits(text, 3, 2)?);
    if text.get(2) != Some(&b':') || hour > 23 || minute > 59 {
        return None;
    }
    let (mut at, mut micros) = (5, i64::from(hour * 3600 + minute * 60) * SECOND);
    if text.get(at) == Some(&b':') {
        let second = digits(text, at + 1, 2).filter(|s| *s < 60)?;
        micros += i64::from(second) * SECOND;
        at += 3;
        if text.get(at) == Some(&b'.') {
            let tail = &text[at + 1..];
            let n = tail.iter().take_while(|c| c.is_ascii_digit()).count();
            if n == 0 {
                return None;
            }
            let kept = n.min(6);
            micros += i64::from(digits(tail, 0, kept)?) * 10_i64.pow(6 - kept as u32);
            at += 1 + n;
        }
    }
    match text.get(at..)? {
        [] | [b'Z' | b'z'] => Some(micros),
        [sign @ (b'+' | b'-'), zone @ ..] => {
            let minutes_at = if zone.get(2) == Some(&b':') { 3 } else { 2 };
            let minutes = if zone.len() == 2 { 0 } else { digits(zone, minutes_at, 2)? };
            let offset = i64::from(digits(zone, 0, 2)? * 60 + minutes) * 60 * SECOND;
            let whole = zone.len() == 2 || zone.len() == minutes_at + 2;
            whole.then_some(if *sign == b'+' { micros - offset } else { micros + offset })
        }
        _ => None,
    }
}

/// The time as people write it: a date alone at midnight, else with its clock.
pub fn format_time(micros: i64) -> String {
    let m = Moment::of(micros);
    let date = format!("{:04}-{:02}-{:02}", m.year, m.month, m.day);
    match (micros.rem_euclid(DAY), m.micro) {
        (0, _) => date,
        (_, 0) => format!("{date} {:02}:{:02}:{:02}", m.hour, m.minute, m.second),
        _ => format!("{date} {:02}:{:02}:{:02}.{:06}", m.hour, m.minute, m.second, m.micro),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_four_centuries_goes_there_and_back() {
        let mut days = days_from_civil(1800, 1, 1);
        for year in 1800..2200 {
            for month in 1..=12 {
                for day in 1..=days_in(year, month) {
                    assert_eq!((civil(days), days_from_civil(year, month, day)), ((year, month, day), days));
                    days += 1;
                }
            }
        }
    }

    #[test]
    fn known_days_and_texts() {
        // 2000-01-01 was a Saturday, 10,957 days after the epoch; 1969-12-31 a Wednesday.
        let y2k = parse_time("2000-01-01").unwrap();
        assert_eq!((y2k, Moment::of(y2k).weekday), (10_957 * DAY, 5));
        assert_eq!((Moment::of(-1).weekday, Moment::of(-1).yearday), (2, 365));
        for text in ["1999-12-31 23:59:59", "2024-02-29", "0001-01-01", "2024-02-29 12:30:00.000001"] {
            assert_eq!(format_time(parse_time(text).unwrap()), text);
        }
        assert_eq!(parse_time("2024/03/01 10:00-02:30"), parse_time("2024-03-01T12:30Z"));
        assert_eq!(parse_time("2024-03-01T10:00:00+0100"), parse_time("2024-03-01T09:00"));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2024",
            "2024-13-01",
            "2024-00-01",
            "2024-01-32",
            "2024-01-01x",
            "2024-01-01T",
            "2024-01-01T25:00",
            "2024-01-01T10:60",
            "2024-01-01T10:00:60",
            "2024-01-01T10:00:00.",
            "2024-01-01T10:00+1",
            "24-01-01",
            "2024-01/01",
            "20é4-01-01",
            "2024-01-01T10:00:00+01:0é",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
