//! What a kernel needs of points, made once: scaled copies, mapped rows, squared lengths.

use super::points::wrong_points;
use super::{Hyper, Kernel, PointsRef};
use crate::structures::Prepared;
use mercer_core::{Error, ErrorKind, Matrix, Result, Session, SparseMatrix};
use mercer_math::{Csr, CsrRef, DoublePanels, Mat, dot};
use std::f64::consts::TAU;
use std::sync::{Arc, OnceLock};

/// Points prepared for a kernel.
#[derive(Clone, Debug)]
pub struct Side<'a> {
    pub(super) n: usize,
    pub(super) n_features: usize,
    pub(super) part: Part<'a>,
    /// Its rows in panels, once a block of the RBF kernel has asked for them.
    pub(super) panels: OnceLock<DoublePanels>,
}

impl Side<'_> {
    /// How many points there are.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }
}

/// What a node of a kernel needs of points.
#[derive(Clone, Debug)]
pub(super) enum Part<'a> {
    /// Their number alone.
    Nothing,
    /// Rows with their squared lengths.
    Dense(Matrix<'a>, Vec<f64>),
    /// Sparse rows with their squared lengths.
    Sparse(SparseMatrix<'a>, Vec<f64>),
    /// Strings, series or graphs, prepared.
    Structure(Arc<Prepared<'a>>),
    /// Angles of the coordinates, and the points on their circles.
    Turned(Arc<Mat>, Box<Part<'a>>),
    /// Places among the points of training.
    Places(&'a [u32]),
    /// A factor for each point, and what its inner kernel needs.
    Scaled(Vec<f64>, Box<Part<'a>>),
    /// What each of its parts needs.
    All(Vec<Part<'a>>),
}

impl<'a> Part<'a> {
    /// The rows of which distances are taken.
    pub(super) fn rows(&self) -> &Part<'a> {
        if let Part::Turned(_, circles) = self { circles } else { self }
    }

    /// The same with sparse rows made dense.
    pub(super) fn dense(&self) -> Part<'a> {
        match self {
            Part::Sparse(m, squares) => Part::Dense(m.view().to_dense().into(), squares.clone()),
            Part::Scaled(factors, inner) => Part::Scaled(factors.clone(), Box::new(inner.dense())),
            Part::All(parts) => Part::All(parts.iter().map(Part::dense).collect()),
            other => other.clone(),
        }
    }
}

impl Kernel {
    /// Prepares points. Rows in their order of memory that no length scale changes are not copied.
    pub fn side<'a>(&self, points: PointsRef<'a>) -> Result<Side<'a>> {
        let part = self.part(points)?;
        Ok(Side { n: points.len(), n_features: points.n_features(), part, panels: OnceLock::new() })
    }

    /// Whether it takes these points, for models that are read from files.
    pub(crate) fn takes(&self, points: PointsRef<'_>) -> bool {
        Session::default().run(|| self.side(points).is_ok())
    }

    fn part<'a>(&self, points: PointsRef<'a>) -> Result<Part<'a>> {
        match self {
            Kernel::Constant(_) | Kernel::White(_) => Ok(Part::Nothing),
            Kernel::Precomputed => match points {
                PointsRef::Places(places) => Ok(Part::Places(places)),
                PointsRef::Dense(m) => Ok(Part::Dense(Matrix::View(m), Vec::new())),
                _ => Err(wrong_points("precomputed", "dense rows of a Gram matrix")),
            },
            Kernel::Structure(structure) => Ok(Part::Structure(Arc::new(structure.prepare(points)?))),
            Kernel::Sum(parts) | Kernel::Product(parts) => {
                Ok(Part::All(parts.iter().map(|k| k.part(points)).collect::<Result<_>>()?))
            }
            Kernel::Power(inner, _) | Kernel::Exp(inner) | Kernel::PolynomialOf(inner, _) => {
                inner.part(points)
            }
            Kernel::Normalised(inner) => {
                let part = inner.part(points)?;
                let diagonal = inner.diagonal_of(&part, points.len());
                // A point of length zero has no direction: its kernel with any other is 0.
                let factor = |v: f64| if v > 0.0 { 1.0 / v.sqrt() } else { 0.0 };
                Ok(Part::Scaled(diagonal.into_iter().map(factor).collect(), Box::new(part)))
            }
            Kernel::ScaledBy(inner, g) => {
                let (g, held) = (g.get()?, rows_of(points, "scaled_by")?);
                let rows = held.view();
                let factors = (0..rows.n_rows()).map(|i| g(&rows.row_cow(i))).collect();
                Ok(Part::Scaled(factors, Box::new(inner.part(points)?)))
            }
            Kernel::On(inner, map) => {
                let (map, held) = (map.get()?, rows_of(points, "on")?);
                let rows = held.view();
                let mapped: Vec<Vec<f64>> = (0..rows.n_rows()).map(|i| map(&rows.row_cow(i))).collect();
                let mapped = Mat::from_rows(&mapped).ok_or_else(|| {
                    Error::incapable("a map inside of a kernel", "give rows of different length")
                })?;
                inner.owned_part(mapped)
            }
            Kernel::OnColumns(inner, columns) => {
                let held = rows_of(points, "columns")?;
                let rows = held.view();
                if let Some(&bad) = columns.iter().find(|&&j| j >= rows.n_cols()) {
                    return Err(Error::shape(
                        "columns of a kernel, the largest",
                        rows.n_cols().saturating_sub(1),
                        bad,
                    ));
                }
                inner.owned_part(Mat::from_fn(rows.n_rows(), columns.len(), |i, k| rows.get(i, columns[k])))
            }
            _ => self.leaf(points),
        }
    }

    /// The part of rows that are made here, which nothing borrows.
    fn owned_part<'a>(&self, rows: Mat) -> Result<Part<'a>> {
        let rows = Arc::new(rows);
        let part = self.part(PointsRef::Dense(rows.view()))?;
        Ok(owned(part, &rows))
    }

    /// What the leaves on rows need.
    fn leaf<'a>(&self, points: PointsRef<'a>) -> Result<Part<'a>> {
        match (self, points) {
            (
                Kernel::Rbf(h)
                | Kernel::Matern { length_scale: h, .. }
                | Kernel::RationalQuadratic { length_scale: h, .. },
                _,
            ) => scaled(points, h),
            (Kernel::Periodic { length_scale, periodicity }, _) => turned(points, length_scale, periodicity),
            (Kernel::Laplacian(_) | Kernel::Chi2(_) | Kernel::AdditiveChi2 | Kernel::Bilinear(_), _) => {
                let held = rows_of(points, "laplacian, chi2 or bilinear")?;
                let rows = held.view();
                if let Kernel::Bilinear(a) = self
                    && a.n_cols() != rows.n_cols()
                {
                    return Err(Error::shape("rows of the matrix of bilinear", rows.n_cols(), a.n_cols()));
                }
                if matches!(self, Kernel::Chi2(_) | Kernel::AdditiveChi2)
                    && let Some((row, column)) = rows.find(|v| v < 0.0)
                {
                    return Err(ErrorKind::BadValue {
                        learner: "the kernel chi2".to_owned(),
                        value: rows.get(row, column).to_string(),
                        column: format!("x{column}"),
                        row,
                        hint: "; it compares counts and shares, which are not negative".to_owned(),
                    }
                    .into());
                }
                Ok(Part::Dense(Matrix::from(rows.to_mat()), Vec::new()))
            }
            (_, PointsRef::Dense(m)) if m.has_contiguous_rows() => Ok(with_squares(Matrix::View(m))),
            (_, PointsRef::Dense(m)) => Ok(with_squares(m.to_mat().into())),
            (_, PointsRef::Sparse(m)) => Ok(sparse_with_squares(SparseMatrix::View(m))),
            _ => Err(wrong_points("of rows", "rows")),
        }
    }
}

/// Each coordinate as a point of a circle: the squared distance on circles is 4 Σⱼ sin²(π(xⱼ − yⱼ)/p), so that the periodic
/// kernel is a Gaussian of it.
fn turned<'a>(points: PointsRef<'a>, length_scale: &Hyper, periodicity: &Hyper) -> Result<Part<'a>> {
    if length_scale.values.len() != 1 {
        return Err(Error::shape(
            "values of `length_scale` of a periodic kernel",
            1,
            length_scale.values.len(),
        ));
    }
    let held = rows_of(points, "periodic")?;
    let rows = held.view();
    let (n, d) = (rows.n_rows(), rows.n_cols());
    let p = per_column(periodicity, d, "periodicity")?;
    let angles = Mat::from_fn(n, d, |i, j| TAU * rows.get(i, j) / p(j));
    let circle = |i, j| if j < d { angles[(i, j)].cos() } else { angles[(i, j - d)].sin() };
    let circles = with_squares(Mat::from_fn(n, 2 * d, circle).into());
    Ok(Part::Turned(Arc::new(angles), Box::new(circles)))
}

/// A part whose views of `rows` are shares of them.
fn owned<'a>(part: Part<'_>, rows: &Arc<Mat>) -> Part<'a> {
    match part {
        Part::Nothing => Part::Nothing,
        Part::Dense(Matrix::View(_), squares) => Part::Dense(Matrix::Owned(rows.clone()), squares),
        Part::Dense(Matrix::Owned(m), squares) => Part::Dense(Matrix::Owned(m), squares),
        Part::Turned(angles, inner) => Part::Turned(angles, Box::new(owned(*inner, rows))),
        Part::Scaled(factors, inner) => Part::Scaled(factors, Box::new(owned(*inner, rows))),
        Part::All(parts) => Part::All(parts.into_iter().map(|p| owned(p, rows)).collect()),
        Part::Sparse(..) | Part::Structure(_) | Part::Places(_) => {
            unreachable!("dense rows make no such part")
        }
    }
}

fn with_squares(x: Matrix<'_>) -> Part<'_> {
    let view = x.view();
    let squares = (0..view.n_rows()).map(|i| view.row_cow(i)).map(|row| dot(&row, &row)).collect();
    Part::Dense(x, squares)
}

fn sparse_with_squares(x: SparseMatrix<'_>) -> Part<'_> {
    let view = x.view();
    let squares = (0..view.n_rows()).map(|i| view.row(i).1).map(|values| dot(values, values)).collect();
    Part::Sparse(x, squares)
}

/// The value of a hyper-parameter for each column.
fn per_column<'h>(hyper: &'h Hyper, d: usize, name: &str) -> Result<impl Fn(usize) -> f64 + Sync + 'h> {
    let n = hyper.values.len();
    if n != 1 && n != d {
        return Err(Error::shape(format!("values of `{name}` of a kernel"), d, n));
    }
    Ok(move |j: usize| if n == 1 { hyper.values[0] } else { hyper.values[j] })
}

/// Rows divided by the length scale of each column. One scale for all is left to the evaluation, so that nothing is copied.
fn scaled<'a>(points: PointsRef<'a>, hyper: &Hyper) -> Result<Part<'a>> {
    let scale = per_column(hyper, points.n_features(), "length_scale")?;
    let one = hyper.values.len() == 1;
    Ok(match points {
        PointsRef::Dense(m) if one && m.has_contiguous_rows() => with_squares(Matrix::View(m)),
        PointsRef::Dense(m) if one => with_squares(m.to_mat().into()),
        PointsRef::Dense(m) => {
            with_squares(Mat::from_fn(m.n_rows(), m.n_cols(), |i, j| m.get(i, j) / scale(j)).into())
        }
        PointsRef::Sparse(m) if one => sparse_with_squares(SparseMatrix::View(m)),
        PointsRef::Sparse(m) => sparse_with_squares(SparseMatrix::Owned(Arc::new(divided(m, scale)))),
        PointsRef::Strings(_) | PointsRef::Series(_) | PointsRef::Graphs(_) | PointsRef::Places(_) => {
            return Err(wrong_points("of distances", "rows"));
        }
    })
}

fn divided(m: CsrRef<'_>, scale: impl Fn(usize) -> f64) -> Csr {
    let mut out = Csr::empty(m.n_cols());
    for i in 0..m.n_rows() {
        let (indices, values) = m.row(i);
        let values: Vec<f64> = indices.iter().zip(values).map(|(&j, v)| v / scale(j as usize)).collect();
        out.push_row(indices, &values);
    }
    out
}

/// Points as dense rows.
fn rows_of<'a>(points: PointsRef<'a>, kernel: &str) -> Result<Matrix<'a>> {
    match points {
        PointsRef::Dense(m) => Ok(Matrix::View(m)),
        PointsRef::Sparse(m) => Ok(m.to_dense().into()),
        PointsRef::Strings(_) | PointsRef::Series(_) | PointsRef::Graphs(_) | PointsRef::Places(_) => {
            Err(wrong_points(kernel, "rows"))
        }
    }
}
