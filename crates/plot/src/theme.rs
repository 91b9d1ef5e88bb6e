//! Colours, dashes and markers.

use std::fmt::Write;

/// Name, light and dark value of each colour. `c0`–`c7` are Okabe and Ito's, reordered so that the first few
/// differ most; yellow is darkened on white and blue lightened on black, where the originals are hard to see.
const COLOURS: [(&str, &str, &str); 15] = [
    ("ink", "#1f2328", "#e6e9ee"),
    ("muted", "#59636e", "#a3acb8"),
    ("grid", "#e4e7eb", "#2c323b"),
    ("axis", "#9aa3ad", "#616b78"),
    ("paper", "#ffffff", "#14171c"),
    ("heat", "#4a9bd4", "#2a6ea8"),
    ("cool", "#e8924a", "#a35a20"),
    ("c0", "#0072b2", "#4aa8e0"),
    ("c1", "#d55e00", "#f0803c"),
    ("c2", "#009e73", "#1fbf92"),
    ("c3", "#cc79a7", "#de97bf"),
    ("c4", "#e69f00", "#e69f00"),
    ("c5", "#56b4e9", "#8fd0f5"),
    ("c6", "#a89a00", "#f0e442"),
    ("c7", "#333a42", "#c9d0d9"),
];

/// Rules shared by all charts; the variables are those of [`COLOURS`] with the prefix `p-`.
const RULES: &str = "\
.mp text{font:11px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;fill:var(--p-ink)}\
.mp .h{font-size:13px;font-weight:600}.mp .t{fill:var(--p-muted);font-variant-numeric:tabular-nums}\
.mp .n{fill:var(--p-muted);font-size:10px}.mp .g{stroke:var(--p-grid)}.mp .a{stroke:var(--p-axis)}\
.mp .r{stroke:var(--p-axis);stroke-dasharray:4 4;fill:none}.mp .l{fill:none;stroke-linejoin:round}";

/// How many colours series cycle through.
pub(crate) const N_COLOURS: usize = 8;

/// The style sheet of a stand-alone chart.
pub(crate) fn style() -> String {
    let mut css = String::with_capacity(2200);
    let block = |css: &mut String, dark: bool| {
        css.push_str(".mp{");
        for (name, light_value, dark_value) in COLOURS {
            let value = if dark { dark_value } else { light_value };
            let _ = write!(css, "--p-{name}:var(--mercer-{name},{value});");
        }
        css.push('}');
    };
    block(&mut css, false);
    css.push_str("@media(prefers-color-scheme:dark){");
    block(&mut css, true);
    css.push('}');
    css.push_str(RULES);
    css
}

/// CSS declarations (`--mercer-ink:#1f2328;…`) that make every chart on a page light or dark, whatever the
/// reader's system prefers. A page that offers its own switch puts them on its root element.
pub fn page_variables(dark: bool) -> String {
    let mut css = String::new();
    for (name, light_value, dark_value) in COLOURS {
        let _ = write!(css, "--mercer-{name}:{};", if dark { dark_value } else { light_value });
    }
    css
}

/// The colour of the `i`-th series.
pub(crate) fn colour(i: usize) -> String {
    format!("var(--p-c{})", i % N_COLOURS)
}

/// The dash pattern of the `i`-th series; the first is solid.
pub(crate) fn dash(i: usize) -> &'static str {
    ["none", "7 3", "2 3", "9 3 2 3", "4 2"][i % 5]
}

/// The outline of the `i`-th marker, centred at `(x, y)`.
pub(crate) fn marker(i: usize, x: f64, y: f64, r: f64) -> String {
    use crate::svg::px;
    let (x0, y0, d) = (px(x), px(y), px(2.0 * r));
    let (r_, e) = (px(r), px(r * 1.25));
    match i % 6 {
        0 => format!("M{} {y0}a{r_} {r_} 0 1 0 {d} 0a{r_} {r_} 0 1 0-{d} 0z", px(x - r)),
        1 => format!("M{} {}h{d}v{d}h-{d}z", px(x - r), px(y - r)),
        2 => format!("M{x0} {}L{} {}h-{}z", px(y - 1.2 * r), px(x + 1.2 * r), px(y + r), px(2.4 * r)),
        3 => format!("M{x0} {}l{e} {e}l-{e} {e}l-{e}-{e}z", px(y - 1.25 * r)),
        4 => format!("M{} {}l{d} {d}m0-{d}l-{d} {d}", px(x - r), px(y - r)),
        _ => format!("M{} {y0}h{}M{x0} {}v{}", px(x - 1.2 * r), px(2.4 * r), px(y - 1.2 * r), px(2.4 * r)),
    }
}
