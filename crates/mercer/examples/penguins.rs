//! Train, prove, save and load: `cargo run --example penguins -p mercer`.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use mercer::prelude::*;

fn main() -> Result<()> {
    let penguins = mercer::data::bundled("penguins")?;
    let x = penguins.without(&["species"])?;
    let y = Target::from_column("species", penguins.column("species")?, true)?;
    let data = Dataset::new(&x).with_target(y)?;

    let learner = mercer::prepare::prepared(mercer::learner("logistic:C=10")?, &x)?.learner;
    let model = learner.train(&data, &Session::new(7))?;
    println!("{}", model.certificate());

    let path = std::env::temp_dir().join("penguins.mercer");
    mercer::save(model.as_ref(), &path)?;
    let again = mercer::load(&path)?;
    let answers = again.predict(&Input::from(&x), &Session::default())?;
    println!("the first penguin is of species {}", answers.columns()[0].text(0));
    Ok(())
}
