//! What an agent sees of an observation: a few features, of which values are sums. A table is the basis with one feature a state.

use mercer_core::{Choice, Environment, Error, ErrorKind, ParamGroup, Result, Space};
use serde::{Deserialize, Serialize};

/// Which features values are sums of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Choice)]
pub enum Features {
    /// A table where observations can be counted, tiles elsewhere.
    Auto,
    /// A value for each observation.
    Table,
    /// Tile coding.
    Tiles,
    /// Cosines.
    Fourier,
    /// Radial functions that sum to 1.
    Rbf,
    /// The numbers themselves, and a constant.
    Linear,
}

/// The features of observations.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct FeatureParams {
    /// What values are sums of.
    #[param(default = Features::Auto)]
    pub features: Features,
    /// Tiles: how many tilings.
    #[param(default = 8, range = "[1, inf)")]
    pub tilings: usize,
    /// Tiles: how many tiles across each number.
    #[param(default = 8, range = "[1, inf)")]
    pub tiles: usize,
    /// Cosines: the highest frequency.
    #[param(default = 3, range = "[0, inf)")]
    pub order: usize,
    /// Radial functions: how many centres across each number.
    #[param(default = 5, range = "[2, inf)")]
    pub centers: usize,
}

/// A value for each observation.
pub(crate) fn table() -> FeatureParams {
    FeatureParams { features: Features::Table, ..FeatureParams::default() }
}

/// The features of one observation that are not zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// Which they are.
    pub index: Vec<u32>,
    /// How large they are.
    pub value: Vec<f64>,
    /// The place of the observation, where it can be counted.
    pub place: Option<usize>,
}

/// A basis of features, as it stands in a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Basis {
    kind: Features,
    /// How many values each number has, where observations can be counted.
    counts: Vec<usize>,
    low: Vec<f64>,
    high: Vec<f64>,
    /// Tilings.
    layers: usize,
    /// Tiles, frequencies or centres across each number.
    across: usize,
    n_features: usize,
}

/// More features than this are refused: their weights would fill the memory.
const MOST: usize = 1 << 26;

impl Basis {
    pub(super) fn new(learner: &str, params: &FeatureParams, environment: &Environment) -> Result<Self> {
        let space = environment.observations();
        let counts = match space {
            Space::Discrete(n) => vec![*n],
            Space::Several(counts) => counts.clone(),
            Space::Box { .. } => Vec::new(),
        };
        let kind = match (params.features, space.count()) {
            (Features::Auto, Some(_)) => Features::Table,
            (Features::Auto, None) => Features::Tiles,
            (Features::Table, None) => {
                let expected = "another: observations of this environment cannot be counted";
                return Err(Error::param(learner, "features", expected, "table"));
            }
            (kind, _) => kind,
        };
        let (low, high) = match space {
            Space::Box { low, high } => (low.clone(), high.clone()),
            Space::Discrete(_) | Space::Several(_) => {
                (vec![0.0; counts.len()], counts.iter().map(|n| (*n as f64 - 1.0).max(1.0)).collect())
            }
        };
        let width = low.len() as u32;
        let (layers, across) = match kind {
            Features::Tiles => (params.tilings, params.tiles),
            Features::Fourier => (1, params.order),
            Features::Rbf => (1, params.centers),
            Features::Table | Features::Linear | Features::Auto => (1, 1),
        };
        let n_features = match kind {
            Features::Table | Features::Auto => space.count(),
            Features::Tiles => (across + 1).checked_pow(width).and_then(|n| n.checked_mul(layers)),
            Features::Fourier => (across + 1).checked_pow(width),
            Features::Rbf => across.checked_pow(width),
            Features::Linear => Some(low.len() + 1),
        };
        let n_features = n_features
            .filter(|n| n.checked_mul(environment.n_actions()).is_some_and(|n| n <= MOST))
            .ok_or_else(|| {
                Error::from(ErrorKind::Numeric {
                    learner: learner.to_owned(),
                    reason: format!(
                        "more than {MOST} weights: fewer tiles, frequencies or centres are wanted"
                    ),
                })
            })?;
        Ok(Self { kind, counts, low, high, layers, across, n_features })
    }

    pub(super) fn n_features(&self) -> usize {
        self.n_features
    }

    pub(super) fn n_numbers(&self) -> usize {
        self.low.len()
    }

    /// How many observations there are, where they can be counted; else 0.
    pub(super) fn n_places(&self) -> usize {
        let all = self.counts.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
        if self.counts.is_empty() { 0 } else { all.unwrap_or(0) }
    }

    /// Whether there is a feature for each observation.
    pub(super) fn is_table(&self) -> bool {
        self.kind == Features::Table
    }

    /// By what a step is divided: about the squared length of what is seen, so that a rate of 1 sets a value to its target
    /// whatever the features.
    pub(super) fn share(&self) -> f64 {
        match self.kind {
            Features::Tiles => self.layers as f64,
            Features::Fourier => 0.5 * (self.n_features as f64 + 1.0),
            Features::Linear => self.n_features as f64,
            Features::Table | Features::Rbf | Features::Auto => 1.0,
        }
    }

    /// Weights of all features under which everything has the same value.
    pub(super) fn flat(&self, value: f64, n_actions: usize) -> Vec<f64> {
        let mut weights = vec![0.0; self.n_features * n_actions];
        match self.kind {
            Features::Table | Features::Rbf | Features::Auto => weights.fill(value),
            Features::Tiles => weights.fill(value / self.layers as f64),
            // The first feature is the constant.
            Features::Fourier | Features::Linear => weights[..n_actions].fill(value),
        }
        weights
    }

    /// How much slower a feature learns than a constant: cosines by their frequency (Konidaris and others, 2011).
    pub(super) fn scales(&self) -> Vec<f64> {
        let scale = |f: usize| match self.kind {
            Features::Fourier => {
                let norm: f64 = self.digits(f, self.across + 1).map(|c| (c * c) as f64).sum();
                1.0 / norm.sqrt().max(1.0)
            }
            _ => 1.0,
        };
        (0..self.n_features).map(scale).collect()
    }

    /// The digits of a feature's number, one for each number of the observation, the last one first.
    fn digits(&self, feature: usize, base: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(feature), move |rest| Some(rest / base))
            .map(move |rest| rest % base)
            .take(self.low.len())
    }

    /// The place of an observation among those that can be counted.
    fn place(&self, observation: &[f64]) -> Option<usize> {
        let mut place = 0;
        for (n, v) in self.counts.iter().zip(observation) {
            let own = *v as usize;
            if own >= *n || own as f64 != *v {
                return None;
            }
            place = place * n + own;
        }
        (!self.counts.is_empty()).then_some(place)
    }

    /// A number between its ends as a share of the way; where there are no ends, x/(1+|x|) lies between -1 and 1.
    fn share_of(&self, j: usize, x: f64) -> f64 {
        let (low, high) = (self.low[j], self.high[j]);
        if low.is_finite() && high.is_finite() && high > low {
            return ((x - low) / (high - low)).clamp(0.0, 1.0);
        }
        0.5 + 0.5 * x / (1.0 + x.abs())
    }

    /// The features of an observation.
    pub(super) fn see(&self, learner: &str, observation: &[f64], sight: &mut Sight) -> Result<()> {
        sight.place = self.place(observation);
        let Sight { index, value, place } = sight;
        index.clear();
        value.clear();
        if observation.iter().any(|v| !v.is_finite()) || (!self.counts.is_empty() && place.is_none()) {
            let expected = "one of the environment's";
            return Err(Error::param(learner, "observation", expected, format!("{observation:?}")));
        }
        match (self.kind, *place) {
            (Features::Table | Features::Auto, place) => {
                index.push(place.unwrap_or(0) as u32);
                value.push(1.0);
            }
            (Features::Tiles, _) => self.tiles(observation, index, value),
            (Features::Fourier, _) => {
                for f in 0..self.n_features {
                    let digits = self.digits(f, self.across + 1);
                    let angle: f64 =
                        digits.enumerate().map(|(j, c)| c as f64 * self.share_of(j, observation[j])).sum();
                    index.push(f as u32);
                    value.push((std::f64::consts::PI * angle).cos());
                }
            }
            (Features::Rbf, _) => self.radial(observation, index, value),
            (Features::Linear, _) => {
                index.extend(0..self.n_features as u32);
                value.push(1.0);
                value.extend((0..observation.len()).map(|j| 2.0 * self.share_of(j, observation[j]) - 1.0));
            }
        }
        Ok(())
    }

    /// One tile of each tiling; tilings are displaced by odd multiples of a fraction of a tile (Miller and Glanz, 1996).
    fn tiles(&self, observation: &[f64], index: &mut Vec<u32>, value: &mut Vec<f64>) {
        let (base, layers) = (self.across + 1, self.layers);
        for layer in 0..layers {
            let mut tile = layer;
            for (j, x) in observation.iter().enumerate() {
                let shift = (layer * (2 * j + 1) % layers) as f64 / layers as f64;
                let across = (self.share_of(j, *x) * self.across as f64 + shift) as usize;
                tile = tile * base + across.min(self.across);
            }
            index.push(tile as u32);
            value.push(1.0);
        }
    }

    /// Gaussians on a grid, as wide as they are apart, scaled to sum to 1.
    fn radial(&self, observation: &[f64], index: &mut Vec<u32>, value: &mut Vec<f64>) {
        let apart = (self.across - 1) as f64;
        for f in 0..self.n_features {
            let digits = self.digits(f, self.across);
            let away: f64 = digits
                .enumerate()
                .map(|(j, c)| (self.share_of(j, observation[j]) * apart - c as f64).powi(2))
                .sum();
            index.push(f as u32);
            value.push((-0.5 * away).exp());
        }
        let total: f64 = value.iter().sum();
        value.iter_mut().for_each(|v| *v /= total);
    }

    /// Whether what was loaded fits together.
    pub(super) fn is_consistent(&self) -> bool {
        let width = self.low.len() as u32;
        let product = |all: Option<usize>, n: &usize| all.and_then(|all| all.checked_mul(*n));
        let n_features = match self.kind {
            Features::Table => self.counts.iter().fold(Some(1), product),
            Features::Tiles => {
                (self.across.saturating_add(1)).checked_pow(width).and_then(|n| n.checked_mul(self.layers))
            }
            Features::Fourier => (self.across.saturating_add(1)).checked_pow(width),
            Features::Rbf => self.across.checked_pow(width),
            Features::Linear => Some(self.low.len() + 1),
            Features::Auto => None,
        };
        n_features == Some(self.n_features)
            && self.low.len() == self.high.len()
            && (self.counts.is_empty() || self.counts.len() == self.low.len())
            && (self.kind != Features::Table || !self.counts.is_empty())
            && (self.kind != Features::Rbf || self.across >= 2)
            && self.layers >= 1
            && !self.low.is_empty()
            && !self.low.iter().chain(&self.high).any(|v| v.is_nan())
    }
}
