//! The contract suite on text, encoders and dates with other parameters than those under which `contract.rs` tries them.

use mercer_core::{Column, Dataset, Input, Learner, MISSING_TIME, Model, Session, Table, Target, catalogue};

#[test]
fn variants_keep_the_contract() {
    catalogue::register(mercer_prepare::learners());
    let specs = [
        "count",
        "count:analyzer=char,ngram_range=[1, 3],max_features=20,binary=true",
        "count:vocabulary=[abcaba, zyxzyz]",
        "count:token_pattern='[a-c]+',stop_words=[abc],strip_accents=ascii",
        "tfidf",
        "tfidf:analyzer=char_wb,ngram_range=[2, 3],norm=none,formula=ratio,min_df=2",
        "tfidf:sublinear_tf=true,smooth_idf=false,max_df=0.5,stop_words=english",
        "hashing",
        "hashing:n_features=16,alternate_sign=false,norm=l1",
        "tfidf-transformer",
        "tfidf-transformer:norm=l1,use_idf=false",
        "one-hot",
        "one-hot:drop=first,sparse_output=false",
        "one-hot:max_categories=5,handle_unknown=infrequent_if_exist",
        "one-hot:min_frequency=0.1,drop=if_binary,handle_unknown=ignore",
        "ordinal",
        "ordinal:handle_unknown=use_encoded_value,unknown_value=-1,encoded_missing_value=-2,max_categories=4",
        "target-encoder",
        "target-encoder:smooth=3,shuffle=false,cv=3",
        "dates",
        "dates:features=[month, weekday],cyclic=true",
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

/// Rows with columns of every kind, and a target of three classes.
fn mixed(n: usize) -> (Table<'static>, Target<'static>) {
    let names = ["ash", "birch", "cedar", "elm"];
    let category = |i: usize| (i % 11 != 3).then(|| names[(i * i / 3) % 4]);
    let time = |i: usize| if i % 13 == 5 { MISSING_TIME } else { i as i64 * 50_000_000_000 };
    let table = Table::new(vec![
        ("tree".into(), Column::categories(&(0..n).map(category).collect::<Vec<_>>())),
        ("size".into(), Column::numbers((0..n).map(|i| (i % 5) as f64 - 1.0).collect::<Vec<_>>())),
        ("flag".into(), Column::Boolean((0..n).map(|i| (i % 7 != 0).then_some(i % 2 == 0)).collect())),
        ("when".into(), Column::Time((0..n).map(time).collect())),
        ("note".into(), Column::Text((0..n).map(|i| Some(format!("note {i}"))).collect())),
    ]);
    let target = Target::classes(&(0..n).map(|i| ["x", "y", "z"][i * 5 % 3]).collect::<Vec<_>>());
    (table.unwrap(), target)
}

/// The learners that take tables, with the columns that each takes.
fn on_tables() -> Vec<(Box<dyn Learner>, Vec<&'static str>)> {
    let coded = vec!["tree", "size", "flag"];
    let specs = [
        ("one-hot", coded.clone()),
        ("one-hot:columns=all,min_frequency=12,drop=first,handle_unknown=infrequent_if_exist", coded.clone()),
        ("ordinal:columns=all,max_categories=3", coded.clone()),
        ("target-encoder:columns=all", coded.clone()),
        ("target-encoder", coded.clone()),
        ("dates:cyclic=true", vec!["tree", "size", "flag", "when", "note"]),
    ];
    specs.into_iter().map(|(spec, columns)| (catalogue::make_spec(spec).unwrap(), columns)).collect()
}

fn dataset<'a>(columns: &[&str], n: usize) -> Dataset<'a> {
    let (table, target) = mixed(n);
    Dataset::new(table.select(columns).unwrap()).with_target(target).unwrap()
}

fn bytes(learner: &dyn Learner, data: &Dataset<'_>, session: &Session) -> Vec<u8> {
    learner.train(data, session).unwrap().encode().unwrap().bytes
}

#[test]
fn tables_give_the_same_at_any_number_of_threads_and_by_weights_as_by_copies() {
    catalogue::register(mercer_prepare::learners());
    for (learner, columns) in on_tables() {
        let what = format!("{learner:?}");
        let large = dataset(&columns, 40_000);
        let threads = |t| {
            let session = Session::new(3).with_threads(t);
            let (model, rows) = learner.train_transform(&large, &session).unwrap();
            (
                model.encode().unwrap(),
                format!("{:?}", rows.gather(&(0..40_000).step_by(97).collect::<Vec<_>>())),
            )
        };
        assert!(threads(1) == threads(2), "{what}");
        let data = dataset(&columns, 120);
        let weights: Vec<f64> = (0..120).map(|i| f64::from((i * 7 % 3) as u32)).collect();
        let copies: Vec<usize> = (0..120).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
        let session = Session::new(3);
        let weighted = learner.train(&data.clone().with_weights(weights).unwrap(), &session).unwrap();
        let copied = learner.train(&data.subset(&copies).unwrap(), &session).unwrap();
        let out = |m: &dyn Model| format!("{:.9?}", m.transform(data.whole_input(), &session).unwrap());
        assert_eq!(out(weighted.as_ref()), out(copied.as_ref()), "{what}");
    }
}

/// Every byte of a model in turn is damaged: it is refused, or it answers.
#[test]
fn damaged_models_of_tables_do_not_panic() {
    catalogue::register(mercer_prepare::learners());
    for (learner, columns) in on_tables() {
        let data = dataset(&columns, 60);
        let session = Session::new(3);
        let whole = learner.train(&data, &session).unwrap().encode().unwrap();
        assert_eq!(bytes(learner.as_ref(), &data, &session), whole.bytes);
        for at in 0..whole.bytes.len() {
            for byte in [whole.bytes[at] ^ 1 << (at % 8), 0, 0xff] {
                let mut damaged = whole.clone();
                damaged.bytes[at] = byte;
                let Ok(model) = catalogue::decode(&damaged) else { continue };
                if let Ok(rows) = model.transform(data.whole_input(), &session) {
                    let _ = model.inverse_transform(&Input::Rows(rows), &session);
                }
            }
        }
    }
}
