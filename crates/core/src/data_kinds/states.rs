//! States of a decision process, which a policy is asked about.

use super::rows::Rows;
use super::{DataKind, Input, strings, wrong_kind};
use crate::error::{Error, Result};
use std::borrow::Cow;

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
        let place = |text: &String| {
            let number = || text.parse().ok().filter(|s| self.numbered && *s < known.len());
            let place = known.iter().position(|name| name == text).or_else(number);
            place.ok_or_else(|| Error::unknown("state", text, known.iter().map(String::as_str)))
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
