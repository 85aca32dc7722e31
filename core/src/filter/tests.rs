use super::*;
use proptest::prelude::*;
use serde_json::json;

fn error(json: Value) -> FilterError {
    Filter::from_json(&json).unwrap_err()
}

#[test]
fn every_key_is_read() {
    let id = "0b0f7b9e-8c5a-4f0e-9d55-3a1c1c1c1c1c";
    let json = json!({
        "canonical_only": true, "created_after": "2026-01-31",
        "created_before": "2026-02-01T00:00:00Z", "doc_classes": ["app_spec"],
        "entities": ["Acme"], "exclude_item_ids": [id],
        "item_ids": [id], "kinds": ["note"], "pinned_only": true, "scopes": ["task", "project"],
        "sensitivities": ["normal"], "source_systems": ["mail"],
        "speakers": ["Ana  Lima", "@tom"], "tags_all": ["a"], "tags_any": ["b", "a", "b"],
        "visibility_scopes": ["team"],
    });
    assert!(json.as_object().unwrap().keys().eq(KEYS.iter()), "all keys, sorted");
    let read = Filter::from_json(&json).unwrap();
    let id = Uuid::try_parse(id).unwrap();
    let expected = Filter {
        kinds: Some(vec!["note".into()]),
        scopes: Some(vec![Scope::Project, Scope::Task]),
        doc_classes: Some(vec!["app_spec".into()]),
        tags_any: Some(vec!["a".into(), "b".into()]),
        tags_all: vec!["a".into()],
        sensitivities: Some(vec![Sensitivity::Normal]),
        visibility_scopes: Some(vec![Visibility::Team]),
        source_systems: Some(vec!["mail".into()]),
        item_ids: Some(vec![id]),
        entities: Some(vec!["Acme".into()]),
        speakers: Some(vec!["ana lima".into(), "tom".into()]),
        exclude_item_ids: vec![id],
        pinned_only: true,
        canonical_only: true,
        created_after: Timestamp::parse("2026-01-31T00:00Z"),
        created_before: Timestamp::parse("2026-02-01"),
    };
    assert_eq!(read, expected);
}

#[test]
fn nothing_and_null_restrict_nothing() {
    assert_eq!(Filter::from_json(&json!({})), Ok(Filter::default()));
    for key in KEYS {
        assert_eq!(Filter::from_json(&json!({ key: null })), Ok(Filter::default()), "{key}");
    }
    assert_eq!(Filter::from_json(&json!({"pinned_only": false})), Ok(Filter::default()));
    assert!(!Filter::default().matches_nothing());
}

#[test]
fn an_empty_list_of_what_is_wanted_matches_nothing() {
    let wanted = KEYS
        .into_iter()
        .filter(|key| Filter::from_json(&json!({ *key: [] })).is_ok_and(|filter| filter.matches_nothing()));
    let lists = [
        "doc_classes",
        "entities",
        "item_ids",
        "kinds",
        "scopes",
        "sensitivities",
        "source_systems",
        "speakers",
        "tags_any",
        "visibility_scopes",
    ];
    assert!(wanted.eq(lists));
    for key in ["tags_all", "exclude_item_ids"] {
        assert_eq!(Filter::from_json(&json!({ key: [] })), Ok(Filter::default()));
    }
}

#[test]
fn contradictions_match_nothing() {
    let matches_nothing = |json| Filter::from_json(&json).unwrap().matches_nothing();
    assert!(matches_nothing(json!({"created_after": "2026-01-02", "created_before": "2026-01-02"})));
    assert!(!matches_nothing(json!({"created_after": "2026-01-01", "created_before": "2026-01-02"})));
    let (one, two) = ("00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002");
    assert!(matches_nothing(json!({"item_ids": [one], "exclude_item_ids": [two, one]})));
    assert!(!matches_nothing(json!({"item_ids": [one, two], "exclude_item_ids": [two]})));
}

#[test]
fn unknown_keys_are_refused_with_the_known_ones() {
    let error = error(json!({"kind": ["note"]}));
    assert_eq!(error.to_string(), "unknown filter \"kind\"");
    assert_eq!(error.key(), Some("kind"));
    assert!(KEYS.iter().all(|key| error.hint().contains(key)));
    let long = "x".repeat(1_000_000);
    assert_eq!(self::error(json!({ long: 1 })).to_string().len(), 97, "cut");
}

#[test]
fn wrong_types_say_what_was_expected() {
    let says = |json, message: &str| assert_eq!(error(json).to_string(), message);
    says(json!([]), "filters must be a JSON object");
    says(json!({"kinds": "note"}), "filter \"kinds\" must be an array of strings, not a string");
    says(json!({"kinds": ["a", 1]}), "value 2 of filter \"kinds\" must be a string, not a number");
    says(json!({"kinds": ["a", null]}), "value 2 of filter \"kinds\" must be a string, not null");
    says(json!({"pinned_only": "true"}), "filter \"pinned_only\" must be true or false, not a string");
    says(json!({"created_after": 5}), "filter \"created_after\" must be a time as a string, not a number");
    says(
        json!({"scopes": ["team"]}),
        "value 1 of filter \"scopes\" must be one of project, feature, session, task",
    );
    says(json!({"item_ids": ["7"]}), "value 1 of filter \"item_ids\" is not a uuid");
    says(
        json!({"created_after": "soon"}),
        "filter \"created_after\" is not a time such as 2026-01-31 or 2026-01-31T10:00:00Z",
    );
}

#[test]
fn sizes_are_bounded() {
    let many = |count: usize| json!({"tags_any": vec!["a"; count]});
    assert_eq!(Filter::from_json(&many(MOST_VALUES)).unwrap().tags_any, Some(vec!["a".into()]));
    let too_many = error(many(MOST_VALUES + 1));
    assert_eq!(too_many, FilterError::TooMany { key: "tags_any", count: MOST_VALUES + 1 });
    let problem = |text: String| match error(json!({"kinds": [text]})) {
        FilterError::BadValue { problem, .. } => problem,
        other => panic!("{other}"),
    };
    assert!(Filter::from_json(&json!({"kinds": ["é".repeat(LONGEST_VALUE)]})).is_ok());
    assert_eq!(problem("é".repeat(LONGEST_VALUE + 1)), ValueProblem::TooLong);
    assert_eq!(problem(" \t".into()), ValueProblem::Blank);
    assert_eq!(problem("a\0".into()), ValueProblem::Nul);
}

#[test]
fn times_are_written_in_utc() {
    let written = |text| Timestamp::parse(text).and_then(Timestamp::to_rfc3339);
    assert_eq!(written("2026-01-31").as_deref(), Some("2026-01-31T00:00:00Z"));
    assert_eq!(written("2026-01-31T01:30:59.9+02:00").as_deref(), Some("2026-01-30T23:30:59Z"));
    assert_eq!(written("1969-12-31T23:59:59Z").as_deref(), Some("1969-12-31T23:59:59Z"));
    assert_eq!(written("0001-01-01T00:00+02:00"), None);
}

#[test]
fn times_are_read_as_they_are_written() {
    let micros = |text| Timestamp::parse(text).map(Timestamp::micros);
    assert_eq!(micros("1970-01-01"), Some(0));
    assert_eq!(micros("1970-01-02T00:00:01Z"), Some(86_401_000_000));
    assert_eq!(micros("1970-01-01 00:00:00.000001"), Some(1));
    assert_eq!(micros("1970-01-01T00:00:00.1234569z"), Some(123_456));
    for same in [
        "2026-01-31T10:00:00Z",
        "2026-01-31T12:00+02",
        "2026-01-31t12:00:00.0+02:00",
        "2026-01-31 06:30-0330",
    ] {
        assert_eq!(micros(same), Some(1_769_853_600_000_000), "{same}");
    }
    assert!(micros("0001-01-01").is_some_and(|micros| micros < 0));
    for bad in [
        "",
        "2026",
        "2026-1-1",
        "2026-02-29",
        "2026-01-01T",
        "2026-01-01T24:00",
        "2026-01-01T10",
        "2026-01-01T10:60",
        "2026-01-01T10:00:60",
        "2026-01-01T10:00:00.",
        "2026-01-01T10:00+",
        "2026-01-01T10:00+2",
        "2026-01-01T10:00+02:",
        "2026-01-01Z",
        "2026-01-01T10:00ZZ",
        " 2026-01-01",
        "2026-01-01T10:00:00.1234567890",
        "٢٠٢٦-01-01",
        "now",
    ] {
        assert_eq!(micros(bad), None, "{bad:?}");
    }
}

/// Some JSON, often with a key that is known.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}|project|2026-0[1-9]-0[1-9]".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let key = prop_oneof![proptest::sample::select(&KEYS[..]).prop_map(str::to_owned), "[a-z]{0,6}"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(key, inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_or_blamed_on_a_key_of_it(json in any_json()) {
        match Filter::from_json(&json) {
            Ok(_) => prop_assert!(json.as_object().unwrap().keys().all(|key| KEYS.contains(&key.as_str()))),
            Err(error) => prop_assert_eq!(
                error.key().is_some_and(|key| json.get(key).is_some()),
                json.is_object()
            ),
        }
    }

    #[test]
    fn order_and_repetition_do_not_matter(tags in proptest::collection::vec("[a-c]{1,2}", 0..8)) {
        let backwards: Vec<_> = tags.iter().rev().chain(&tags).collect();
        let read = |json: Value| Filter::from_json(&json).unwrap();
        prop_assert_eq!(
            read(json!({"tags_any": tags, "tags_all": tags})),
            read(json!({"tags_any": backwards, "tags_all": backwards}))
        );
    }
}
