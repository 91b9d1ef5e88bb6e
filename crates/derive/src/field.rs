//! The fields of a struct of parameters: single parameters and flattened groups.

use crate::doc_of;
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Expr, Fields, Ident, LitStr, Token};

/// A field: one parameter, or a group of them that stands in the flat list.
pub(crate) enum Field {
    Param(Box<ParamField>),
    Group(Box<GroupField>),
}

impl Field {
    pub(crate) fn all_of(input: &DeriveInput) -> syn::Result<Vec<Self>> {
        let Data::Struct(syn::DataStruct { fields: Fields::Named(fields), .. }) = &input.data else {
            return Err(syn::Error::new(input.span(), "parameters are the named fields of a struct"));
        };
        fields.named.iter().map(Self::parse).collect()
    }

    fn parse(field: &syn::Field) -> syn::Result<Self> {
        let flat = |attr: &syn::Attribute| match &attr.meta {
            syn::Meta::List(list) if list.path.is_ident("param") => {
                list.tokens.clone().into_iter().next().is_some_and(|first| first.to_string() == "flatten")
            }
            _ => false,
        };
        if field.attrs.iter().any(flat) {
            return GroupField::parse(field).map(|f| Field::Group(Box::new(f)));
        }
        ParamField::parse(field).map(|f| Field::Param(Box::new(f)))
    }

    pub(crate) fn ident(&self) -> &Ident {
        match self {
            Field::Param(f) => &f.ident,
            Field::Group(f) => &f.ident,
        }
    }

    pub(crate) fn default(&self) -> TokenStream {
        match self {
            Field::Param(f) => {
                let default = &f.default;
                quote!(#default)
            }
            Field::Group(f) => f.default(),
        }
    }
}

/// What stands on a parameter.
pub(crate) struct ParamField {
    pub(crate) ident: Ident,
    pub(crate) ty: syn::Type,
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) range: Option<LitStr>,
    default: Expr,
    search: Option<LitStr>,
    transparent: bool,
}

impl ParamField {
    fn parse(field: &syn::Field) -> syn::Result<Self> {
        let ident = field.ident.clone().ok_or_else(|| syn::Error::new(field.span(), "a named field"))?;
        let mut out = ParamField {
            name: ident.to_string(),
            doc: doc_of(&field.attrs, ident.span(), &format!("parameter `{ident}`"))?,
            ident,
            ty: field.ty.clone(),
            default: syn::parse_quote!(::std::default::Default::default()),
            range: None,
            search: None,
            transparent: false,
        };
        for attr in field.attrs.iter().filter(|a| a.path().is_ident("param")) {
            attr.parse_nested_meta(|meta| {
                let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                match key.as_str() {
                    "default" => out.default = meta.value()?.parse()?,
                    "name" => out.name = meta.value()?.parse::<LitStr>()?.value(),
                    "range" => out.range = Some(meta.value()?.parse()?),
                    "search" => out.search = Some(meta.value()?.parse()?),
                    "transparent" => out.transparent = true,
                    _ => return Err(meta.error("unknown key of #[param(…)]")),
                }
                Ok(())
            })?;
        }
        Ok(out)
    }

    pub(crate) fn default_text(&self) -> String {
        match written(&self.default) {
            text if text.ends_with("Default::default()") => "…".to_owned(),
            text => text,
        }
    }

    /// The `Field` of `mercer_core`.
    pub(crate) fn entry(&self) -> syn::Result<TokenStream> {
        let ParamField { ty, name, doc, transparent, .. } = self;
        let range = optional(self.range.as_ref().map(parse_range).transpose()?);
        let search = optional(self.search.as_ref());
        Ok(quote! {
            ::mercer_core::Field {
                name: #name,
                doc: #doc,
                kind: <#ty as ::mercer_core::ParamType>::kind,
                range: #range,
                search: #search,
                transparent: #transparent,
            }
        })
    }
}

/// What stands on a flattened group: which of its declarations are others here.
pub(crate) struct GroupField {
    pub(crate) ident: Ident,
    pub(crate) ty: syn::Type,
    defaults: Vec<Setting<Expr>>,
    ranges: Vec<Setting<LitStr>>,
    searches: Vec<Setting<LitStr>>,
    docs: Vec<Setting<LitStr>>,
}

/// `max_depth = Some(3)`; the parameter of a group within the group is written `tree.max_depth`.
struct Setting<T> {
    path: Punctuated<Ident, Token![.]>,
    value: T,
}

impl<T: Parse> Parse for Setting<T> {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path = Punctuated::parse_separated_nonempty(input)?;
        input.parse::<Token![=]>()?;
        Ok(Setting { path, value: input.parse()? })
    }
}

impl<T> Setting<T> {
    fn name(&self) -> String {
        self.path.last().map(ToString::to_string).unwrap_or_default()
    }
}

impl GroupField {
    fn parse(field: &syn::Field) -> syn::Result<Self> {
        let ident = field.ident.clone().ok_or_else(|| syn::Error::new(field.span(), "a named field"))?;
        let mut out = GroupField {
            ident,
            ty: field.ty.clone(),
            defaults: Vec::new(),
            ranges: Vec::new(),
            searches: Vec::new(),
            docs: Vec::new(),
        };
        for attr in field.attrs.iter().filter(|a| a.path().is_ident("param")) {
            attr.parse_nested_meta(|meta| {
                let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                match key.as_str() {
                    "flatten" => {}
                    "default" => out.defaults = settings(&meta)?,
                    "range" => out.ranges = settings(&meta)?,
                    "search" => out.searches = settings(&meta)?,
                    "doc" => out.docs = settings(&meta)?,
                    _ => return Err(meta.error("unknown key of #[param(flatten, …)]")),
                }
                Ok(())
            })?;
        }
        Ok(out)
    }

    fn default(&self) -> TokenStream {
        let ty = &self.ty;
        let (paths, values): (Vec<_>, Vec<_>) = self.defaults.iter().map(|s| (&s.path, &s.value)).unzip();
        if paths.is_empty() {
            return quote!(<#ty as ::std::default::Default>::default());
        }
        quote!({
            let mut group = <#ty as ::std::default::Default>::default();
            #(group.#paths = #values;)*
            group
        })
    }

    /// Adds the group's declarations, and changes those that are others here.
    pub(crate) fn declare(&self) -> syn::Result<TokenStream> {
        let ty = &self.ty;
        let mut out = quote!(<#ty as ::mercer_core::ParamGroup>::declare(fields););
        for range in &self.ranges {
            let (name, range) = (range.name(), parse_range(&range.value)?);
            out.extend(quote!(::mercer_core::Field::named(fields, #name).range = ::std::option::Option::Some(#range);));
        }
        for search in &self.searches {
            // An empty text takes the search range away.
            let (name, search) =
                (search.name(), optional(Some(&search.value).filter(|t| !t.value().is_empty())));
            out.extend(quote!(::mercer_core::Field::named(fields, #name).search = #search;));
        }
        for doc in &self.docs {
            let (name, doc) = (doc.name(), &doc.value);
            out.extend(quote!(::mercer_core::Field::named(fields, #name).doc = #doc;));
        }
        Ok(out)
    }

    /// The builder methods, by the macro that the group's derive wrote under the group's own name.
    pub(crate) fn builders(&self, owner: &TokenStream, at: &TokenStream) -> TokenStream {
        let (ty, ident) = (&self.ty, &self.ident);
        quote!(#ty! { #owner, #at #ident })
    }

    /// For the documentation: the group, and the defaults that are others here.
    pub(crate) fn note(&self) -> String {
        let ty = &self.ty;
        let mut note = format!("\nand those of [`{}`]", written(ty));
        for (i, s) in self.defaults.iter().enumerate() {
            note += if i == 0 { ", here with " } else { ", " };
            note += &format!("`{} = {}`", s.name(), written(&s.value));
        }
        note
    }
}

fn settings<T: Parse>(meta: &syn::meta::ParseNestedMeta<'_>) -> syn::Result<Vec<Setting<T>>> {
    let content;
    syn::parenthesized!(content in meta.input);
    Ok(Punctuated::<Setting<T>, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

fn optional<T: quote::ToTokens>(value: Option<T>) -> TokenStream {
    match value {
        Some(value) => quote!(::std::option::Option::Some(#value)),
        None => quote!(::std::option::Option::None),
    }
}

fn written(tokens: &impl quote::ToTokens) -> String {
    quote!(#tokens).to_string().replace(' ', "")
}

/// Reads `[0, inf)` into a `Range`; the error lies on the literal.
fn parse_range(text: &LitStr) -> syn::Result<TokenStream> {
    let whole = text.value();
    let error = || syn::Error::new(text.span(), "a range is written like `[0, inf)` or `(0, 1]`");
    let (low_open, inner) = match whole.split_at_checked(1) {
        Some(("[", rest)) => (false, rest),
        Some(("(", rest)) => (true, rest),
        _ => return Err(error()),
    };
    let (high_open, inner) = match inner.strip_suffix(']') {
        Some(inner) => (false, inner),
        None => (true, inner.strip_suffix(')').ok_or_else(error)?),
    };
    let number = |s: &str| match s.trim() {
        "inf" => Ok(quote!(f64::INFINITY)),
        "-inf" => Ok(quote!(f64::NEG_INFINITY)),
        s => s.parse::<f64>().map(|v| quote!(#v)).map_err(|_| error()),
    };
    let (low, high) = inner.split_once(',').ok_or_else(error)?;
    let (low, high) = (number(low)?, number(high)?);
    Ok(quote! {
        ::mercer_core::Range { text: #text, low: #low, high: #high, low_open: #low_open, high_open: #high_open }
    })
}
