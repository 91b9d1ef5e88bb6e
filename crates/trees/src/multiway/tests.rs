//! The growers' gains against numbers worked by hand and printed by Quinlan.

use super::attributes::Problem;
use super::gain::Gain;
use mercer_core::{Column, Dataset, Table, Target};

/// Quinlan's days to play: outlook, temperature, humidity, windy, play (C4.5, table 2-1).
const DAYS: [(&str, f64, f64, &str, &str); 14] = [
    ("sunny", 75.0, 70.0, "true", "play"),
    ("sunny", 80.0, 90.0, "true", "don't"),
    ("sunny", 85.0, 85.0, "false", "don't"),
    ("sunny", 72.0, 95.0, "false", "don't"),
    ("sunny", 69.0, 70.0, "false", "play"),
    ("overcast", 72.0, 90.0, "true", "play"),
    ("overcast", 83.0, 78.0, "false", "play"),
    ("overcast", 64.0, 65.0, "true", "play"),
    ("overcast", 81.0, 75.0, "false", "play"),
    ("rain", 71.0, 80.0, "true", "don't"),
    ("rain", 65.0, 70.0, "true", "don't"),
    ("rain", 75.0, 80.0, "false", "play"),
    ("rain", 68.0, 80.0, "false", "play"),
    ("rain", 70.0, 96.0, "false", "play"),
];

fn problem(missing: Option<usize>) -> Problem {
    let outlook: Vec<Option<&str>> =
        DAYS.iter().enumerate().map(|(i, d)| (Some(i) != missing).then_some(d.0)).collect();
    let windy: Vec<Option<&str>> = DAYS.iter().map(|d| Some(d.3)).collect();
    let number =
        |f: fn(&(&str, f64, f64, &str, &str)) -> f64| Column::numbers(DAYS.iter().map(f).collect::<Vec<_>>());
    let table = Table::new(vec![
        ("outlook".into(), Column::categories(&outlook)),
        ("temperature".into(), number(|d| d.1)),
        ("humidity".into(), number(|d| d.2)),
        ("windy".into(), Column::categories(&windy)),
    ])
    .unwrap();
    let target = Target::classes(&DAYS.map(|d| d.4));
    Problem::new("test", &Dataset::new(table).with_target(target).unwrap(), false).unwrap()
}

fn gain_of(problem: &Problem, j: usize, items: &[super::attributes::Item]) -> Gain {
    problem.gain(j, items, 2.0).unwrap()
}

fn gain(problem: &Problem, j: usize) -> Gain {
    gain_of(problem, j, &problem.items)
}

#[test]
fn gains_are_those_that_quinlan_prints() {
    let whole = problem(None);
    let outlook = gain(&whole, 0);
    // info(T) = 0.940, info_outlook(T) = 0.694: gain 0.246, split information 1.577, ratio 0.156.
    assert!((outlook.gain - 0.246).abs() < 1e-3, "{outlook:?}");
    assert!((outlook.split_info - 1.577).abs() < 1e-3);
    assert!((outlook.gain / outlook.split_info - 0.156).abs() < 1e-3);
    assert!((gain(&whole, 3).gain - 0.048).abs() < 1e-3);
}

#[test]
fn a_missing_outlook_costs_what_quinlan_prints() {
    // The sixth day (overcast, 72, 90, windy, play) without its outlook: info 0.961 on 13 rows, 0.747 after,
    // gain 13/14 (0.961 - 0.747) = 0.199, split information 1.809 with the missing value as a part of its own.
    let gap = gain(&problem(Some(5)), 0);
    assert!((gap.gain - 0.199).abs() < 1e-3, "{gap:?}");
    assert!((gap.split_info - 1.809).abs() < 1e-3, "{gap:?}");
}

#[test]
fn the_missing_day_goes_down_all_branches_by_weight() {
    let gap = problem(Some(5));
    let split = super::Split { feature: 0, threshold: None };
    let parts = gap.part(split, &gap.items, true);
    let weights: Vec<f64> = parts.iter().map(|(_, part)| part.iter().map(|i| i.weight).sum()).collect();
    // Levels in the order of the alphabet: overcast 3 + 3/13, rain 5 + 5/13, sunny 5 + 5/13.
    for (found, expected) in weights.iter().zip([3.0, 5.0, 5.0].map(|n: f64| n + n / 13.0)) {
        assert!((found - expected).abs() < 1e-12);
    }
}

#[test]
fn thresholds_pay_for_their_choice() {
    let whole = problem(None);
    // On all rows the best cut, at 82.5, gains 0.102 bits and costs log2(6) / 14 = 0.185: not worth it.
    assert_eq!(whole.gain(2, &whole.items, 2.0), None);
    // On the sunny days 70, 70 | 85, 90, 95 gains all 0.971 bits; two cuts leave two rows on each side, so the
    // choice costs log2(2) / 5 bits.
    let sunny = gain_of(&whole, 2, &whole.items[..5]);
    assert_eq!(sunny.threshold, Some(77.5));
    assert!((sunny.gain - (0.970_951 - 0.2)).abs() < 1e-6, "{sunny:?}");
    assert!((sunny.split_info - 0.970_951).abs() < 1e-6);
}
