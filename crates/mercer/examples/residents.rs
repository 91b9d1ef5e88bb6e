//! Data that are no table: a density to sample, a process to plan, strings to tell apart.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use mercer::prelude::*;

fn main() -> Result<()> {
    let banana = Density::new("banana", 2, |x| {
        let bent = x[1] + 0.1 * (x[0] * x[0] - 9.0);
        Ok(-0.5 * (x[0] * x[0] / 9.0 + bent * bent))
    });
    let draws = Metropolis::default().draws(2000).fit(&Dataset::new(banana))?;
    println!("mean of the banana: {:.2?}\n{}", draws.mean(), draws.certificate());

    let policy = ValueIteration::default().fit(&Dataset::new(mercer::rl::process("gridworld")?))?;
    println!("in (1,1), go {}", policy.predict(&["(1,1)".to_owned()][..])?.columns()[0].text(0));

    let words = ["abab", "baba", "xyxy", "yxyx"].map(String::from);
    let data = Dataset::new(&words[..]).with_target(Target::classes(&["left", "left", "right", "right"]))?;
    let model = SpectrumPerceptron::default().fit(&data)?;
    println!("abba is {}", model.predict(&["abba".to_owned()][..])?.columns()[0].text(0));
    Ok(())
}
