//! The contract suite on every learner of this family.

fn main() -> std::process::ExitCode {
    mercer_testkit::contract(
        mercer_prepare::learners(),
        &[mercer_linear::learners(), mercer_embed::learners(), mercer_trees::learners()],
    )
}
