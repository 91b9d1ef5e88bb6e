//! `#[derive(Params)]` and `#[derive(ParamGroup)]`.

use crate::doc_of;
use crate::field::Field;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, Ident, LitStr};

/// A learner's own struct.
pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let head = Head::parse(input)?;
    let fields = Field::all_of(input)?;
    let ident = &input.ident;
    let (default, group) = (default_impl(ident, &fields), group_impl(ident, &fields)?);
    let builders = builders(&fields, &quote!(#ident), &TokenStream::new());
    let declaration = head.declaration(ident);
    let Head { name, order, .. } = &head;
    Ok(quote! {
        #default
        #group
        #builders
        impl ::mercer_core::Params for #ident {
            const NAME: &'static str = #name;
            fn declaration() -> &'static ::mercer_core::Declaration {
                static DECLARATION: ::std::sync::LazyLock<::mercer_core::Declaration> =
                    ::std::sync::LazyLock::new(|| #declaration);
                &DECLARATION
            }
            fn table() -> &'static ::mercer_core::ParamTable {
                static TABLE: ::std::sync::LazyLock<::mercer_core::ParamTable> = ::std::sync::LazyLock::new(|| {
                    ::mercer_core::ParamTable::new(#name, #order, <#ident as ::mercer_core::ParamGroup>::declare)
                });
                &TABLE
            }
        }
    })
}

/// A group of parameters that learners flatten into theirs.
///
/// The learner's derive sees the name of the group alone, so the builder methods of its parameters are written by a
/// macro that bears the group's name, and goes wherever the group is imported to.
pub(crate) fn expand_group(input: &DeriveInput) -> syn::Result<TokenStream> {
    let fields = Field::all_of(input)?;
    let (ident, vis) = (&input.ident, &input.vis);
    let (default, group) = (default_impl(ident, &fields), group_impl(ident, &fields)?);
    let builders = builders(&fields, &quote!($owner), &quote!($($at.)+));
    let hidden = format_ident!("__{ident}");
    let export = matches!(vis, syn::Visibility::Public(_)).then(|| quote!(#[macro_export]));
    Ok(quote! {
        #default
        #group
        #[doc(hidden)]
        #export
        macro_rules! #hidden {
            ($owner:ident, $($at:ident).+) => { #builders };
        }
        #[doc(hidden)]
        #vis use #hidden as #ident;
    })
}

fn default_impl(ident: &Ident, fields: &[Field]) -> TokenStream {
    let values = fields.iter().map(|f| {
        let (ident, default) = (f.ident(), f.default());
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

fn group_impl(ident: &Ident, fields: &[Field]) -> syn::Result<TokenStream> {
    let (mut declare, mut gather, mut gather_mut) =
        (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for field in fields {
        match field {
            Field::Param(f) => {
                let (ident, entry) = (&f.ident, f.entry()?);
                declare.extend(quote!(fields.push(#entry);));
                gather.extend(quote!(params.push(&self.#ident);));
                gather_mut.extend(quote!(params.push(&mut self.#ident);));
            }
            Field::Group(f) => {
                let ident = &f.ident;
                declare.extend(f.declare()?);
                gather.extend(quote!(::mercer_core::ParamGroup::gather(&self.#ident, params);));
                gather_mut.extend(quote!(::mercer_core::ParamGroup::gather_mut(&mut self.#ident, params);));
            }
        }
    }
    Ok(quote! {
        impl ::mercer_core::ParamGroup for #ident {
            fn declare(fields: &mut ::std::vec::Vec<::mercer_core::Field>) {
                #declare
            }
            fn gather<'a>(&'a self, params: &mut ::std::vec::Vec<&'a dyn ::mercer_core::AnyParam>) {
                #gather
            }
            fn gather_mut<'a>(&'a mut self, params: &mut ::std::vec::Vec<&'a mut dyn ::mercer_core::AnyParam>) {
                #gather_mut
            }
        }
    })
}

/// The builder methods of `owner`, whose fields stand at `self.at`.
fn builders(fields: &[Field], owner: &TokenStream, at: &TokenStream) -> TokenStream {
    let mut table = String::from("\n\n| parameter | default | allowed | meaning |\n|---|---|---|---|\n");
    let (mut notes, mut methods, mut groups) = (String::new(), TokenStream::new(), TokenStream::new());
    for field in fields {
        match field {
            Field::Param(f) => {
                let (ident, ty, doc) = (&f.ident, &f.ty, &f.doc);
                let range = f.range.as_ref().map(LitStr::value).unwrap_or_default();
                let (name, default, line) = (&f.name, f.default_text(), doc.replace('\n', " "));
                table += &format!("| `{name}` | `{default}` | {range} | {line} |\n");
                methods.extend(quote! {
                    #[doc = #doc]
                    #[must_use]
                    pub fn #ident(mut self, #ident: #ty) -> Self {
                        self.#at #ident = #ident;
                        self
                    }
                });
            }
            Field::Group(f) => {
                notes += &f.note();
                groups.extend(f.builders(owner, at));
            }
        }
    }
    let doc = format!("Builder methods, one for each hyper-parameter.{table}{notes}");
    quote! {
        #[doc = #doc]
        #[allow(dead_code, unreachable_pub)]
        impl #owner { #methods }
        #groups
    }
}

/// What stands on the struct.
struct Head {
    name: String,
    aliases: Vec<String>,
    summary: String,
    canon: Vec<String>,
    task: Ident,
    learns_from: Ident,
    asked_about: Option<Ident>,
    can: Vec<Ident>,
    twin: Option<String>,
    presets: Vec<(Ident, String)>,
    tried: Vec<String>,
    fixture: Ident,
    rows: Option<syn::LitInt>,
    python: String,
    session: Option<Vec<String>>,
    door: Vec<(String, String)>,
    mixins: Vec<String>,
    references: Vec<String>,
    order: String,
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
            learns_from: format_ident!("Rows"),
            asked_about: None,
            can: Vec::new(),
            twin: None,
            presets: Vec::new(),
            tried: Vec::new(),
            fixture: format_ident!("Numbers"),
            rows: None,
            python: String::new(),
            session: None,
            door: Vec::new(),
            mixins: Vec::new(),
            references: Vec::new(),
            order: String::new(),
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
        let parts = |text: LitStr| text.value().split('|').map(|p| p.trim().to_owned()).collect::<Vec<_>>();
        let key = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        match key.as_str() {
            "name" => self.name = meta.value()?.parse::<LitStr>()?.value(),
            "aliases" => self.aliases = words(meta.value()?.parse()?),
            "canon" => self.canon = words(meta.value()?.parse()?),
            "task" => self.task = meta.value()?.parse()?,
            "learns_from" => self.learns_from = meta.value()?.parse()?,
            "asked_about" => self.asked_about = Some(meta.value()?.parse()?),
            "twin" => self.twin = Some(meta.value()?.parse::<LitStr>()?.value()),
            "baseline" => self.presets.push((format_ident!("Baseline"), String::new())),
            "quick" | "explain" | "best" => {
                let preset = match key.as_str() {
                    "quick" => format_ident!("Quick"),
                    "explain" => format_ident!("Explain"),
                    _ => format_ident!("Best"),
                };
                let settings = parts(meta.value()?.parse()?);
                self.presets.extend(settings.into_iter().map(|setting| (preset.clone(), setting)));
            }
            "tried" => self.tried = parts(meta.value()?.parse()?),
            "fixture" => self.fixture = meta.value()?.parse()?,
            "rows" => self.rows = Some(meta.value()?.parse()?),
            "python" => self.python = meta.value()?.parse::<LitStr>()?.value(),
            "session" => self.session = Some(words(meta.value()?.parse()?)),
            "door" => {
                let text: LitStr = meta.value()?.parse()?;
                let pair = |word: &String| {
                    word.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
                };
                let pairs: Option<Vec<_>> = words(text.clone()).iter().map(pair).collect();
                self.door =
                    pairs.ok_or_else(|| syn::Error::new(text.span(), "each word is `name=default`"))?;
            }
            "mixins" => self.mixins = words(meta.value()?.parse()?),
            "order" => self.order = meta.value()?.parse::<LitStr>()?.value(),
            "references" => self.references = parts(meta.value()?.parse()?),
            "can" => {
                // A word that is no capability is an error on this literal: the struct has no such field.
                let text: LitStr = meta.value()?.parse()?;
                self.can = words(text.clone()).iter().map(|word| Ident::new(word, text.span())).collect();
            }
            _ => return Err(meta.error("unknown key of #[params(…)]")),
        }
        Ok(())
    }

    fn declaration(&self, ident: &Ident) -> TokenStream {
        let Head { name, aliases, summary, canon, task, learns_from, can, .. } = self;
        let Head { tried, fixture, python, mixins, references, .. } = self;
        let asked_about = self.asked_about.as_ref().unwrap_or(learns_from);
        let twin = self.twin.as_ref().map_or_else(|| quote!(None), |twin| quote!(Some(#twin)));
        let presets = self.presets.iter().map(|(at, setting)| quote!((::mercer_core::Preset::#at, #setting)));
        let rows = self.rows.as_ref().map_or_else(|| quote!(None), |rows| quote!(Some(#rows)));
        // Whoever draws takes a seed.
        let seed = || can.iter().filter(|c| *c == "random").map(|_| "random_state".to_owned()).collect();
        let door = self.door.iter().map(|(name, default)| quote!((#name, #default)));
        let session = self.session.clone().unwrap_or_else(seed);
        quote! {
            ::mercer_core::Declaration {
                name: #name,
                aliases: &[#(#aliases),*],
                summary: #summary,
                canon: &[#(#canon),*],
                task: ::mercer_core::Task::#task,
                kinds: ::mercer_core::Kinds {
                    learns_from: ::mercer_core::DataKind::#learns_from,
                    asked_about: ::mercer_core::DataKind::#asked_about,
                },
                capabilities: ::mercer_core::Capabilities {
                    #(#can: true,)*
                    ..::std::default::Default::default()
                },
                file: ::std::file!(),
                twin: #twin,
                presets: &[#(#presets),*],
                tried: &[#(#tried),*],
                fixture: ::mercer_core::FixtureRows::#fixture,
                most_rows: #rows,
                python: #python,
                session: &[#(#session),*],
                door: &[#(#door),*],
                mixins: &[#(#mixins),*],
                references: &[#(#references),*],
                params: <#ident as ::mercer_core::Params>::table()
                    .declare(&<#ident as ::std::default::Default>::default()),
            }
        }
    }
}
