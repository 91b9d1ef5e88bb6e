//! Finite Markov decision processes.

use super::{Input, Pairs};
use crate::error::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A finite Markov decision process: states, actions, transitions with probabilities and rewards.
#[derive(Clone, Debug, PartialEq)]
pub struct Mdp {
    states: Arc<[String]>,
    actions: Arc<[String]>,
    /// Transitions of (state, action) lie at `offsets[s * n_actions + a]..offsets[s * n_actions + a + 1]`.
    offsets: Vec<usize>,
    transitions: Vec<Transition>,
    /// The same for planners, made once: each of them would, and that takes as long as several sweeps.
    pairs: Arc<Pairs>,
    discount: Option<f64>,
}

/// Transition: one state that an action may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// The next state.
    pub next: u32,
    /// Its probability.
    pub probability: f64,
    /// The reward on the way.
    pub reward: f64,
}

/// The file form of a decision process.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MdpFile {
    states: Vec<String>,
    actions: Vec<String>,
    #[serde(default)]
    discount: Option<f64>,
    /// Each `[state, action, next state, probability, reward]`, by name.
    transitions: Vec<(String, String, String, f64, f64)>,
}

impl Mdp {
    /// A process from its transitions `(state, action, next, probability, reward)`, by index.
    ///
    /// Probabilities of each available (state, action) must sum to 1; a state without actions is terminal.
    pub fn new(
        states: Vec<String>,
        actions: Vec<String>,
        transitions: &[(usize, usize, usize, f64, f64)],
        discount: Option<f64>,
    ) -> Result<Self> {
        let (n_states, n_actions) = (states.len(), actions.len());
        if n_states == 0 || n_actions == 0 {
            return Err(Error::too_few("an Mdp", "states and actions", 1, 0));
        }
        if let Some(g) = discount.filter(|g| !(0.0..=1.0).contains(g)) {
            return Err(Error::param("Mdp", "discount", "in [0, 1]", g));
        }
        refuse_twice("state", &states)?;
        refuse_twice("action", &actions)?;
        // Counted first and put in place then, so that the time is that of reading the transitions twice.
        let mut offsets = vec![0; n_states * n_actions + 1];
        for (row, &(s, a, next, probability, reward)) in transitions.iter().enumerate() {
            let bad = |value: String, column: &str| bad_transition(value, column, row);
            if s >= n_states || next >= n_states {
                return Err(bad(format!("the state {}", s.max(next)), "state"));
            }
            if a >= n_actions {
                return Err(bad(format!("the action {a}"), "action"));
            }
            if !(0.0..=1.0).contains(&probability) {
                return Err(bad(format!("the probability {probability}"), "probability"));
            }
            if !reward.is_finite() {
                return Err(bad(format!("the reward {reward}"), "reward"));
            }
            offsets[s * n_actions + a + 1] += 1;
        }
        (0..n_states * n_actions).for_each(|i| offsets[i + 1] += offsets[i]);
        let mut free = offsets.clone();
        let mut placed = vec![Transition { next: 0, probability: 0.0, reward: 0.0 }; transitions.len()];
        for &(s, a, next, probability, reward) in transitions {
            let at = &mut free[s * n_actions + a];
            placed[*at] = Transition { next: next as u32, probability, reward };
            *at += 1;
        }
        check_sums(&states, &actions, &offsets, &placed)?;
        let pairs = Arc::new(Pairs::new(&offsets, &placed, n_actions));
        let (states, actions) = (states.into(), actions.into());
        Ok(Self { states, actions, offsets, transitions: placed, pairs, discount })
    }

    /// A process whose states and actions are called by their numbers.
    pub fn numbered(
        n_states: usize,
        n_actions: usize,
        transitions: &[(usize, usize, usize, f64, f64)],
        discount: Option<f64>,
    ) -> Result<Self> {
        let names = |n: usize| (0..n).map(|i| i.to_string()).collect();
        Self::new(names(n_states), names(n_actions), transitions, discount)
    }

    /// Reads the JSON form: `{"states": […], "actions": […], "discount": 0.9, "transitions":
    /// [["s0", "right", "s1", 1.0, 0.0], …]}`.
    pub fn from_json(text: &str) -> Result<Self> {
        let file: MdpFile = serde_json::from_str(text).map_err(|e| ErrorKind::Parse {
            source_name: "decision process".to_owned(),
            line: e.line() as u64,
            column: e.column() as u64,
            reason: e.to_string(),
        })?;
        let places = |names: &[String]| -> HashMap<String, usize> {
            names.iter().enumerate().map(|(i, name)| (name.clone(), i)).collect()
        };
        let (states, actions) = (places(&file.states), places(&file.actions));
        let find = |what, places: &HashMap<String, usize>, names: &[String], name: &str| {
            let unknown = || Error::unknown(what, name, names.iter().map(String::as_str));
            places.get(name).copied().ok_or_else(unknown)
        };
        let transitions = file
            .transitions
            .iter()
            .map(|(s, a, next, p, r)| {
                let state = |name| find("state", &states, &file.states, name);
                Ok((state(s)?, find("action", &actions, &file.actions, a)?, state(next)?, *p, *r))
            })
            .collect::<Result<Vec<_>>>()?;
        Self::new(file.states, file.actions, &transitions, file.discount)
    }

    /// The names of the states.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// The names of the actions.
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// The names of the states, for models to hold without a copy.
    pub fn shared_states(&self) -> Arc<[String]> {
        self.states.clone()
    }

    /// The names of the actions, for models to hold without a copy.
    pub fn shared_actions(&self) -> Arc<[String]> {
        self.actions.clone()
    }

    /// The pairs of states and actions, as planners read them.
    pub fn pairs(&self) -> &Arc<Pairs> {
        &self.pairs
    }

    /// The discount that the file asks for, if it does.
    pub fn discount(&self) -> Option<f64> {
        self.discount
    }

    /// How many transitions there are.
    pub fn n_transitions(&self) -> usize {
        self.transitions.len()
    }

    /// The transitions of an action; empty where it is not available.
    pub fn transitions(&self, state: usize, action: usize) -> &[Transition] {
        let i = state * self.actions.len() + action;
        &self.transitions[self.offsets[i]..self.offsets[i + 1]]
    }
}

impl From<Mdp> for Input<'_> {
    fn from(mdp: Mdp) -> Self {
        Input::Mdp(Arc::new(mdp))
    }
}

/// Two states of one name could not be told apart.
fn refuse_twice(what: &str, names: &[String]) -> Result<()> {
    let mut seen = HashSet::with_capacity(names.len());
    match names.iter().find(|name| !seen.insert(name.as_str())) {
        Some(name) => {
            Err(Error::param("Mdp", &format!("names of {what}s"), "different", format!("`{name}` twice")))
        }
        None => Ok(()),
    }
}

/// The probabilities of each available pair of state and action sum to 1.
fn check_sums(
    states: &[String],
    actions: &[String],
    offsets: &[usize],
    transitions: &[Transition],
) -> Result<()> {
    for (i, range) in offsets.windows(2).enumerate() {
        let pair = &transitions[range[0]..range[1]];
        let total: f64 = pair.iter().map(|t| t.probability).sum();
        if !pair.is_empty() && (total - 1.0).abs() > 1e-9 {
            let (s, a) = (&states[i / actions.len()], &actions[i % actions.len()]);
            let expected = "such that the probabilities sum to 1";
            return Err(Error::param("Mdp", &format!("transitions of ({s}, {a})"), expected, total));
        }
    }
    Ok(())
}

fn bad_transition(value: String, column: &str, row: usize) -> Error {
    ErrorKind::BadValue {
        learner: "an Mdp".to_owned(),
        value,
        column: column.to_owned(),
        row,
        hint: String::new(),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_and_checked() {
        let text =
            r#"{"states": ["a", "b"], "actions": ["go"], "transitions": [["a", "go", "b", 1.0, 5.0]]}"#;
        let mdp = Mdp::from_json(text).unwrap();
        assert_eq!(mdp.transitions(0, 0), &[Transition { next: 1, probability: 1.0, reward: 5.0 }]);
        assert!(mdp.transitions(1, 0).is_empty());
        let half = text.replace("1.0, 5.0", "0.5, 5.0");
        assert!(Mdp::from_json(&half).unwrap_err().to_string().contains("sum to 1"));
        let typo = text.replace(r#""b", 1.0"#, r#""c", 1.0"#);
        assert!(Mdp::from_json(&typo).unwrap_err().to_string().contains("state"));
        let twice = text.replace(r#"["a", "b"]"#, r#"["a", "b", "a"]"#);
        assert!(Mdp::from_json(&twice).unwrap_err().to_string().contains("`a` twice"));
    }

    /// Transitions come in any order, and keep theirs within a pair.
    #[test]
    fn transitions_are_put_in_place() {
        let given = [(1, 1, 0, 0.5, 1.0), (0, 0, 1, 1.0, 2.0), (1, 1, 1, 0.5, 3.0), (1, 0, 1, 1.0, 4.0)];
        let mdp = Mdp::numbered(2, 2, &given, None).unwrap();
        let rewards = |s, a| mdp.transitions(s, a).iter().map(|t| t.reward).collect::<Vec<_>>();
        assert_eq!([rewards(0, 0), rewards(1, 0), rewards(1, 1)], [vec![2.0], vec![4.0], vec![1.0, 3.0]]);
        assert!(rewards(0, 1).is_empty() && mdp.states() == ["0", "1"]);
        for (bad, column) in [
            ((0, 0, 2, 1.0, 0.0), "state"),
            ((0, 2, 0, 1.0, 0.0), "action"),
            ((0, 0, 0, f64::NAN, 0.0), "probability"),
            ((0, 0, 0, 1.0, f64::INFINITY), "reward"),
        ] {
            assert!(Mdp::numbered(2, 2, &[bad], None).unwrap_err().to_string().contains(column));
        }
    }
}
