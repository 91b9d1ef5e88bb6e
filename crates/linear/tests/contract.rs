//! The contract suite on every learner of this family.

fn main() -> std::process::ExitCode {
    mercer_testkit::contract(mercer_linear::learners(), &[])
}
