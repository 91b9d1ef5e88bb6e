//! Numbers out of bytes: an exact fast path for short decimals, the standard parser for the rest.

/// Powers of ten that are exact in `f64`.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The integers up to here are exact in `f64`.
pub(super) const MAX_EXACT: u64 = 1 << 53;

/// Eight ASCII digits at once (little-endian SWAR); `None` when one of them is no digit.
#[inline(always)]
fn eight_digits(bytes: &[u8]) -> Option<u64> {
    let word = u64::from_le_bytes(*bytes.first_chunk::<8>()?);
    let low = word.wrapping_sub(0x3030_3030_3030_3030);
    if (word.wrapping_add(0x4646_4646_4646_4646) | low) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = low.wrapping_mul(10).wrapping_add(low >> 8);
    let even = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let odd = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some(even.wrapping_add(odd) >> 32)
}

/// Reads a run of digits onto `mantissa`, eight at a time where `long`; returns it with their number.
/// It wraps beyond 19 digits.
#[inline(always)]
fn digits(bytes: &[u8], mut mantissa: u64, long: bool) -> (u64, usize) {
    let mut n = 0;
    while long && let Some(eight) = bytes.get(n..).and_then(eight_digits) {
        mantissa = mantissa.wrapping_mul(100_000_000).wrapping_add(eight);
        n += 8;
    }
    while let Some(digit) = bytes.get(n).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        n += 1;
    }
    (mantissa, n)
}

/// A decimal at the start of `bytes`, with its length; `None` where there is none.
///
/// The product or quotient of an integer up to 2^53 and a power of ten up to 10^22 is rounded once, hence
/// correctly (Clinger, 1990, doi:10.1145/93542.93557); the standard parser takes the rest.
#[inline]
pub(super) fn decimal(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = *bytes.first()? == b'-';
    let start = usize::from(negative);
    let (mut mantissa, whole) = digits(&bytes[start..], 0, false);
    let mut at = start + whole;
    let mut fraction = 0;
    if bytes.get(at) == Some(&b'.') {
        (mantissa, fraction) = digits(&bytes[at + 1..], mantissa, true);
        at += 1 + fraction;
    }
    let n_digits = whole + fraction;
    if n_digits == 0 {
        return None;
    }
    let mut power = -(fraction as i32);
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let (exponent, length) = exponent(&bytes[at + 1..])?;
        power += exponent;
        at += 1 + length;
    }
    let magnitude = match POWERS.get(power.unsigned_abs() as usize) {
        Some(scale) if n_digits <= 19 && mantissa <= MAX_EXACT => {
            if power < 0 {
                mantissa as f64 / scale
            } else {
                mantissa as f64 * scale
            }
        }
        Some(_) if n_digits <= 19 && (-19..0).contains(&power) => divided(mantissa, power.unsigned_abs()),
        _ => std::str::from_utf8(&bytes[start..at]).ok()?.parse().ok()?,
    };
    Some((if negative { -magnitude } else { magnitude }, at))
}

/// `mantissa / 10^k`, correctly rounded, for a mantissa above 2^53 and `k` in 1..=19: the case of numbers
/// printed with all their digits.
///
/// Both are shifted to 64 bits, so that the quotient has at least 62; a remainder is noted in its last bit,
/// which decides ties, and the conversion to 53 bits rounds once. The power of two is exact.
#[inline]
fn divided(mantissa: u64, k: u32) -> f64 {
    let divisor = 10u64.pow(k);
    let (up, down) = (mantissa.leading_zeros(), divisor.leading_zeros());
    let (top, bottom) = (u128::from(mantissa << up) << 63, u128::from(divisor << down));
    let quotient = top / bottom;
    let sticky = u64::from(quotient * bottom != top);
    let exponent = i64::from(down) - i64::from(up) - 63;
    (quotient as u64 | sticky) as f64 * f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// A signed exponent of at most four digits, with its length.
fn exponent(bytes: &[u8]) -> Option<(i32, usize)> {
    let sign = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let (value, n) = digits(&bytes[sign..], 0, false);
    if n == 0 || n > 4 {
        return None;
    }
    let value = value as i32;
    Some((if bytes[0] == b'-' { -value } else { value }, sign + n))
}

/// The number that a whole field spells, spaces around it allowed; `None` when it spells none.
pub(crate) fn parse_number(field: &[u8]) -> Option<f64> {
    let field = field.trim_ascii();
    match decimal(field) {
        Some((value, length)) if length == field.len() => Some(value),
        _ => std::str::from_utf8(field).ok()?.parse().ok(),
    }
}

/// The number that a field spells with a comma where others have a point, or without either.
pub(crate) fn comma_number(field: &[u8]) -> Option<f64> {
    if field.contains(&b'.') {
        return None;
    }
    let pointed: Vec<u8> = field.iter().map(|&b| if b == b',' { b'.' } else { b }).collect();
    parse_number(&pointed)
}

/// Whether a field is a whole number, written with digits alone, that `f64` cannot hold exactly.
pub(crate) fn is_rounded(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    let digits = field.strip_prefix(b"-").or(field.strip_prefix(b"+")).unwrap_or(field);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let exact = std::str::from_utf8(digits).ok().and_then(|d| d.parse::<u128>().ok());
    // Beyond 128 bits the digits of a number are an identifier in any case.
    exact.is_none_or(|n| n as f64 as u128 != n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edge_cases_agree_with_the_standard_parser() {
        for text in [
            "0",
            "-0",
            "1.",
            ".5",
            "-.5",
            "+3",
            "1e22",
            "1e23",
            "9007199254740992",
            "9007199254740993",
            "1e-400",
            "123456789012345678901234567890",
            "0.000000000000000000000000000001",
            "1e+5",
            "1E-5",
            "inf",
            "-inf",
            "00012",
            "18446744073709551616",
            "36893488147419103233",
            "4.9e-324",
            "1.7976931348623157e308",
        ] {
            let expected: f64 = text.parse().expect("a number");
            assert_eq!(parse_number(text.as_bytes()).map(f64::to_bits), Some(expected.to_bits()), "{text}");
        }
        for text in ["", "-", ".", "e5", "1e", "1e+", "1x", "--1", "1 2", "0x10", "1_000", "1,5", "1e5e5"] {
            assert_eq!(parse_number(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse_number(b" 1.5 "), Some(1.5));
    }

    #[test]
    fn commas_and_rounding_are_seen() {
        assert_eq!(
            [b"1,5".as_slice(), b" -0,25 ", b"7"].map(comma_number),
            [Some(1.5), Some(-0.25), Some(7.0)]
        );
        assert_eq!([b"1.5".as_slice(), b"1,2,3", b"1.234,5", b","].map(comma_number), [None; 4]);
        for exact in ["9007199254740992", "-9007199254740994", "1e300", "0.1", "", "x", "18014398509481984"] {
            assert!(!is_rounded(exact.as_bytes()), "{exact}");
        }
        let huge = "9".repeat(60);
        for rounded in ["9007199254740993", " -9007199254740993", "1234567890123456789", huge.as_str()] {
            assert!(is_rounded(rounded.as_bytes()), "{rounded}");
        }
    }

    proptest! {
        #[test]
        fn every_decimal_is_read_as_the_standard_parser_reads_it(text in "-?[0-9]{0,21}(\\.[0-9]{0,21})?(e[-+]?[0-9]{1,3})?") {
            let expected = text.parse::<f64>().ok().map(f64::to_bits);
            prop_assert_eq!(parse_number(text.as_bytes()).map(f64::to_bits), expected);
        }

        #[test]
        fn long_decimals_are_rounded_once(mantissa in (1u64 << 53)..9_999_999_999_999_999_999, k in 1usize..19) {
            let digits = format!("{mantissa:019}");
            let text = format!("{}.{}", &digits[..19 - k], &digits[19 - k..]);
            let expected = text.parse::<f64>().ok().map(f64::to_bits);
            prop_assert_eq!(parse_number(text.as_bytes()).map(f64::to_bits), expected);
        }

        #[test]
        fn ties_go_to_even(odd in (1u64 << 52)..(1u64 << 53), k in 1u32..3) {
            // Halfway between two neighbours: an integer and a half, written with trailing digits.
            let text = format!("{}.5{}", odd, "0".repeat(k as usize));
            let expected = text.parse::<f64>().ok().map(f64::to_bits);
            prop_assert_eq!(parse_number(text.as_bytes()).map(f64::to_bits), expected);
        }

        #[test]
        fn printed_numbers_come_back(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
            let text = value.to_string();
            prop_assert_eq!(parse_number(text.as_bytes()).map(f64::to_bits), Some(value.to_bits()));
        }
    }
}
