//! Planning by a linear program: values and the occupation of states, each the proof of the other.
//!
//! # Objective
//! $$ \min_v\ \sum_x w(x)\,v(x) \quad\text{s.t.}\quad v(x) \ge r(x, a) + \gamma \sum_{x'} P(x' \mid x, a)\,v(x') $$
//! with the dual
//! $$ \max_{\mu \ge 0}\ \sum_{x,a} \mu(x, a)\,r(x, a) \quad\text{s.t.}\quad \sum_a \mu(x', a) - \gamma \sum_{x,a} P(x' \mid x, a)\,\mu(x, a) = w(x') $$
//! where w starts in each state with the same probability, and μ(x, a) is the discounted number of times that a is taken in x.
//!
//! # Algorithm
//! The dual has one constraint for each state, and the simplex method works on these: its basis is a policy, an
//! iteration an improvement of one state. The values are its multipliers.
//!
//! # Complexity
//! O(states² + states · pairs) an iteration, memory O(states · pairs): for hundreds of states.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_rl::{LinearProgramming, process};
//! let plan = LinearProgramming::default().fit(&Dataset::new(process("grid5x5")?))?;
//! assert!((plan.plan.values[1] - 24.4).abs() < 0.05); // figure 3.5 of Sutton and Barto
//! let visits: f64 = plan.occupation.iter().sum();
//! assert!((visits - 1.0 / (1.0 - 0.9)).abs() < 1e-9);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The duality gap bounds how far the mean value is from optimal; both sides are checked for what they miss of their
//! constraints. Without a discount the dual has a solution where every state can end.
//!
//! # References
//! - F. d'Epenoux. A probabilistic production and inventory problem. Management Science 10(1), 1963. doi:10.1287/mnsc.10.1.98
//! - M. L. Puterman. Markov Decision Processes, section 6.9. Wiley, 1994. doi:10.1002/9780470316887

use super::DiscountParams;
use super::flat::{Flat, sup};
use super::plan::{Found, Plan, same_process};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, Evidence, Fitted, Input, Learn, Params, Prediction,
    Result, Schema, Session, Termination,
};
use mercer_math::Mat;
use mercer_optim::{Constraints, LpSettings, Verdict, solve_lp};
use serde::{Deserialize, Serialize};

/// Planning by a linear program: values and the occupation of states, each the proof of the other.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "linear-programming",
    canon = "R2",
    task = Planning,
    learns_from = Mdp,
    asked_about = States,
    python = "rl",
    can = "policy",
    references = "d'Epenoux. A probabilistic production and inventory problem. Management Science 10(1), 1963."
)]
pub struct LinearProgramming {
    /// How later rewards count.
    #[param(flatten)]
    pub later: DiscountParams,
    /// By how much constraints and reduced costs may be missed, after scaling.
    #[param(default = 1e-9, range = "(0, 0.01]")]
    pub tol: f64,
    /// Limit of the simplex method's iterations.
    #[param(default = 100_000, range = "[1, inf)")]
    pub max_iter: usize,
}

/// A plan, and how often each action is taken in each state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearProgrammingModel {
    /// Values and policy.
    pub plan: Plan,
    /// The discounted number of times that each action is taken in each state, states × actions, from a first state
    /// drawn uniformly.
    pub occupation: Vec<f64>,
}

const GAP: &str = "duality gap";
const FLOW: &str = "violation of the flow";

/// Cells of the matrix of constraints: 800 megabytes in all that the solver makes of them.
const LARGEST: usize = 1 << 25;

impl Learn for LinearProgramming {
    type Model = LinearProgrammingModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LinearProgrammingModel> {
        let mdp = data.whole_input().mdp(Self::NAME)?;
        let (discount, flat) = (self.later.of(mdp), Flat::new(mdp));
        if flat.n_states().saturating_mul(flat.n_pairs()) > LARGEST {
            let reason = format!(
                "plan for {} states and {} pairs of state and action: take PolicyIteration",
                flat.n_states(),
                flat.n_pairs()
            );
            return Err(Error::incapable(Self::NAME, reason));
        }
        if let Some(why) = session.step("simplex", 0, None, None) {
            return Err(Error::numeric(
                Self::NAME,
                format!("{why}: the simplex method has no plan before its end"),
            ));
        }
        let Solved { values, visits, iterations } = self.solve(&flat, discount)?;
        let found = Found { values, pairs: None, iterations, termination: Termination::Exact };
        let plan = Plan::new(mdp, &flat, found, discount)?;
        let mut occupation = vec![0.0; flat.n_states() * flat.n_actions()];
        for s in 0..flat.n_states() {
            flat.of(s).for_each(|pair| occupation[s * flat.n_actions() + flat.action(pair)] = visits[pair]);
        }
        let (gap, flow) = gap(&flat, discount, &plan.values, &occupation);
        let scale = sup(&plan.values);
        let of_gap = "between the mean of the values and the rewards of the occupation: no plan has more than the one, and one has the other";
        let of_flow = "what the occupation misses of a flow that starts in every state alike";
        let plan = plan
            .with_evidence(Evidence::residual(GAP, gap, of_gap).on_scale(scale))
            .with_evidence(Evidence::residual(FLOW, flow, of_flow));
        Ok(LinearProgrammingModel { plan, occupation })
    }
}

/// The solution of both programs.
struct Solved {
    values: Vec<f64>,
    /// How often each pair is taken.
    visits: Vec<f64>,
    iterations: u64,
}

impl LinearProgramming {
    /// The simplex method on the dual: values of states, and visits of pairs.
    ///
    ///   min_μ −r'μ   s.t.  Σ_a μ(x', a) − γ Σ P(x' | x, a) μ(x, a) = 1/n,  μ >= 0,   for the states that have actions
    fn solve(&self, flat: &Flat, discount: f64) -> Result<Solved> {
        let n = flat.n_states();
        let going: Vec<usize> = (0..n).filter(|&s| !flat.of(s).is_empty()).collect();
        let mut row = vec![None; n];
        going.iter().enumerate().for_each(|(i, &s)| row[s] = Some(i));
        let mut flow = Mat::zeros(going.len(), flat.n_pairs());
        for (i, &s) in going.iter().enumerate() {
            for pair in flat.of(s) {
                flow[(i, pair)] += 1.0;
                let (next, probability) = flat.following(pair);
                for (&to, p) in next.iter().zip(probability) {
                    if let Some(to) = row[to as usize] {
                        flow[(to, pair)] -= discount * p;
                    }
                }
            }
        }
        if going.is_empty() {
            return Ok(Solved { values: vec![0.0; n], visits: Vec::new(), iterations: 0 });
        }
        let cost: Vec<f64> = (0..flat.n_pairs()).map(|pair| -flat.reward(pair)).collect();
        let start = vec![1.0 / n as f64; going.len()];
        let constraints = Constraints::none(flat.n_pairs()).with_equalities(flow, start).non_negative();
        let settings = LpSettings { tol: self.tol, max_iter: self.max_iter };
        let optimum = match solve_lp(&cost, &constraints, &settings)? {
            Verdict::Optimal(optimum) => optimum,
            Verdict::Infeasible(_) => {
                return Err(Error::numeric(Self::NAME, "there are states that never end, and no discount"));
            }
            Verdict::Unbounded { .. } => {
                return Err(Error::numeric(Self::NAME, "values grow without bound without a discount"));
            }
            Verdict::Unfinished { .. } => {
                return Err(Error::numeric(Self::NAME, "the simplex method came to no end: raise max_iter"));
            }
        };
        let mut values = vec![0.0; n];
        // The Lagrangian is −r'μ + y'(Aμ − w): the multipliers are the values.
        going.iter().zip(&optimum.multipliers.equality).for_each(|(&s, y)| values[s] = *y);
        Ok(Solved { values, visits: optimum.x, iterations: optimum.iterations as u64 })
    }
}

/// The gap between both programs, and what the occupation misses of its constraints.
fn gap(flat: &Flat, discount: f64, values: &[f64], occupation: &[f64]) -> (f64, f64) {
    let (n, k) = (flat.n_states(), flat.n_actions());
    let (mut earned, mut missing) = (0.0, vec![-1.0 / n as f64; n]);
    let mut least = 0.0f64;
    for s in 0..n {
        if flat.of(s).is_empty() {
            missing[s] = 0.0;
        }
        for pair in flat.of(s) {
            let visits = occupation[s * k + flat.action(pair)];
            least = least.min(visits);
            earned += visits * flat.reward(pair);
            missing[s] += visits;
            let (next, probability) = flat.following(pair);
            for (&to, p) in next.iter().zip(probability).filter(|(to, _)| !flat.of(**to as usize).is_empty())
            {
                missing[to as usize] -= discount * visits * p;
            }
        }
    }
    let mean = values.iter().sum::<f64>() / n as f64;
    ((mean - earned).abs(), sup(&missing).max(-least))
}

impl Fitted for LinearProgrammingModel {
    fn certificate(&self) -> &Certificate {
        self.plan.certificate()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.plan.infer(input, schema, session)
    }

    fn abilities(&self) -> Abilities<'_> {
        self.plan.abilities()
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let plan = &self.plan;
        let flat = Flat::new(same_process(data, LinearProgramming::NAME, &plan.states, &plan.actions)?);
        let (gap, flow) = gap(&flat, plan.discount, &plan.values, &self.occupation);
        let mut all = plan.proved(data, LinearProgramming::NAME)?;
        all.extend([(GAP.to_owned(), gap), (FLOW.to_owned(), flow)]);
        Ok(all)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let shape = [self.plan.states.len(), self.plan.actions.len()];
        let doc = "The discounted number of times that each action is taken in each state, from a first state drawn uniformly.";
        let mut all = self.plan.attributes();
        all.push(Attribute::real("occupation_", doc, &shape, self.occupation.clone()));
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        self.plan.validate(schema)?;
        let ok = self.occupation.len() == self.plan.action_values.len();
        if ok { Ok(()) } else { Err("occupation does not fit the states and actions".to_owned()) }
    }
}
