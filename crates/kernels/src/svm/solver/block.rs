//! Sequential minimal optimisation on a block of variables whose kernel values are all at hand.

use super::element::Element;

/// Variables that are looked at side by side.
pub(crate) const LANES: usize = 8;
/// A curvature below this share of its terms is none.
const FLAT: f64 = 1e-12;

/// The variables of a block, in segments of one group each that are filled up to whole lanes.
pub(crate) struct Block<E> {
    /// Kernel values, by rows of `width`.
    pub(crate) kernel: Vec<E>,
    pub(crate) diagonal: Vec<f64>,
    /// The slope of each variable.
    pub(crate) slope: Vec<f64>,
    pub(crate) beta: Vec<f64>,
    pub(crate) low: Vec<f64>,
    pub(crate) high: Vec<f64>,
    /// Where each group begins and ends.
    pub(crate) segments: Vec<(usize, usize)>,
    /// 0 where a variable may grow, else infinity.
    up: Vec<f64>,
    /// 0 where it may shrink, else minus infinity.
    down: Vec<f64>,
}

/// How the work on a block ended.
pub(crate) struct Worked {
    pub(crate) iterations: u64,
    /// Two variables without a bound or a curvature between them: the minimum is infinite.
    pub(crate) unbounded: Option<(usize, usize)>,
    /// The violation that was met first.
    pub(crate) first: f64,
}

/// The smallest slope of what may grow, with its place.
#[derive(Clone, Copy)]
struct Least {
    slope: f64,
    at: usize,
}

/// The partner of a variable: its place, by what the pair gains, and the largest slope of what may shrink.
#[derive(Clone, Copy)]
struct Partner {
    gain: f64,
    at: usize,
    largest: f64,
}

impl<E: Element> Block<E> {
    /// A block of `width` variables of which none may move yet.
    pub(crate) fn new(width: usize, segments: Vec<(usize, usize)>) -> Self {
        Self {
            kernel: vec![E::default(); width * width],
            diagonal: vec![1.0; width],
            slope: vec![0.0; width],
            beta: vec![0.0; width],
            low: vec![0.0; width],
            high: vec![0.0; width],
            segments,
            up: vec![f64::INFINITY; width],
            down: vec![f64::NEG_INFINITY; width],
        }
    }

    fn width(&self) -> usize {
        self.slope.len()
    }

    fn row(&self, i: usize) -> &[E] {
        &self.kernel[i * self.width()..(i + 1) * self.width()]
    }

    fn open(&mut self, i: usize) {
        self.up[i] = if self.beta[i] < self.high[i] { 0.0 } else { f64::INFINITY };
        self.down[i] = if self.beta[i] > self.low[i] { 0.0 } else { f64::NEG_INFINITY };
    }

    /// Steps along the pair that gains most (second-order selection: Fan, Chen, Lin 2005), until no pair violates the
    /// optimality conditions by more than `tol`, or by more than `share` of what the first did.
    pub(crate) fn work(&mut self, tol: f64, share: f64, limit: u64) -> Worked {
        mercer_math::wide(
            #[inline(always)]
            || self.steps(tol, share, limit),
        )
    }

    #[inline(always)]
    fn steps(&mut self, tol: f64, share: f64, limit: u64) -> Worked {
        (0..self.width()).for_each(|i| self.open(i));
        let mut worked = Worked { iterations: 0, unbounded: None, first: 0.0 };
        let mut least = [Least { slope: f64::INFINITY, at: 0 }; 2];
        self.shift(None, &mut least);
        let mut tol = tol;
        while worked.iterations < limit {
            let (mut best, mut violation) = (None::<(f64, usize, usize)>, 0.0f64);
            for (segment, least) in self.segments.iter().zip(&least) {
                if least.slope == f64::INFINITY {
                    continue;
                }
                let found = self.partner(*segment, *least);
                violation = violation.max(found.largest - least.slope);
                if found.gain > best.map_or(0.0, |(gain, ..)| gain) {
                    best = Some((found.gain, least.at, found.at));
                }
            }
            if worked.iterations == 0 {
                worked.first = violation;
                tol = tol.max(share * violation);
            }
            let Some((_, i, j)) = best.filter(|_| violation >= tol) else { break };
            let Some(step) = self.step(i, j) else {
                worked.unbounded = Some((i, j));
                break;
            };
            worked.iterations += 1;
            self.shift(Some((step, i, j)), &mut least);
        }
        worked
    }

    /// Moves β_i up and β_j down as far as it pays and the bounds allow; `None` where nothing ends it.
    #[inline(always)]
    fn step(&mut self, i: usize, j: usize) -> Option<f64> {
        let (kii, kjj, kij) = (self.diagonal[i], self.diagonal[j], self.row(i)[j].wide());
        let (room_i, room_j) = (self.high[i] - self.beta[i], self.beta[j] - self.low[j]);
        let room = room_i.min(room_j);
        let curvature = kii + kjj - 2.0 * kij;
        let flat = FLAT * (kii.abs() + kjj.abs()).max(f64::MIN_POSITIVE);
        if curvature <= flat && room == f64::INFINITY {
            return None;
        }
        let step = ((self.slope[j] - self.slope[i]) / curvature.max(flat)).min(room);
        self.beta[i] = if step >= room_i { self.high[i] } else { self.beta[i] + step };
        self.beta[j] = if step >= room_j { self.low[j] } else { self.beta[j] - step };
        self.open(i);
        self.open(j);
        Some(step)
    }

    /// Adds a step to all slopes, and finds the least of each segment.
    #[inline(always)]
    fn shift(&mut self, step: Option<(f64, usize, usize)>, least: &mut [Least; 2]) {
        let width = self.width();
        let (step, i, j) = step.unwrap_or((0.0, 0, 0));
        let (ki, kj) = (&self.kernel[i * width..(i + 1) * width], &self.kernel[j * width..(j + 1) * width]);
        for (&(start, end), least) in self.segments.iter().zip(least.iter_mut()) {
            let slopes = self.slope[start..end].as_chunks_mut::<LANES>().0.iter_mut();
            let (ki, kj) = (ki[start..end].as_chunks::<LANES>().0, kj[start..end].as_chunks::<LANES>().0);
            let up = self.up[start..end].as_chunks::<LANES>().0;
            let (mut best, mut at) = ([f64::INFINITY; LANES], [0u64; LANES]);
            for (c, (((slope, ki), kj), up)) in slopes.zip(ki).zip(kj).zip(up).enumerate() {
                for l in 0..LANES {
                    slope[l] += step * (ki[l].wide() - kj[l].wide());
                    let open = slope[l] + up[l];
                    let better = open < best[l];
                    best[l] = if better { open } else { best[l] };
                    at[l] = if better { c as u64 } else { at[l] };
                }
            }
            *least = Least { slope: f64::INFINITY, at: start };
            for l in 0..LANES {
                let place = start + at[l] as usize * LANES + l;
                if best[l] < least.slope || (best[l] == least.slope && place < least.at) {
                    *least = Least { slope: best[l], at: place };
                }
            }
        }
    }

    /// The partner of a variable within its segment, by the gain of the unbounded step.
    #[inline(always)]
    fn partner(&self, (start, end): (usize, usize), least: Least) -> Partner {
        let row = self.row(least.at);
        let (own, slope) = (self.diagonal[least.at], least.slope);
        let slopes = self.slope[start..end].as_chunks::<LANES>().0;
        let down = self.down[start..end].as_chunks::<LANES>().0;
        let (row, diagonal) =
            (row[start..end].as_chunks::<LANES>().0, self.diagonal[start..end].as_chunks::<LANES>().0);
        let (mut best, mut at) = ([0.0f64; LANES], [0u64; LANES]);
        let mut largest = [f64::NEG_INFINITY; LANES];
        for (c, (((slopes, down), row), diagonal)) in
            slopes.iter().zip(down).zip(row).zip(diagonal).enumerate()
        {
            for l in 0..LANES {
                let open = slopes[l] + down[l];
                largest[l] = if open > largest[l] { open } else { largest[l] };
                let ahead = open - slope;
                let ahead = if ahead > 0.0 { ahead } else { 0.0 };
                let curvature = own + diagonal[l] - 2.0 * row[l].wide();
                let flat = FLAT * (own + diagonal[l]) + f64::MIN_POSITIVE;
                let gain = ahead * ahead / (if curvature > flat { curvature } else { flat });
                let better = gain > best[l];
                best[l] = if better { gain } else { best[l] };
                at[l] = if better { c as u64 } else { at[l] };
            }
        }
        let mut partner = Partner { gain: 0.0, at: start, largest: f64::NEG_INFINITY };
        for l in 0..LANES {
            let place = start + at[l] as usize * LANES + l;
            partner.largest = partner.largest.max(largest[l]);
            if best[l] > partner.gain || (best[l] == partner.gain && place < partner.at) {
                partner = Partner { gain: best[l], at: place, ..partner };
            }
        }
        partner
    }
}
