//! `#[derive(Params)]`.

use crate::doc_of;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Expr, Fields, Ident, LitStr};

const CAPABILITIES: &[&str] = &[
    "proba",
    "decision",
    "intervals",
    "transform",
    "inverse",
    "weights",
    "sparse",
    "missing",
    "categorical",
    "text",
    "times",
    "supervised",
    "cross_fits",
    "binary",
    "thresholded",
    "multi_output",
    "by_sums",
    "counts_rows",
    "ordered",
    "random",
    "fills",
    "encodes",
];

pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let Data::Struct(syn::DataStruct { fields: Fields::Named(fields), .. }) = &input.data else {
        return Err(syn::Error::new(input.span(), "Params is derived on structs with named fields"));
    };
    let head = Head::parse(input)?;
    let fields = fields.named.iter().map(ParamField::parse).collect::<syn::Result<Vec<_>>>()?;
    let ident = &input.ident;
    let (default, builders) = (default_impl(ident, &fields), builder_impl(ident, &fields));
    let declaration = head.declaration(ident);
    let entries = fields.iter().map(|f| f.entry(ident));
    let name = &head.name;
    Ok(quote! {
        #default
        #builders
        impl ::mercer_core::Params for #ident {
            const NAME: &'static str = #name;
            fn declaration() -> &'static ::mercer_core::Declaration {
                static DECLARATION: ::std::sync::OnceLock<::mercer_core::Declaration> =
                    ::std::sync::OnceLock::new();
                DECLARATION.get_or_init(|| #declaration)
            }
            fn fields() -> &'static [::mercer_core::Field<Self>] {
                static FIELDS: &[::mercer_core::Field<#ident>] = &[#(#entries),*];
                FIELDS
            }
        }
    })
}

fn default_impl(ident: &Ident, fields: &[ParamField]) -> TokenStream {
    let values = fields.iter().map(|f| {
        let (ident, default) = (&f.ident, &f.default);
        quote!(#ident: #default)
    });
    quote! {
        impl ::std::default::Default for #ident {
            fn default() -> Self {
                Self { #(#values),* }
            }
        }
    }
}

fn builder_impl(ident: &Ident, fields: &[ParamField]) -> TokenStream {
    let mut table = String::from("\n\n| parameter | default | allowed | meaning |\n|---|---|---|---|\n");
    for f in fields {
        let default = f.default_text();
        let range = f.range.as_ref().map(LitStr::value).unwrap_or_default();
        table += &format!("| `{}` | `{default}` | {range} | {} |\n", f.name, f.doc.replace('\n', " "));
    }
    let doc = format!("Builder methods, one for each hyper-parameter.{table}");
    let methods = fields.iter().map(|f| {
        let (ident, ty, doc) = (&f.ident, &f.ty, &f.doc);
        quote! {
            #[doc = #doc]
            #[must_use]
            pub fn #ident(mut self, #ident: #ty) -> Self {
                self.#ident = #ident;
                self
            }
        }
    });
    quote! {
        #[doc = #doc]
        impl #ident { #(#methods)* }
    }
}

/// What stands on the struct.
struct Head {
    name: String,
    aliases: Vec<String>,
    summary: String,
    canon: Vec<String>,
    task: Ident,
    takes: Ident,
    can: Vec<Ident>,
    python: String,
    references: Vec<String>,
}

impl Head {
    fn parse(input: &DeriveInput) -> syn::Result<Self> {
        let doc = doc_of(&input.attrs, input.ident.span(), "the learner")?;
        let mut head = Head {
            name: input.ident.to_string(),
            aliases: Vec::new(),
            summary: doc.split("\n\n").next().unwrap_or_default().replace('\n', " "),
            canon: Vec::new(),
            task: format_ident!("Transformation"),
            takes: format_ident!("Rows"),
            can: Vec::new(),
            python: String::new(),
            references: Vec::new(),
        };
        for attr in input.attrs.iter().filter(|a| a.path().is_ident("params")) {
            attr.parse_nested_meta(|meta| head.key(&meta))?;
        }
        if head.aliases.is_empty() {
            return Err(syn::Error::new(
                input.ident.span(),
                "`aliases` is missing: the name on the command line",
            ));
        }
        Ok(head)
    }

    fn key(&mut self, meta: &syn::meta::ParseNestedMeta<'_>) -> syn::Result<()> {
        let words = |text: LitStr| text.value().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match key.as_str() {
            "name" => self.name = meta.value()?.parse::<LitStr>()?.value(),
            "aliases" => self.aliases = words(meta.value()?.parse()?),
            "canon" => self.canon = words(meta.value()?.parse()?),
            "task" => self.task = meta.value()?.parse()?,
            "takes" => self.takes = meta.value()?.parse()?,
            "python" => self.python = meta.value()?.parse::<LitStr>()?.value(),
            "references" => {
                let text = meta.value()?.parse::<LitStr>()?.value();
                self.references = text.split('|').map(|r| r.trim().to_owned()).collect();
            }
            "can" => {
                let text: LitStr = meta.value()?.parse()?;
                for word in words(text.clone()) {
                    if !CAPABILITIES.contains(&word.as_str()) {
                        let message =
                            format!("`{word}` is no capability; there are {}", CAPABILITIES.join(", "));
                        return Err(syn::Error::new(text.span(), message));
                    }
                    self.can.push(format_ident!("{word}"));
                }
            }
            _ => return Err(meta.error("unknown key of #[params(…)]")),
        }
        Ok(())
    }

    fn declaration(&self, ident: &Ident) -> TokenStream {
        let Head { name, aliases, summary, canon, task, takes, can, python, references } = self;
        quote! {
            ::mercer_core::Declaration {
                name: #name,
                aliases: &[#(#aliases),*],
                summary: #summary,
                canon: &[#(#canon),*],
                task: ::mercer_core::Task::#task,
                takes: ::mercer_core::DataKind::#takes,
                capabilities: ::mercer_core::Capabilities {
                    #(#can: true,)*
                    ..::std::default::Default::default()
                },
                python: #python,
                references: &[#(#references),*],
                params: <#ident as ::mercer_core::Params>::declare_params(),
            }
        }
    }
}

/// What stands on a field.
struct ParamField {
    ident: Ident,
    ty: syn::Type,
    name: String,
    doc: String,
    default: Expr,
    range: Option<LitStr>,
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

    fn default_text(&self) -> String {
        let default = &self.default;
        match quote!(#default).to_string().replace(' ', "") {
            text if text.ends_with("Default::default()") => "…".to_owned(),
            text => text,
        }
    }

    fn entry(&self, owner: &Ident) -> TokenStream {
        let ParamField { ident, ty, name, doc, transparent, .. } = self;
        let range = match self.range.as_ref().map(parse_range) {
            Some(Ok(range)) => quote!(::std::option::Option::Some(#range)),
            Some(Err(error)) => error.to_compile_error(),
            None => quote!(::std::option::Option::None),
        };
        let search = match &self.search {
            Some(text) => quote!(::std::option::Option::Some(#text)),
            None => quote!(::std::option::Option::None),
        };
        quote! {
            ::mercer_core::Field {
                name: #name,
                doc: #doc,
                kind: <#ty as ::mercer_core::ParamType>::kind,
                range: #range,
                search: #search,
                transparent: #transparent,
                get: |p: &#owner| ::mercer_core::ParamType::to_value(&p.#ident),
                set: |p: &mut #owner, v| {
                    p.#ident = <#ty as ::mercer_core::ParamType>::from_value(v)?;
                    ::std::result::Result::Ok(())
                },
                numbers: |p: &#owner, visit| ::mercer_core::ParamType::numbers(&p.#ident, visit),
                child: |p: &#owner, path| ::mercer_core::ParamType::child(&p.#ident, path),
                set_child: |p: &mut #owner, path, v| ::mercer_core::ParamType::set_child(&mut p.#ident, path, v),
            }
        }
    }
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
