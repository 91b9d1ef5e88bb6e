//! Blackjack as example 5.1 of Sutton and Barto has it: cards from an endless deck against a dealer who draws up to 17.
//!
//! Observed are the player's sum, the dealer's open card (an ace is 1), and whether an ace counts 11.

use crate::options::Options;
use mercer_core::{Dynamics, Environment, Error, Outcome, Result, Simulation, Space};
use mercer_math::{Rng, below, rng_for};

/// The rules of the house.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// A natural wins unless the dealer has one, too.
    book: bool,
    /// Without the book's rule: a natural that wins pays 1.5.
    natural: bool,
}

struct Blackjack {
    rules: Rules,
    space: Space,
}

pub(super) fn blackjack(mut options: Options) -> Result<Environment> {
    let rules = Rules { book: options.truth("book", true)?, natural: options.truth("natural", false)? };
    if rules.book && rules.natural {
        return Err(Error::param(
            "blackjack",
            "natural",
            "false under the book's rules (`book=false`)",
            true,
        ));
    }
    options.done()?;
    Environment::new("blackjack", Blackjack { rules, space: Space::Several(vec![32, 11, 2]) })
}

impl Dynamics for Blackjack {
    fn observations(&self) -> &Space {
        &self.space
    }
    fn n_actions(&self) -> usize {
        2
    }
    fn actions(&self) -> Vec<String> {
        ["stick", "hit"].map(str::to_owned).to_vec()
    }
    fn names(&self) -> Vec<String> {
        ["sum", "dealer", "usable_ace"].map(str::to_owned).to_vec()
    }
    fn make(&self, seed: u64) -> Result<Box<dyn Simulation>> {
        let (player, dealer) = (Hand::default(), Hand::default());
        Ok(Box::new(Table { rules: self.rules, player, dealer, shown: 0, rng: rng_for(seed, 0) }))
    }
}

/// A hand: its sum with every ace as 1, whether there is an ace, how many cards.
#[derive(Clone, Copy, Debug, Default)]
struct Hand {
    sum: u32,
    ace: bool,
    cards: u32,
}

impl Hand {
    fn take(&mut self, card: u32) {
        self.sum += card;
        self.ace |= card == 1;
        self.cards += 1;
    }
    /// Whether an ace counts 11.
    fn usable(self) -> bool {
        self.ace && self.sum + 10 <= 21
    }
    fn total(self) -> u32 {
        self.sum + if self.usable() { 10 } else { 0 }
    }
    fn score(self) -> u32 {
        if self.total() > 21 { 0 } else { self.total() }
    }
    fn is_natural(self) -> bool {
        self.cards == 2 && self.total() == 21
    }
}

struct Table {
    rules: Rules,
    player: Hand,
    dealer: Hand,
    /// The dealer's open card.
    shown: u32,
    rng: Rng,
}

/// A card of an endless deck: faces count 10.
fn card(rng: &mut Rng) -> u32 {
    (below(rng, 13) as u32 + 1).min(10)
}

impl Table {
    fn show(&self, observation: &mut [f64]) {
        let usable = u32::from(self.player.usable());
        for (slot, value) in observation.iter_mut().zip([self.player.total(), self.shown, usable]) {
            *slot = f64::from(value);
        }
    }

    /// The dealer plays; what the player gets.
    fn stick(&mut self) -> f64 {
        while self.dealer.total() < 17 {
            self.dealer.take(card(&mut self.rng));
        }
        let (mine, theirs) = (self.player.score(), self.dealer.score());
        let reward = f64::from(i8::from(mine > theirs) - i8::from(mine < theirs));
        match (self.rules.book, self.player.is_natural()) {
            (true, true) if !self.dealer.is_natural() => 1.0,
            (false, true) if self.rules.natural && reward == 1.0 => 1.5,
            _ => reward,
        }
    }
}

impl Simulation for Table {
    fn reset(&mut self, seed: Option<u64>, observation: &mut [f64]) -> Result<()> {
        if let Some(seed) = seed {
            self.rng = rng_for(seed, 0);
        }
        (self.player, self.dealer) = (Hand::default(), Hand::default());
        self.shown = card(&mut self.rng);
        self.dealer.take(self.shown);
        self.dealer.take(card(&mut self.rng));
        self.player.take(card(&mut self.rng));
        self.player.take(card(&mut self.rng));
        self.show(observation);
        Ok(())
    }

    fn step(&mut self, action: usize, observation: &mut [f64]) -> Result<Outcome> {
        let (reward, terminated) = match action {
            0 => (self.stick(), true),
            1 => {
                self.player.take(card(&mut self.rng));
                let bust = self.player.total() > 21;
                (if bust { -1.0 } else { 0.0 }, bust)
            }
            other => return Err(Error::param("blackjack", "action", "0 (stick) or 1 (hit)", other)),
        };
        self.show(observation);
        Ok(Outcome { reward, terminated, truncated: false })
    }

    /// `[sum, dealer's card, usable ace]`, of a hand of three cards; the dealer's second card is drawn.
    fn set_state(&mut self, state: &[f64]) -> Result<()> {
        let &[sum, shown, usable] = state else {
            return Err(Error::shape("numbers of a state of blackjack", 3, state.len()));
        };
        let within =
            (4.0..=21.0).contains(&sum) && (1.0..=10.0).contains(&shown) && [0.0, 1.0].contains(&usable);
        let hard = sum - 10.0 * usable;
        if !within || hard < 1.0 || [sum, shown].iter().any(|v| v.fract() != 0.0) {
            let message = "a sum of 4 to 21, a card of 1 to 10, and 0 or 1";
            return Err(Error::param("blackjack", "state", message, format!("{state:?}")));
        }
        self.player = Hand { sum: hard as u32, ace: usable == 1.0, cards: 3 };
        self.shown = shown as u32;
        self.dealer = Hand::default();
        self.dealer.take(self.shown);
        self.dealer.take(card(&mut self.rng));
        Ok(())
    }
}
