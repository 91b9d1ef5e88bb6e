//! What a Markov chain earns in a step for ever, and the bias: what a start is worth beside that.

use super::chain::{Chain, homes, places};
use super::flat::{Change, Flat, NONE};

/// Gain and bias of each state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Gains {
    pub(crate) gain: Vec<f64>,
    pub(crate) bias: Vec<f64>,
}

impl Gains {
    /// Gain and bias of a chain, one strongly connected component after the other.
    ///
    ///   g = P g,  g + h = r + P h,  and of each recurrent class: its stationary mean of h is 0
    pub(crate) fn of(chain: &Chain) -> Self {
        let n = chain.n_states();
        let components = chain.components();
        let home = homes(&components, n);
        let (mut gain, mut bias) = (vec![0.0; n], vec![0.0; n]);
        let nothing = vec![0.0; n];
        for component in &components {
            if chain.is_closed(component, &home) {
                recur(chain, component, &home, &mut gain, &mut bias);
                continue;
            }
            chain.solve(component, &home, 1.0, &nothing, &mut gain);
            let mut beside = chain.reward.clone();
            component.iter().for_each(|&s| beside[s as usize] -= gain[s as usize]);
            chain.solve(component, &home, 1.0, &beside, &mut bias);
        }
        Self { gain, bias }
    }

    /// The best of each state when gains come first and biases decide among the pairs whose gain is best.
    pub(crate) fn greedy(&self, flat: &Flat, held: Option<&[u32]>) -> Vec<u32> {
        let best: Vec<f64> = (0..flat.n_states()).map(|s| self.best_gain(flat, s)).collect();
        let mut pairs = vec![NONE; flat.n_states()];
        let mut state_of = vec![0u32; flat.n_pairs()];
        for s in 0..flat.n_states() {
            state_of[flat.of(s)].fill(s as u32);
        }
        let worth = |pair: usize| match self.keeps(flat, pair, best[state_of[pair] as usize]) {
            true => flat.value(pair, 1.0, &self.bias),
            false => f64::NEG_INFINITY,
        };
        pairs.copy_from_slice(&flat.greedy_by(worth, held));
        pairs
    }

    fn best_gain(&self, flat: &Flat, s: usize) -> f64 {
        flat.of(s).map(|pair| flat.expected(pair, &self.gain)).reduce(f64::max).unwrap_or(0.0)
    }

    /// Whether a pair leads to gains that are the best to rounding.
    fn keeps(&self, flat: &Flat, pair: usize, best: f64) -> bool {
        flat.expected(pair, &self.gain) >= best - 1e-10 * (1.0 + best.abs())
    }

    /// How far gain and bias are from the equations of optimality, and from those of a policy:
    ///
    ///   g = max_a P_a g,   g + h = max (r_a + P_a h) over the actions of best gain
    pub(crate) fn residuals(&self, flat: &Flat, pairs: &[u32]) -> (f64, f64) {
        let (mut of_gain, mut of_bias) = (Change::NOTHING.with(0.0), Change::NOTHING.with(0.0));
        for (s, &own) in pairs.iter().enumerate() {
            let (gain, sum) = (self.gain[s], self.gain[s] + self.bias[s]);
            if flat.of(s).is_empty() || own == NONE {
                let missing = if flat.of(s).is_empty() { 0.0 } else { f64::NEG_INFINITY };
                of_gain = of_gain.with(missing - gain);
                of_bias = of_bias.with(missing - self.bias[s]);
                continue;
            }
            let best = self.best_gain(flat, s);
            let keep = flat.of(s).filter(|&pair| self.keeps(flat, pair, best));
            let most = keep.map(|pair| flat.value(pair, 1.0, &self.bias)).fold(f64::NEG_INFINITY, f64::max);
            of_gain = of_gain.with(best - gain).with(flat.expected(own as usize, &self.gain) - gain);
            of_bias = of_bias.with(most - sum).with(flat.value(own as usize, 1.0, &self.bias) - sum);
        }
        (of_gain.size(), of_bias.size())
    }
}

/// Gain and bias of a recurrent class, by its stationary shares.
fn recur(chain: &Chain, component: &[u32], home: &[u32], gain: &mut [f64], bias: &mut [f64]) {
    let place = places(component, chain.n_states());
    let mut block = chain.block(component, home, &place, 1.0);
    // Nothing leaves; what rounding says does, would.
    block.leaving.fill(0.0);
    let reward: Vec<f64> = component.iter().map(|&s| chain.reward[s as usize]).collect();
    let mut right = [reward.clone(), vec![1.0; reward.len()]];
    // h = r-part − g · 1-part, once the gain is known: both are solved for at once.
    let solved = block.eliminate(&mut right);
    let shares = block.stationary();
    let mean: f64 = mercer_math::dot(&shares, &reward);
    let relative: Vec<f64> = solved[0].iter().zip(&solved[1]).map(|(r, one)| r - mean * one).collect();
    let centre = mercer_math::dot(&shares, &relative);
    for (&s, h) in component.iter().zip(relative) {
        gain[s as usize] = mean;
        bias[s as usize] = h - centre;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_core::Mdp;

    /// Two recurrent classes that a state enters by the toss of a coin, one of them periodic: by hand.
    #[test]
    fn gains_and_biases_by_hand() {
        let ways = [
            (0, 0, 1, 0.5, 0.0),
            (0, 0, 3, 0.5, 0.0),
            (1, 0, 2, 1.0, 0.0),
            (2, 0, 1, 1.0, 4.0),
            (3, 0, 3, 1.0, 1.0),
        ];
        let flat = Flat::new(&Mdp::numbered(5, 1, &ways, None).unwrap());
        let found = Gains::of(&Chain::of_pairs(&flat, &flat.greedy(0.0, &[0.0; 5], None)));
        assert_eq!(found.gain, [1.5, 2.0, 2.0, 1.0, 0.0]);
        // Of the pair 1, 2: h1 + 2 = h2, h2 + 2 = 4 + h1, h1 + h2 = 0. Of 0: h0 = −1.5 + (h1 + h3)/2.
        assert_eq!(found.bias, [-2.0, -1.0, 1.0, 0.0, 0.0]);
        assert_eq!(found.residuals(&flat, &[0, 1, 2, 3, NONE]), (0.0, 0.0));
    }
}
