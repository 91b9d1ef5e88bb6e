//! States of a decision process, which a policy is asked about.

use super::rows::Rows;
use super::{DataKind, Input, strings, wrong_kind};
use crate::error::{Error, Result};
use std::borrow::Cow;
use std::collections::HashMap;

/// Up to so many states are looked for among the names one by one.
const FEW: usize = 8;

/// States of a decision process, by name or by number.
#[derive(Clone, Debug, PartialEq)]
pub struct States<'a> {
    texts: Cow<'a, [String]>,
    /// Whether a text that is no name may be a number.
    numbered: bool,
}

impl<'a> States<'a> {
    /// States by name.
    pub fn named(names: impl Into<Cow<'a, [String]>>) -> Self {
        Self { texts: names.into(), numbered: false }
    }

    /// States from the cells of a single column: names, or numbers where no state is called so.
    pub fn from_rows(rows: &Rows<'_>) -> Result<Self> {
        let table = rows.table()?;
        let [column] = table.columns() else {
            return Err(Error::shape("columns of states", 1, table.n_columns()));
        };
        let text = |i| column.text(i).unwrap_or_default().into_owned();
        Ok(Self { texts: (0..column.len()).map(text).collect(), numbered: true })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The place of each among the states of a process.
    pub fn places(&self, known: &[String]) -> Result<Vec<usize>> {
        // A few are sooner found one by one than all names are put in a map.
        let found = (self.len() > FEW).then(|| {
            let names = known.iter().enumerate().rev();
            names.map(|(s, name)| (name.as_str(), s)).collect::<HashMap<_, _>>()
        });
        let place = |text: &String| {
            let name = match &found {
                Some(found) => found.get(text.as_str()).copied(),
                None => known.iter().position(|name| name == text),
            };
            let number = || text.parse().ok().filter(|s| self.numbered && *s < known.len());
            let unknown = || Error::unknown("state", text, known.iter().map(String::as_str));
            name.or_else(number).ok_or_else(unknown)
        };
        self.texts.iter().map(place).collect()
    }

    /// The chosen states, copied.
    pub(super) fn gather(&self, chosen: &[usize]) -> States<'static> {
        States { texts: strings::gather(&self.texts, chosen), numbered: self.numbered }
    }
}

/// States as they are; strings are their names, the cells of a column names or numbers.
pub(super) fn align<'i, 'a>(owner: &str, input: &'i Input<'a>) -> Result<Cow<'i, Input<'a>>> {
    Ok(match input {
        Input::States(_) => Cow::Borrowed(input),
        Input::Strings(names) => Cow::Owned(States::named(names.clone()).into()),
        Input::Rows(rows) => Cow::Owned(States::from_rows(rows)?.into()),
        Input::Density(_) | Input::Mdp(_) | Input::Series(_) | Input::Graphs(_) | Input::Environment(_) => {
            return Err(wrong_kind(owner, DataKind::States, input.kind()));
        }
    })
}

impl<'a> From<States<'a>> for Input<'a> {
    fn from(states: States<'a>) -> Self {
        Input::States(states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::Mat;

    /// Many are found as few are: by name first, of equal names at the first, then by number, with the same error.
    #[test]
    fn many_states_are_found_as_few_are() {
        let known: Vec<String> = ["a", "2", "end", "a", "7"].map(str::to_owned).to_vec();
        let one = |numbered: bool, text: &str| {
            let states = States { texts: vec![text.to_owned()].into(), numbered };
            states.places(&known).map_err(|error| error.to_string())
        };
        for numbered in [false, true] {
            for text in ["a", "2", "end", "7", "0", "4", "5", "b", "", "-1"] {
                let many = States { texts: vec![text.to_owned(); 3 * FEW].into(), numbered };
                let many = many.places(&known).map_err(|error| error.to_string());
                assert_eq!(many, one(numbered, text).map(|place| vec![place[0]; 3 * FEW]), "{text}");
            }
        }
        assert_eq!(one(false, "a").unwrap(), [0]);
        assert_eq!((one(true, "2").unwrap(), one(true, "4").unwrap()), (vec![1], vec![4]));
    }

    #[test]
    fn names_go_before_numbers_and_strings_are_names_alone() {
        let known = ["a", "2", "end"].map(str::to_owned);
        let column = Rows::from(Mat::from_rows(&[[2.0], [0.0]]).unwrap());
        assert_eq!(States::from_rows(&column).unwrap().places(&known).unwrap(), [1, 0]);
        let strings = States::named(vec!["end".to_owned(), "0".to_owned()]);
        assert_eq!(strings.gather(&[0]).places(&known).unwrap(), [2]);
        assert!(strings.places(&known).unwrap_err().to_string().contains("no state is called `0`"));
        assert!(States::from_rows(&Rows::from(Mat::zeros(2, 2))).is_err());
    }
}
