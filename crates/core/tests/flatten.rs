//! Groups of parameters flattened into learners: seen from outside as one flat list.

use mercer_core::{Object, ParamGroup, Params, Value};

mod groups {
    //! A group elsewhere, and one within it.

    use mercer_core::ParamGroup;

    /// When a fit ends.
    #[derive(Clone, Debug, PartialEq, ParamGroup)]
    pub(crate) struct Stopping {
        /// Most steps.
        #[param(default = 100, range = "[1, inf)", search = "int 10..1000")]
        pub(crate) max_iter: usize,
        /// Least gain of a step.
        #[param(default = 1e-4, range = "[0, inf)", search = "log 1e-6..1e-1")]
        pub(crate) tol: f64,
    }

    /// How deep a tree grows, and when the fit ends.
    #[derive(Clone, Debug, PartialEq, ParamGroup)]
    pub(crate) struct Growing {
        /// Most splits on the way to a leaf.
        #[param(default = None, range = "[1, inf)")]
        pub(crate) max_depth: Option<usize>,
        /// When the fit ends.
        #[param(flatten, default(tol = 0.5))]
        pub(crate) stopping: Stopping,
    }
}
use groups::{Growing, Stopping};

/// Takes the group as it is.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "plain")]
struct Plain {
    /// Strength.
    #[param(default = 1.0, range = "[0, inf)")]
    alpha: f64,
    /// When the fit ends.
    #[param(flatten)]
    stopping: Stopping,
}

/// Takes a group within a group, declares some of it otherwise, and keeps an order of its own.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(aliases = "other", order = "max_depth seed, tol max_iter")]
struct Other {
    /// Growth.
    #[param(
        flatten,
        default(max_depth = Some(3), stopping.max_iter = 7),
        range(max_depth = "[1, 8]"),
        search(max_iter = "", max_depth = "int 1..8"),
        doc(tol = "Least relative gain.")
    )]
    growing: Growing,
    /// Seed.
    #[param(default = 0)]
    seed: usize,
}

fn names<P: Params>() -> Vec<&'static str> {
    P::declaration().params.iter().map(|p| p.name).collect()
}

#[test]
fn the_list_is_flat_and_in_the_declared_order() {
    assert_eq!(names::<Plain>(), ["alpha", "max_iter", "tol"]);
    assert_eq!(names::<Other>(), ["max_depth", "seed", "tol", "max_iter"]);
    let object = Other::default().to_object();
    assert!(
        object.params.len() == 4 && names::<Other>().iter().all(|name| object.params.contains_key(*name))
    );
    let schema = Other::declaration().json_schema();
    assert_eq!(schema["properties"].as_object().map(serde_json::Map::len), Some(4));
}

#[test]
fn declarations_are_overridden_where_the_group_is_used() {
    let plain = &Plain::declaration().params;
    assert_eq!((plain[1].default.clone(), plain[1].search), (Value::Int(100), Some("int 10..1000")));
    let other = &Other::declaration().params;
    assert_eq!(other[0].default, Value::Int(3));
    assert_eq!(other[0].range.as_ref().map(|r| r.text), Some("[1, 8]"));
    assert_eq!(other[0].search, Some("int 1..8"));
    assert_eq!((other[2].default.clone(), other[2].doc), (Value::Real(0.5), "Least relative gain."));
    assert_eq!((other[3].default.clone(), other[3].search), (Value::Int(7), None));
    assert_eq!(other[3].doc, "Most steps.");
}

#[test]
fn builders_paths_and_objects_reach_into_the_groups() {
    let built = Other::default().max_iter(9).tol(0.1).seed(4).max_depth(None);
    assert_eq!((built.growing.stopping.max_iter, built.growing.max_depth), (9, None));
    assert_eq!(built.value("max_iter").unwrap(), Value::Int(9));
    assert_eq!(Other::from_object(&built.to_object()).unwrap(), built);
    let positional = Object { kind: "Other".into(), params: [("2".into(), Value::Real(0.25))].into() };
    assert_eq!(Other::from_object(&positional).unwrap(), Other::default().tol(0.25));

    let mut plain = Plain::default();
    plain.set("tol", &Value::Real(0.2)).unwrap();
    assert_eq!(plain, Plain::default().tol(0.2));
    let error = plain.set("max_iter", &Value::Text("many".into())).unwrap_err().to_string();
    assert!(error.contains("`max_iter` of Plain"), "{error}");
    let error = plain.set("max_itr", &Value::Int(1)).unwrap_err().to_string();
    assert!(error.contains("max_iter"), "{error}");
}

#[test]
fn ranges_are_those_of_the_place_of_use() {
    assert!(Plain::default().tol(f64::NAN).check_params().is_err());
    assert!(Other::default().max_depth(Some(8)).check_params().is_ok());
    let error = Other::default().max_depth(Some(9)).check_params().unwrap_err().to_string();
    assert!(error.contains("`max_depth` of Other") && error.contains("[1, 8]"), "{error}");
}

#[test]
#[should_panic(expected = "no parameter")]
fn an_order_of_unknown_names_is_a_broken_declaration() {
    mercer_core::ParamTable::new("Broken", "max_iter nothing", Stopping::declare);
}
