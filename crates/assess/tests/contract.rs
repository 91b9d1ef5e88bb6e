//! The contract suite on every learner of this family.

fn main() -> std::process::ExitCode {
    mercer_testkit::contract(
        mercer_assess::learners(),
        &[mercer_linear::learners(), mercer_trees::learners()],
    )
}
