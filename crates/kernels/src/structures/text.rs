//! Kernels on structures as text.

use super::{Band, Mismatch, RandomWalk, Spectrum, Structure, Subsequence, Subtree};
use crate::kernel::Args;
use mercer_core::Value;

impl Structure {
    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Structure::Spectrum(_) => "spectrum",
            Structure::Mismatch(_) => "mismatch",
            Structure::Subsequence(_) => "subsequence",
            Structure::GlobalAlignment { .. } => "ga",
            Structure::Warping { .. } => "dtw",
            Structure::WeisfeilerLehman { .. } => "weisfeiler_lehman",
            Structure::ShortestPath { .. } => "shortest_path",
            Structure::RandomWalk(_) => "random_walk",
            Structure::Subtree(_) => "subtree",
        }
    }

    /// Reads one from its arguments; `None` where the name is of no structure.
    pub(crate) fn read(args: &mut Args<'_>) -> Result<Option<Self>, String> {
        Ok(Some(match args.kind {
            "spectrum" => Structure::Spectrum(Spectrum {
                length: args.whole("length", 0, 1..=64, 3)?,
                blended: args.truth("blended", false)?,
            }),
            "mismatch" => {
                let length = args.whole("k", 0, 1..=64, 3)?;
                let mismatches = args.whole("m", 1, 0..=length, 1)?;
                let alphabet = args.whole("alphabet", 2, 2..=0x0011_0000, 20)?;
                Structure::Mismatch(Mismatch { length, mismatches, alphabet })
            }
            "subsequence" => {
                let length = args.whole("length", 0, 1..=64, 3)?;
                Structure::Subsequence(Subsequence { length, decay: args.share("decay", 1, 0.5)? })
            }
            "ga" => Structure::GlobalAlignment { sigma: args.positive("sigma", 0, 1.0)? },
            "dtw" => Structure::Warping { gamma: args.positive("gamma", 0, 1.0)?, band: band(args)? },
            "weisfeiler_lehman" => Structure::WeisfeilerLehman {
                rounds: args.whole("rounds", 0, 0..=1000, 5)?,
                edges: args.truth("edges", false)?,
            },
            "shortest_path" => Structure::ShortestPath { labels: args.truth("labels", true)? },
            "random_walk" => {
                let decay = args.positive("decay", 0, 0.1)?;
                let length = match args.has("length", 1) {
                    true => Some(args.whole("length", 1, 0..=100_000, 0)?),
                    false => None,
                };
                let (labels, edges) = (args.truth("labels", true)?, args.truth("edges", false)?);
                Structure::RandomWalk(RandomWalk { decay, length, labels, edges })
            }
            "subtree" => Structure::Subtree(Subtree {
                height: args.whole("height", 0, 1..=1000, 3)?,
                decay: args.positive("decay", 1, 1.0)?,
                labels: args.truth("labels", true)?,
                edges: args.truth("edges", false)?,
            }),
            _ => return Ok(None),
        }))
    }

    /// Hands its arguments to `put`.
    pub(crate) fn write(&self, put: &mut dyn FnMut(&str, Value)) {
        let mut real = |name: &str, value: f64| put(name, Value::Real(value));
        match self {
            Structure::Subsequence(s) => real("decay", s.decay),
            Structure::GlobalAlignment { sigma } => real("sigma", *sigma),
            Structure::Warping { gamma, band } => {
                real("gamma", *gamma);
                match band {
                    Band::Share(1.0) => {}
                    Band::Share(share) => real("window", *share),
                    Band::Radius(radius) => put("radius", (*radius).into()),
                }
            }
            Structure::RandomWalk(walk) => real("decay", walk.decay),
            Structure::Subtree(subtree) => real("decay", subtree.decay),
            Structure::Spectrum(_)
            | Structure::Mismatch(_)
            | Structure::WeisfeilerLehman { .. }
            | Structure::ShortestPath { .. } => {}
        }
        match self {
            Structure::Spectrum(s) => {
                put("length", s.length.into());
                put("blended", s.blended.into());
            }
            Structure::Mismatch(m) => {
                [("k", m.length), ("m", m.mismatches), ("alphabet", m.alphabet)]
                    .into_iter()
                    .for_each(|(name, value)| put(name, value.into()));
            }
            Structure::Subsequence(s) => put("length", s.length.into()),
            Structure::WeisfeilerLehman { rounds, edges } => {
                put("rounds", (*rounds).into());
                put("edges", (*edges).into());
            }
            Structure::ShortestPath { labels } => put("labels", (*labels).into()),
            Structure::RandomWalk(walk) => {
                walk.length.into_iter().for_each(|length| put("length", length.into()));
                put("labels", walk.labels.into());
                put("edges", walk.edges.into());
            }
            Structure::Subtree(subtree) => {
                put("height", subtree.height.into());
                put("labels", subtree.labels.into());
                put("edges", subtree.edges.into());
            }
            Structure::GlobalAlignment { .. } | Structure::Warping { .. } => {}
        }
    }
}

fn band(args: &mut Args<'_>) -> Result<Band, String> {
    if args.has("radius", 2) {
        return Ok(Band::Radius(args.whole("radius", 2, 0..=usize::MAX >> 12, 0)?));
    }
    let share = args.number("window", 1, 1.0)?;
    Band::new(share).map_err(|_| "`window` of dtw must be in [0, 1], a share of the longer series".to_owned())
}
