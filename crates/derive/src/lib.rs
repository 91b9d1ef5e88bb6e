//! Derive macros that declare hyper-parameters once.
//!
//! [`macro@Params`] turns a plain struct into a declared learner: `Default`, builder methods, reading and
//! setting by path, range checks, and the `Declaration` that every door reads. [`macro@ParamGroup`] declares
//! parameters that several learners share. [`macro@Choice`] turns an enum into a parameter written as a word (or a
//! number).

mod choice;
mod field;
mod params;

use proc_macro::TokenStream;

/// Declares the hyper-parameters of a learner.
///
/// On the struct: `#[params(aliases = "ridge", canon = "L2", task = Regression, python = "linear_model",
/// can = "weights sparse", learns_from = Rows, asked_about = Rows, references = "…|…")]`. On a field: `#[param(default = 1.0,
/// range = "[0, inf)", search = "log 1e-4..1e4", name = "C", transparent)]`. Each needs a doc comment.
///
/// `#[param(flatten)]` on a field whose type derives [`macro@ParamGroup`] puts the group's parameters in its place.
/// What is declared otherwise here is said by name: `#[param(flatten, default(max_depth = Some(3)),
/// range(tol = "[0, 1]"), search(max_depth = "int 1..8"), doc(tol = "…"))]`; `search(tol = "")` takes the search range
/// away, and a group within the group is reached by `default(tree.max_depth = Some(3))`. The order that the doors show
/// is that of the fields, unless `#[params(order = "n_estimators criterion, max_features class_weight")]` on the struct
/// moves `criterion` to right behind `n_estimators`, and `class_weight` behind `max_features`.
#[proc_macro_derive(Params, attributes(params, param))]
pub fn derive_params(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    params::expand(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Declares hyper-parameters that several learners flatten into theirs: fields as for [`macro@Params`], no name.
///
/// The builder methods of the learners are written by a macro of the group's name, so that one import brings both.
/// They name the types of the group's parameters, which must therefore be in scope where the group is flattened.
#[proc_macro_derive(ParamGroup, attributes(param))]
pub fn derive_param_group(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    params::expand_group(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// Makes an enum a parameter: unit variants are words (in snake case, or `#[choice("word")]`), and a variant
/// holding a `usize`, an `f64` or a `CountOrShare` is written as that number.
#[proc_macro_derive(Choice, attributes(choice))]
pub fn derive_choice(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    choice::expand(&input).unwrap_or_else(|e| e.to_compile_error()).into()
}

/// The doc comment of an item as one text; an error on the item where there is none.
fn doc_of(attrs: &[syn::Attribute], span: proc_macro2::Span, what: &str) -> syn::Result<String> {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|a| a.path().is_ident("doc")) {
        if let syn::Meta::NameValue(syn::MetaNameValue {
            value: syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }),
            ..
        }) = &attr.meta
        {
            lines.push(text.value().trim().to_owned());
        }
    }
    if lines.is_empty() {
        return Err(syn::Error::new(
            span,
            format!("{what} needs a doc comment: it is its documentation everywhere"),
        ));
    }
    Ok(lines.join("\n"))
}
