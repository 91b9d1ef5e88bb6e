//! The arguments of `mercer play`.

use clap::Args;
use std::path::PathBuf;

/// `mercer play`.
#[derive(Debug, Args)]
pub(crate) struct Play {
    /// The environment, with options: `cliff`, `frozen-lake:size=8`, a decision process; `mercer datasets` lists them. Or a bandit:
    /// `bandit:means=[0.2,0.6]`, `bandit-testbed:arms=10`.
    #[arg(value_name = "ENV[:k=v,…]")]
    pub(crate) environment: String,
    /// The agents and planners, separated by commas: `sarsa,q-learning:alpha=0.5,epsilon=0.05`; of a bandit the strategies:
    /// `ucb1,thompson`. Without it `q-learning`, or `epsilon-greedy`.
    #[arg(long = "agent", value_name = "a,b:k=v")]
    pub(crate) agents: Option<String>,
    /// Number of runs, each with a seed of its own.
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) runs: usize,
    /// Steps of each run; 1000 of a bandit.
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<usize>,
    /// Episodes of each run at most.
    #[arg(long, value_name = "N")]
    pub(crate) episodes: Option<usize>,
    /// Episodes by which each run's policy is judged, without exploration.
    #[arg(long, default_value_t = 100, value_name = "N")]
    pub(crate) judge: usize,
    /// Where to write the policy of the best run of the best agent.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Where to write the learning curves as CSV.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Where to draw the learning curves as SVG.
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Where to show an episode of the best policy: .svg moves, anything else is text.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Write an HTML report (and its JSON twin beside it).
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}
