//! Standard test functions with their usual starts and minima.
//!
//! J. J. Moré, B. S. Garbow, K. E. Hillstrom. Testing unconstrained optimization software. ACM TOMS 7(1), 1981.
//! doi:10.1145/355934.355936

use mercer_optim::Objective;

/// A sum of squares of residuals, known by residuals and Jacobian rows.
pub(crate) type Residuals = fn(&[f64]) -> Vec<(f64, Vec<f64>)>;

/// A function, a start, its least value and where that is (several places for some).
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) start: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) minima: Vec<Vec<f64>>,
    residuals: Residuals,
}

impl Objective for Case {
    fn dim(&self) -> usize {
        self.start.len()
    }

    fn value_grad(&mut self, x: &[f64], grad: &mut [f64]) -> f64 {
        grad.fill(0.0);
        let mut value = 0.0;
        for (r, row) in (self.residuals)(x) {
            value += r * r;
            grad.iter_mut().zip(row).for_each(|(g, j)| *g += 2.0 * r * j);
        }
        value
    }
}

fn case(name: &'static str, start: &[f64], value: f64, minima: &[&[f64]], residuals: Residuals) -> Case {
    Case {
        name,
        start: start.to_vec(),
        value,
        minima: minima.iter().map(|m| m.to_vec()).collect(),
        residuals,
    }
}

pub(crate) fn all() -> Vec<Case> {
    let himmelblau: [&[f64]; 4] = [
        &[3.0, 2.0],
        &[-2.805_118_086_952_745, 3.131_312_518_250_573],
        &[-3.779_310_253_377_747, -3.283_185_991_286_17],
        &[3.584_428_340_330_492, -1.848_126_526_964_404],
    ];
    vec![
        case("Rosenbrock", &[-1.2, 1.0], 0.0, &[&[1.0, 1.0]], |x| {
            vec![(10.0 * (x[1] - x[0] * x[0]), vec![-20.0 * x[0], 10.0]), (1.0 - x[0], vec![-1.0, 0.0])]
        }),
        case("Beale", &[1.0, 1.0], 0.0, &[&[3.0, 0.5]], |x| {
            let term = |(k, y): (i32, f64)| {
                let power = x[1].powi(k);
                (y - x[0] * (1.0 - power), vec![power - 1.0, x[0] * f64::from(k) * x[1].powi(k - 1)])
            };
            [(1, 1.5), (2, 2.25), (3, 2.625)].map(term).to_vec()
        }),
        case("Booth", &[0.0, 0.0], 0.0, &[&[1.0, 3.0]], |x| {
            vec![(x[0] + 2.0 * x[1] - 7.0, vec![1.0, 2.0]), (2.0 * x[0] + x[1] - 5.0, vec![2.0, 1.0])]
        }),
        case("Himmelblau", &[0.0, 0.0], 0.0, &himmelblau, |x| {
            vec![
                (x[0] * x[0] + x[1] - 11.0, vec![2.0 * x[0], 1.0]),
                (x[0] + x[1] * x[1] - 7.0, vec![1.0, 2.0 * x[1]]),
            ]
        }),
    ]
    .into_iter()
    .chain(of_more_variables())
    .chain(scaled())
    .collect()
}

fn of_more_variables() -> [Case; 3] {
    [
        case("Powell singular", &[3.0, -1.0, 0.0, 1.0], 0.0, &[&[0.0; 4]], |x| {
            let (a, b) = (x[1] - 2.0 * x[2], x[0] - x[3]);
            let (r5, r10) = (5f64.sqrt(), 10f64.sqrt());
            vec![
                (x[0] + 10.0 * x[1], vec![1.0, 10.0, 0.0, 0.0]),
                (r5 * (x[2] - x[3]), vec![0.0, 0.0, r5, -r5]),
                (a * a, vec![0.0, 2.0 * a, -4.0 * a, 0.0]),
                (r10 * b * b, vec![2.0 * r10 * b, 0.0, 0.0, -2.0 * r10 * b]),
            ]
        }),
        case("Wood", &[-3.0, -1.0, -3.0, -1.0], 0.0, &[&[1.0; 4]], |x| {
            let (r90, r10) = (90f64.sqrt(), 10f64.sqrt());
            vec![
                (10.0 * (x[1] - x[0] * x[0]), vec![-20.0 * x[0], 10.0, 0.0, 0.0]),
                (1.0 - x[0], vec![-1.0, 0.0, 0.0, 0.0]),
                (r90 * (x[3] - x[2] * x[2]), vec![0.0, 0.0, -2.0 * r90 * x[2], r90]),
                (1.0 - x[2], vec![0.0, 0.0, -1.0, 0.0]),
                (r10 * (x[1] + x[3] - 2.0), vec![0.0, r10, 0.0, r10]),
                ((x[1] - x[3]) / r10, vec![0.0, 1.0 / r10, 0.0, -1.0 / r10]),
            ]
        }),
        case("helical valley", &[-1.0, 0.0, 0.0], 0.0, &[&[1.0, 0.0, 0.0]], helix),
    ]
}

/// Badly scaled, or with another local minimum.
fn scaled() -> [Case; 3] {
    [
        case("Brown badly scaled", &[1.0, 1.0], 0.0, &[&[1e6, 2e-6]], |x| {
            vec![
                (x[0] - 1e6, vec![1.0, 0.0]),
                (x[1] - 2e-6, vec![0.0, 1.0]),
                (x[0] * x[1] - 2.0, vec![x[1], x[0]]),
            ]
        }),
        case("Freudenstein and Roth", &[0.5, -2.0], 0.0, &[&[5.0, 4.0], &[11.412_779, -0.896_805]], |x| {
            let y = x[1];
            vec![
                (-13.0 + x[0] + ((5.0 - y) * y - 2.0) * y, vec![1.0, 10.0 * y - 3.0 * y * y - 2.0]),
                (-29.0 + x[0] + ((y + 1.0) * y - 14.0) * y, vec![1.0, 3.0 * y * y + 2.0 * y - 14.0]),
            ]
        }),
        case("Jennrich and Sampson", &[0.3, 0.4], 124.362_182_355_615, &[&[0.257_825_2, 0.257_825_2]], |x| {
            let term = |i: u32| {
                let i = f64::from(i);
                let (a, b) = ((i * x[0]).exp(), (i * x[1]).exp());
                (2.0 + 2.0 * i - a - b, vec![-i * a, -i * b])
            };
            (1..=10).map(term).collect()
        }),
    ]
}

fn helix(x: &[f64]) -> Vec<(f64, Vec<f64>)> {
    let turn = std::f64::consts::TAU;
    let angle = (x[1] / x[0]).atan() / turn + if x[0] < 0.0 { 0.5 } else { 0.0 };
    let square = x[0] * x[0] + x[1] * x[1];
    let (da, db) = (-x[1] / square / turn, x[0] / square / turn);
    let radius = square.sqrt();
    vec![
        (10.0 * (x[2] - 10.0 * angle), vec![-100.0 * da, -100.0 * db, 10.0]),
        (10.0 * (radius - 1.0), vec![10.0 * x[0] / radius, 10.0 * x[1] / radius, 0.0]),
        (x[2], vec![0.0, 0.0, 1.0]),
    ]
}

/// How far a point is from the nearest minimum, relative to its size.
pub(crate) fn distance(case: &Case, x: &[f64]) -> f64 {
    let apart = |minimum: &Vec<f64>| {
        let parts = x.iter().zip(minimum).map(|(x, m)| (x - m).abs() / m.abs().max(1.0));
        parts.fold(0.0, f64::max)
    };
    case.minima.iter().map(apart).fold(f64::INFINITY, f64::min)
}
