//! Points as kernels take them.

use mercer_core::{
    DataKind, Error, ErrorKind, Graph, Input, Matrix, Numbers, Result, Series, SeriesRef, SparseMatrix,
};
use mercer_math::{Csr, CsrRef, Mat, MatRef};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Points, borrowed.
#[derive(Clone, Copy, Debug)]
pub enum PointsRef<'a> {
    /// Dense rows.
    Dense(MatRef<'a>),
    /// Sparse rows.
    Sparse(CsrRef<'a>),
    /// Strings.
    Strings(&'a [String]),
    /// Series.
    Series(SeriesRef<'a>),
    /// Graphs.
    Graphs(&'a [Graph]),
    /// Places among the points of training, for a kernel that is given as a matrix.
    Places(&'a [u32]),
}

/// Points that a model keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Points {
    /// Dense rows.
    Dense(Mat),
    /// Sparse rows.
    Sparse(Csr),
    /// Strings.
    Strings(Vec<String>),
    /// Places among the points of training, for a kernel that is given as a matrix.
    Places(Vec<u32>),
    /// Series.
    Series(Series),
    /// Graphs.
    Graphs(Vec<Graph>),
}

/// The input of a learner as points; what must be copied to be read as numbers is kept here.
#[derive(Clone, Debug)]
pub enum Held<'a> {
    /// Dense rows.
    Dense(Matrix<'a>),
    /// Sparse rows.
    Sparse(SparseMatrix<'a>),
    /// Strings.
    Strings(&'a [String]),
    /// Series.
    Series(SeriesRef<'a>),
    /// Graphs.
    Graphs(&'a [Graph]),
}

impl<'a> Held<'a> {
    /// The input of the learner `owner`, whose kernel takes data of this kind.
    pub fn new(owner: &str, kind: DataKind, input: &'a Input<'_>) -> Result<Self> {
        Ok(match kind {
            DataKind::Strings => Held::Strings(input.strings(owner)?),
            DataKind::Series => Held::Series(input.series(owner)?),
            DataKind::Graphs => Held::Graphs(input.graphs(owner)?),
            DataKind::Rows => match input.rows(owner)?.numbers(owner)? {
                Numbers::Dense(m) => Held::Dense(m),
                Numbers::Sparse(m) => Held::Sparse(m),
            },
            DataKind::Density | DataKind::Mdp | DataKind::States | DataKind::Environment => {
                return Err(ErrorKind::Kind {
                    learner: owner.to_owned(),
                    takes: "points of a kernel".to_owned(),
                    got: kind.to_string(),
                }
                .into());
            }
        })
    }

    /// The points.
    pub fn view(&self) -> PointsRef<'_> {
        match self {
            Held::Dense(m) => PointsRef::Dense(m.view()),
            Held::Sparse(m) => PointsRef::Sparse(m.view()),
            Held::Strings(s) => PointsRef::Strings(s),
            Held::Series(s) => PointsRef::Series(*s),
            Held::Graphs(g) => PointsRef::Graphs(g),
        }
    }
}

impl<'a> PointsRef<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            PointsRef::Dense(m) => m.n_rows(),
            PointsRef::Sparse(m) => m.n_rows(),
            PointsRef::Strings(s) => s.len(),
            PointsRef::Series(s) => s.len(),
            PointsRef::Graphs(g) => g.len(),
            PointsRef::Places(p) => p.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of features of rows, or of coordinates of series; 1 for what has none.
    pub fn n_features(&self) -> usize {
        match self {
            PointsRef::Dense(m) => m.n_cols(),
            PointsRef::Sparse(m) => m.n_cols(),
            PointsRef::Series(s) => s.n_coordinates(),
            PointsRef::Strings(_) | PointsRef::Graphs(_) | PointsRef::Places(_) => 1,
        }
    }

    /// The points of a range.
    pub fn range(&self, range: Range<usize>) -> PointsRef<'a> {
        match self {
            PointsRef::Dense(m) => PointsRef::Dense(m.rows(range)),
            PointsRef::Sparse(m) => PointsRef::Sparse(m.rows(range)),
            PointsRef::Strings(s) => PointsRef::Strings(&s[range]),
            PointsRef::Series(s) => PointsRef::Series(s.range(range)),
            PointsRef::Graphs(g) => PointsRef::Graphs(&g[range]),
            PointsRef::Places(p) => PointsRef::Places(&p[range]),
        }
    }

    /// The chosen points, copied.
    pub fn gather(&self, chosen: &[usize]) -> Points {
        match self {
            PointsRef::Dense(m) => Points::Dense(m.gather(chosen)),
            PointsRef::Sparse(m) => Points::Sparse(m.gather(chosen)),
            PointsRef::Strings(s) => Points::Strings(chosen.iter().map(|&i| s[i].clone()).collect()),
            PointsRef::Series(s) => Points::Series(s.gather(chosen)),
            PointsRef::Graphs(g) => Points::Graphs(chosen.iter().map(|&i| g[i].clone()).collect()),
            PointsRef::Places(p) => Points::Places(chosen.iter().map(|&i| p[i]).collect()),
        }
    }

    /// All points, copied.
    pub fn to_points(&self) -> Points {
        match self {
            PointsRef::Dense(m) => Points::Dense(m.to_mat()),
            PointsRef::Sparse(m) => Points::Sparse(m.gather(&(0..m.n_rows()).collect::<Vec<_>>())),
            PointsRef::Strings(s) => Points::Strings(s.to_vec()),
            PointsRef::Series(s) => Points::Series(s.gather(&(0..s.len()).collect::<Vec<_>>())),
            PointsRef::Graphs(g) => Points::Graphs(g.to_vec()),
            PointsRef::Places(p) => Points::Places(p.to_vec()),
        }
    }

    /// The mean of the variances of the features times their number, which `gamma="scale"` divides by; all entries are taken
    /// as one sample, as scikit-learn does.
    pub fn spread(&self) -> f64 {
        let (n, d) = (self.len(), self.n_features());
        let cells = (n * d) as f64;
        let (sum, square) = match self {
            PointsRef::Dense(m) => {
                let mean = (0..n).flat_map(|i| (0..d).map(move |j| m.get(i, j))).sum::<f64>() / cells;
                let about = |i, j| m.get(i, j) - mean;
                return (0..n).flat_map(|i| (0..d).map(move |j| about(i, j).powi(2))).sum::<f64>() / cells
                    * d as f64;
            }
            PointsRef::Sparse(m) => {
                let values = m.values();
                (values.iter().sum::<f64>(), values.iter().map(|v| v * v).sum::<f64>())
            }
            PointsRef::Strings(_) | PointsRef::Series(_) | PointsRef::Graphs(_) | PointsRef::Places(_) => {
                return 1.0;
            }
        };
        (square / cells - (sum / cells).powi(2)) * d as f64
    }
}

impl Points {
    /// The points.
    pub fn view(&self) -> PointsRef<'_> {
        match self {
            Points::Dense(m) => PointsRef::Dense(m.view()),
            Points::Sparse(m) => PointsRef::Sparse(m.view()),
            Points::Strings(s) => PointsRef::Strings(s),
            Points::Series(s) => PointsRef::Series(s.view()),
            Points::Graphs(g) => PointsRef::Graphs(g),
            Points::Places(p) => PointsRef::Places(p),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.view().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a kernel takes them.
    pub fn suit(&self, kernel: &super::Kernel) -> bool {
        match kernel.data_kind() {
            DataKind::Strings => matches!(self, Points::Strings(_)),
            DataKind::Series => matches!(self, Points::Series(_)),
            DataKind::Graphs => matches!(self, Points::Graphs(_)),
            DataKind::Rows => match kernel {
                super::Kernel::Precomputed => matches!(self, Points::Places(_) | Points::Dense(_)),
                _ => matches!(self, Points::Dense(_) | Points::Sparse(_)),
            },
            DataKind::Density | DataKind::Mdp | DataKind::States | DataKind::Environment => false,
        }
    }

    /// Whether what was loaded fits together: as many features as the schema has, where points are rows.
    pub fn fits(&self, n_features: usize) -> bool {
        match self {
            Points::Dense(m) => m.is_consistent() && m.n_cols() == n_features,
            Points::Sparse(m) => m.is_consistent() && m.n_cols() == n_features,
            Points::Strings(_) => true,
            Points::Series(s) => s.is_consistent() && s.view().n_coordinates() == n_features,
            Points::Graphs(g) => g.iter().all(Graph::is_consistent),
            Points::Places(places) => places.iter().all(|&p| (p as usize) < n_features),
        }
    }
}

/// The error of a kernel that meets points of another kind than its own.
pub(crate) fn wrong_points(kernel: &str, takes: &str) -> Error {
    let (learner, takes) = (format!("the kernel {kernel}"), takes.to_owned());
    ErrorKind::Kind { learner, takes, got: "points of another kind".to_owned() }.into()
}
