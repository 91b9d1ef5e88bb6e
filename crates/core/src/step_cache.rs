//! Prepared rows that a search need not prepare again.

use crate::contract::Model;
use crate::data_kinds::{RowData, Rows};
use crate::error::Result;
use crate::table::Column;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Fitted steps and the rows they made, by what made them. Clones share the store; each names the rows that it is
/// about, so that a search gives every fold its own.
#[derive(Clone)]
pub struct StepCache {
    rows: String,
    store: Arc<Mutex<Store>>,
}

struct Store {
    made: HashMap<String, (Box<dyn Model>, Rows<'static>)>,
    bytes: usize,
    limit: usize,
    hits: usize,
}

impl fmt::Debug for StepCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepCache").field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl StepCache {
    /// A store that keeps at most `limit` bytes of rows; what comes later is not kept.
    pub fn new(limit: usize) -> Self {
        let store = Store { made: HashMap::new(), bytes: 0, limit, hits: 0 };
        Self { rows: String::new(), store: Arc::new(Mutex::new(store)) }
    }

    /// The same store, for other rows.
    #[must_use]
    pub fn about(&self, rows: impl Into<String>) -> Self {
        Self { rows: rows.into(), store: self.store.clone() }
    }

    /// How often something was found.
    pub fn hits(&self) -> usize {
        self.store.lock().unwrap_or_else(PoisonError::into_inner).hits
    }

    /// What `step` makes of these rows: found, or made now. Two threads may make the same at once; neither waits, since
    /// a waiting thread of a pool could be waiting for itself.
    pub fn step(
        &self,
        step: &str,
        make: impl FnOnce() -> Result<(Box<dyn Model>, Rows<'static>)>,
    ) -> Result<(Box<dyn Model>, Rows<'static>)> {
        let key = format!("{}|{step}", self.rows);
        {
            let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((model, rows)) = store.made.get(&key) {
                let found = (model.clone(), rows.clone());
                store.hits += 1;
                return Ok(found);
            }
        }
        let (model, rows) = make()?;
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let size = size_of_rows(&rows);
        if store.bytes + size <= store.limit && !store.made.contains_key(&key) {
            store.bytes += size;
            store.made.insert(key, (model.clone(), rows.clone()));
        }
        Ok((model, rows))
    }
}

/// About how many bytes the values of some rows take.
fn size_of_rows(rows: &Rows<'_>) -> usize {
    match rows.data() {
        RowData::Dense(m) => 8 * m.view().n_rows() * m.view().n_cols(),
        RowData::Sparse(m) => 12 * m.view().values().len() + 8 * m.view().n_rows(),
        RowData::Table(t) => t.columns().iter().map(|c| size_of_column(c)).sum(),
    }
}

fn size_of_column(column: &Column<'_>) -> usize {
    match column {
        Column::Text(texts) => texts.iter().map(|t| 24 + t.as_ref().map_or(0, String::len)).sum(),
        other @ (Column::Numeric(_) | Column::Categorical { .. } | Column::Boolean(_) | Column::Time(_)) => {
            8 * other.len()
        }
    }
}
