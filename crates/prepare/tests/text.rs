//! Text against scikit-learn, by what `generate_text.py` froze.

use mercer_core::catalogue::Entry;
use mercer_core::{Dataset, Fit, Learner, NumbersRef, Object, Rows, Session, Value};
use mercer_math::Mat;
use mercer_prepare::{Formula, TfidfTransformer, TfidfVectorizer, learners};
use serde_json::Value as Json;

fn reference() -> Json {
    mercer_testkit::reference(include_str!("reference/text.json"))
}

fn learner(name: &str, params: &Json) -> Box<dyn Learner> {
    let entry: &Entry = learners().iter().find(|e| (e.declaration)().name == name).unwrap();
    let mut learner = entry.make(&Object::default()).unwrap();
    for (key, value) in params.as_object().unwrap() {
        learner = learner.with(key, &Value::from_json(value).unwrap()).unwrap();
    }
    learner
}

fn strings(json: &Json) -> Vec<String> {
    json.as_array().unwrap().iter().map(|s| s.as_str().unwrap().to_owned()).collect()
}

/// Stored entries by rows and columns.
fn triples(rows: &Rows<'_>) -> Vec<(usize, u32, f64)> {
    let numbers = rows.numbers("test").unwrap();
    let NumbersRef::Sparse(m) = numbers.view() else { panic!("dense rows") };
    let row = |i: usize| m.row(i).0.iter().zip(m.row(i).1).map(move |(&j, &v)| (i, j, v)).collect::<Vec<_>>();
    (0..m.n_rows()).flat_map(row).collect()
}

fn check(what: &str, got: &[(usize, u32, f64)], expect: &Json) {
    let expect = expect.as_array().unwrap();
    assert_eq!(got.len(), expect.len(), "{what}: number of entries");
    for (&(i, j, v), e) in got.iter().zip(expect) {
        assert_eq!((i as u64, u64::from(j)), (e[0].as_u64().unwrap(), e[1].as_u64().unwrap()), "{what}");
        assert!((v - e[2].as_f64().unwrap()).abs() <= 1e-12, "{what}: {v} at ({i}, {j}) for {e}");
    }
}

#[test]
fn vectorisers_agree_with_scikit_learn() {
    let reference = reference();
    let (documents, new) = (strings(&reference["documents"]), strings(&reference["new"]));
    let data = Dataset::new(documents.as_slice());
    for case in reference["cases"].as_array().unwrap() {
        let what = format!("{} {}", case["learner"], case["params"]);
        let learner = learner(case["learner"].as_str().unwrap(), &case["params"]);
        let session = Session::new(1);
        let (model, rows) = learner.train_transform(&data, &session).unwrap();
        if let Some(names) = case.get("names") {
            assert_eq!(model.names_out().unwrap(), strings(names), "{what}");
            assert_eq!(rows.names().unwrap().to_vec(), strings(names), "{what}");
        }
        check(&what, &triples(&rows), &case["train"]);
        let fitted = learner.train(&data, &session).unwrap();
        check(&what, &triples(&fitted.transform(data.whole_input(), &session).unwrap()), &case["train"]);
        check(&what, &triples(&fitted.transform(&new.as_slice().into(), &session).unwrap()), &case["new"]);
    }
}

#[test]
fn the_transformer_agrees_with_scikit_learn() {
    let reference = reference();
    let rows: Vec<Vec<f64>> = serde_json::from_value(reference["counts"].clone()).unwrap();
    let counts = Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j]);
    for case in reference["transformed"].as_array().unwrap() {
        let learner = learner("TfidfTransformer", &case["params"]);
        let (_, rows) = learner.train_transform(&Dataset::new(&counts), &Session::new(1)).unwrap();
        check(&case["params"].to_string(), &triples(&rows), &case["train"]);
    }
}

/// The lecture notes: TF is the number of times a term is in a document, IDF the number of documents over the number
/// of those that hold the term, and the weight their product.
#[test]
fn the_ratio_of_the_notes_by_hand() {
    let documents: Vec<String> = ["red red blue", "blue", "blue green", "red"].map(str::to_owned).to_vec();
    let tfidf = TfidfVectorizer::default().formula(Formula::Ratio).norm(None);
    let model = tfidf.fit(&Dataset::new(documents.as_slice())).unwrap();
    let rows = model.transform(documents.as_slice()).unwrap();
    assert_eq!(rows.names().unwrap().to_vec(), ["blue", "green", "red"]);
    let third = 4.0 / 3.0;
    let expect = [(0, 0, third), (0, 2, 4.0), (1, 0, third), (2, 0, third), (2, 1, 4.0), (3, 2, 2.0)];
    assert_eq!(triples(&rows), expect);
    // On counts as on documents, and a weight of 2 as two copies.
    let counts = Mat::from_rows(&[[2.0, 1.0], [0.0, 1.0]]).unwrap();
    let ratio = TfidfTransformer::default().formula(Formula::Ratio).norm(None);
    let weighted = ratio.fit(&Dataset::new(&counts).with_weights(vec![1.0, 2.0]).unwrap()).unwrap();
    assert_eq!(triples(&weighted.transform(&counts).unwrap()), [(0, 0, 6.0), (0, 1, 1.0), (1, 1, 1.0)]);
}

#[test]
fn what_cannot_be_learnt_is_said() {
    let fit = |texts: &[&str], params: Json| {
        let texts: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
        let made =
            learner("CountVectorizer", &params).train(&Dataset::new(texts.as_slice()), &Session::default());
        made.map(|_| ()).unwrap_err().to_string()
    };
    let json = |text: &str| serde_json::from_str::<Json>(text).unwrap();
    assert!(fit(&["", "a"], json("{}")).contains("stop words"));
    assert!(fit(&["to be", "be"], json(r#"{"stop_words": "english"}"#)).contains("stop words"));
    assert!(fit(&["ab cd", "ef"], json(r#"{"min_df": 2}"#)).contains("min_df"));
    assert!(fit(&["ab", "ab"], json(r#"{"min_df": 2, "max_df": 1}"#)).contains("`max_df`"));
    assert!(fit(&["ab"], json(r#"{"max_df": 1.5}"#)).contains("`max_df`"));
    assert!(fit(&["ab"], json(r#"{"vocabulary": ["a", "a"]}"#)).contains("`vocabulary`"));
    assert!(fit(&["ab"], json(r#"{"token_pattern": "(?<=a)b"}"#)).contains("`token_pattern`"));
}

/// Many chunks, and the same bits at any number of threads.
#[test]
fn chunks_and_threads_do_not_show() {
    let word = |i: usize| format!("w{}", (i * i + 7 * i) % 9001);
    let documents: Vec<String> =
        (0..9000).map(|d| (0..120).map(|i| word(d * 31 + i * 17) + " ").collect::<String>()).collect();
    let data = Dataset::new(documents.as_slice());
    let run = |threads| {
        let session = Session::new(0).with_threads(threads);
        let (model, rows) = TfidfVectorizer::default().fit_transform(&data, &session).unwrap();
        (
            rows.names().unwrap().to_vec(),
            triples(&rows),
            triples(&model.transform(documents.as_slice()).unwrap()),
        )
    };
    let (names, fitted, transformed) = run(1);
    assert!(names.is_sorted() && fitted == transformed);
    assert!(run(2) == (names, fitted, transformed));
}
