//! C4.5rules: leaves as rules, less the conditions that do not help, then of each class the rules that tell it most
//! briefly.

use super::prune::upper_limit;
use super::subset::{Candidates, Code};
use crate::multiway::{Condition, MultiwayTreeModel};
use crate::sorted_columns::{Values, columns};
use mercer_core::{Dataset, Error, Input, Label, Result, Schema, Session};
use mercer_math::{Weights, argmax};
use std::fmt;

/// Rules in the order in which they are tried, and the class of rows that meet none.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSet {
    /// The rules; those of one class stand together.
    pub rules: Vec<Rule>,
    /// The code of the default class.
    pub default: usize,
    labels: Vec<Label>,
}

/// A rule: all its conditions, and a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What must hold, in words.
    pub conditions: Vec<String>,
    /// The code of the class.
    pub class: usize,
    /// Weight of the training rows that meet the conditions.
    pub weight: f64,
    /// Weight of those that are of another class.
    pub errors: f64,
    /// The upper limit of the share of errors.
    pub error_limit: f64,
    tests: Vec<(usize, Condition)>,
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = |c: usize| self.labels.get(c).map_or_else(String::new, ToString::to_string);
        for rule in &self.rules {
            let given = match rule.conditions.is_empty() {
                true => "always".to_owned(),
                false => format!("if {}", rule.conditions.join(" and ")),
            };
            let (class, sure) = (label(rule.class), 1.0 - rule.error_limit);
            writeln!(f, "{given} then class {class} [{:.3}]", sure)?;
        }
        writeln!(f, "otherwise class {}", label(self.default))
    }
}

impl RuleSet {
    /// The class of each row: that of the first rule that it meets.
    pub fn classify(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Vec<u32>> {
        let input = schema.align("a set of rules", input, session.unseen())?;
        let rows = input.rows("a set of rules")?;
        let table = columns("a set of rules", rows)?;
        let class = |i: usize| {
            self.rules.iter().find(|r| meets(&r.tests, &table, i)).map_or(self.default, |r| r.class)
        };
        Ok((0..rows.n_rows()).map(|i| class(i) as u32).collect())
    }
}

fn meets(tests: &[(usize, Condition)], table: &[Values<'_>], row: usize) -> bool {
    tests.iter().all(|(feature, test)| test.holds(table[*feature].number(row)))
}

/// The training rows that rules are judged by.
struct Judge<'a> {
    table: Vec<Values<'a>>,
    y: Vec<usize>,
    weights: Option<Vec<f64>>,
    confidence: f64,
}

impl Judge<'_> {
    fn weight(&self, row: usize) -> f64 {
        Weights::of(&self.weights)[row]
    }

    fn limit(&self, [n, e]: [f64; 2]) -> f64 {
        if n > 0.0 { upper_limit(e, n, self.confidence) } else { 1.0 }
    }

    /// Weight and errors of the rule in one pass, and after those of the rule without each of its conditions: a row
    /// that misses only one of them counts there.
    fn counts(&self, tests: &[(usize, Condition)], class: usize) -> Vec<[f64; 2]> {
        let mut counts = vec![[0.0; 2]; tests.len() + 1];
        for (i, &y) in self.y.iter().enumerate() {
            let mut missed = tests
                .iter()
                .enumerate()
                .filter(|(_, (feature, test))| !test.holds(self.table[*feature].number(i)))
                .map(|(j, _)| j);
            let (first, second) = (missed.next(), missed.next());
            let mut add = |at: usize| {
                counts[at][0] += self.weight(i);
                counts[at][1] += if y == class { 0.0 } else { self.weight(i) };
            };
            match (first, second) {
                (None, _) => (0..=tests.len()).for_each(add),
                (Some(j), None) => add(j + 1),
                _ => {}
            }
        }
        counts
    }

    /// Drops conditions as long as the pessimistic error does not rise.
    fn generalise(&self, mut tests: Vec<(usize, Condition)>, class: usize, schema: &Schema) -> Rule {
        loop {
            let counts = self.counts(&tests, class);
            let limits: Vec<f64> = counts.iter().map(|c| -self.limit(*c)).collect();
            let best = argmax(&limits[1..]);
            if tests.is_empty() || limits[best + 1] < limits[0] {
                let conditions = tests.iter().map(|(f, test)| test.text(schema, *f)).collect();
                let [weight, errors] = counts[0];
                return Rule { conditions, class, weight, errors, error_limit: -limits[0], tests };
            }
            tests.remove(best);
        }
    }

    /// Of each class, the rules that tell it most briefly.
    fn shortest(&self, rules: Vec<Rule>, n_classes: usize, session: &Session) -> Vec<Rule> {
        let n = self.y.len();
        let code = Code::new(&self.table, n);
        let of_class = |class: usize| {
            let mut own: Vec<Rule> = rules.iter().filter(|r| r.class == class).cloned().collect();
            let rows_of = |r: &Rule| {
                (0..n as u32).filter(|&i| meets(&r.tests, &self.table, i as usize)).collect::<Vec<u32>>()
            };
            let (met, bits) = own.iter().map(|r| (rows_of(r), code.bits(&r.tests))).unzip();
            let of = self.y.iter().map(|&y| y == class).collect();
            let candidates = Candidates::new(met, bits, of, Weights::of(&self.weights));
            let mut chosen = candidates.best(class as u64, session).into_iter();
            own.retain(|_| chosen.next() == Some(true));
            own
        };
        (0..n_classes).flat_map(of_class).collect()
    }
}

impl MultiwayTreeModel {
    /// The leaves as rules that are generalised on these data, normally those of training; `confidence` is that of
    /// pessimistic errors, 0.25 as a rule. Of each class those are kept that tell it most briefly (least description
    /// length, C4.5 chapter 5); classes stand by how few rows of others their rules claim.
    pub fn rules(
        &self,
        data: &Dataset<'_>,
        schema: &Schema,
        confidence: f64,
        session: &Session,
    ) -> Result<RuleSet> {
        if !(confidence > 0.0 && confidence <= 1.0) {
            return Err(Error::param("rules", "confidence", "in (0, 1]", confidence));
        }
        let input = data.input();
        let input = schema.align("a set of rules", &input, session.unseen())?;
        let target = data.need_target("a set of rules")?;
        let (codes, own) = target.class()?;
        let place = |&c: &u32| {
            let label = own.get(c as usize);
            self.labels().iter().position(|l| Some(l) == label).unwrap_or(usize::MAX)
        };
        let judge = Judge {
            table: columns("a set of rules", input.rows("a set of rules")?)?,
            y: codes.iter().map(place).collect(),
            weights: data.weights().map(std::borrow::Cow::into_owned),
            confidence,
        };
        let mut rules: Vec<Rule> = Vec::new();
        for (leaf, tests) in self.tree.ways() {
            if session.interrupted().is_some() {
                return Err(mercer_core::ErrorKind::Cancelled.into());
            }
            let rule = judge.generalise(tests, argmax(self.tree.value(leaf)), schema);
            let same = |r: &Rule| r.class == rule.class && r.conditions == rule.conditions;
            if rule.weight > 0.0 && !rule.tests.is_empty() && !rules.iter().any(same) {
                rules.push(rule);
            }
        }
        let rules = judge.shortest(rules, self.labels().len(), session);
        Ok(ordered(rules, &judge, self.labels()))
    }
}

/// Rules by class: first the class whose rules claim the fewest rows of others among those still open; within a class
/// the surest first. The default is the most frequent class among the rows that no rule meets, else among all.
fn ordered(mut rules: Vec<Rule>, judge: &Judge<'_>, labels: &[Label]) -> RuleSet {
    rules.sort_by(|a, b| a.error_limit.total_cmp(&b.error_limit));
    let mut open: Vec<usize> = (0..judge.y.len()).collect();
    let mut left: Vec<usize> = (0..labels.len()).filter(|&c| rules.iter().any(|r| r.class == c)).collect();
    let mut out = Vec::with_capacity(rules.len());
    while !left.is_empty() {
        let claimed = |class: usize, row: usize| {
            rules.iter().any(|r| r.class == class && meets(&r.tests, &judge.table, row))
        };
        let wrong = |class: usize| {
            let rows = open.iter().filter(|&&i| judge.y[i] != class && claimed(class, i));
            -rows.map(|&i| judge.weight(i)).sum::<f64>()
        };
        let class = left.remove(argmax(&left.iter().map(|&c| wrong(c)).collect::<Vec<_>>()));
        open.retain(|&i| !claimed(class, i));
        out.extend(rules.iter().filter(|r| r.class == class).cloned());
    }
    let all: Vec<usize> = (0..judge.y.len()).collect();
    let rows = if open.is_empty() { &all } else { &open };
    let mut totals = vec![0.0; labels.len()];
    for &i in rows {
        if let Some(total) = totals.get_mut(judge.y[i]) {
            *total += judge.weight(i);
        }
    }
    RuleSet { rules: out, default: argmax(&totals), labels: labels.to_vec() }
}
