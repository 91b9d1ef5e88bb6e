//! The contract suite on scalers and expansions with other parameters than those under which
//! `contract.rs` tries them.

use mercer_core::catalogue;

#[test]
fn variants_keep_the_contract() {
    catalogue::register(mercer_prepare::learners());
    let specs = [
        "standard-scaler:with_std=false",
        "min-max:feature_range=[-1, 2],clip=true",
        "max-abs",
        "robust:with_centering=false",
        "robust:quantile_range=[5, 95],unit_variance=true",
        "decimal",
        "decimal:absolute=true",
        "log:base=10",
        "normalizer:norm=l1",
        "normalizer:norm=max",
        "quantile:n_quantiles=20",
        "quantile:output_distribution=normal,subsample=none",
        "power:standardize=false",
        "binarizer:threshold=-0.5",
        "bins:encode=ordinal,strategy=uniform",
        "bins:encode=onehot-dense,strategy=kmeans,n_bins=4",
        "bins:quantile_method=linear,n_bins=[2, 3, 4, 5]",
        "polynomial:degree=[2, 3],interaction_only=true",
        "polynomial:degree=3,include_bias=false",
        "splines:degree=2,knots=quantile,extrapolation=linear",
        "splines:extrapolation=periodic,handle_missing=zeros,sparse_output=true",
    ];
    let failures: Vec<String> = specs
        .iter()
        .flat_map(|spec| {
            let learner = catalogue::make_spec(spec).unwrap_or_else(|e| panic!("{spec}: {e}"));
            mercer_testkit::check_all(learner.as_ref()).into_iter().map(move |f| format!("{spec}: {f}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
