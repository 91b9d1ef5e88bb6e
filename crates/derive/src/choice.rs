//! `#[derive(Choice)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Ident, LitStr};

pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Enum(data) = &input.data else {
        return Err(syn::Error::new(input.span(), "Choice is derived on enums"));
    };
    let (mut words, mut units, mut numbers): (Vec<String>, Vec<&Ident>, Vec<(&Ident, &syn::Type)>) =
        Default::default();
    for variant in &data.variants {
        match &variant.fields {
            Fields::Unit => {
                words.push(word_of(variant)?);
                units.push(&variant.ident);
            }
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => {
                numbers.push((&variant.ident, &fields.unnamed[0].ty));
            }
            _ => return Err(syn::Error::new(variant.span(), "a choice is a word or holds one number")),
        }
    }
    let ident = &input.ident;
    let has_number = !numbers.is_empty();
    let (number_idents, number_types): (Vec<_>, Vec<_>) = numbers.into_iter().unzip();
    let expected = match has_number {
        true => format!("one of {}, or a number", words.join(", ")),
        false => format!("one of {}", words.join(", ")),
    };
    Ok(quote! {
        impl ::mercer_core::ParamType for #ident {
            fn kind() -> ::mercer_core::ParamKind {
                ::mercer_core::ParamKind::Choice { words: &[#(#words),*], number: #has_number }
            }
            fn to_value(&self) -> ::mercer_core::Value {
                match self {
                    #(#ident::#units => ::mercer_core::Value::from(#words),)*
                    #(#ident::#number_idents(v) => ::mercer_core::ParamType::to_value(v),)*
                }
            }
            fn from_value(value: &::mercer_core::Value) -> ::std::result::Result<Self, ::std::string::String> {
                if let ::mercer_core::Value::Text(word) = value {
                    #(if word == #words { return Ok(#ident::#units); })*
                }
                // A variant takes the number that is written its way: 3 is a count, 3.0 a fraction.
                #(if let Ok(number) = <#number_types as ::mercer_core::ParamType>::from_value(value) {
                    let same = ::mercer_core::ParamType::to_value(&number) == *value;
                    if same { return Ok(#ident::#number_idents(number)); }
                })*
                #(if let Ok(number) = <#number_types as ::mercer_core::ParamType>::from_value(value) {
                    return Ok(#ident::#number_idents(number));
                })*
                ::std::result::Result::Err(#expected.to_owned())
            }
            fn numbers(&self, _visit: &mut dyn FnMut(f64)) {
                match self {
                    #(#ident::#number_idents(v) => ::mercer_core::ParamType::numbers(v, _visit),)*
                    #[allow(unreachable_patterns)]
                    _ => {}
                }
            }
        }
    })
}

fn word_of(variant: &syn::Variant) -> syn::Result<String> {
    if let Some(attr) = variant.attrs.iter().find(|a| a.path().is_ident("choice")) {
        return attr.parse_args::<LitStr>().map(|w| w.value());
    }
    let mut word = String::new();
    for (i, c) in variant.ident.to_string().chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            word.push('_');
        }
        word.extend(c.to_lowercase());
    }
    Ok(word)
}
