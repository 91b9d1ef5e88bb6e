//! NumPy memory seen as slices and matrix views. All `unsafe` code of this crate is here.
//!
//! An array is held by a reference while it is looked at, so that its memory stays. Python code on another thread
//! could still write into it while a fit runs without the interpreter's lock; as with every library that computes on
//! NumPy arrays without that lock, this is the caller's contract, and the numbers read are then unspecified.

use mercer::math::MatRef;
use numpy::npyffi::{NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS};
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// A float64 matrix of the caller's, with any strides that are not negative.
#[derive(Debug)]
pub(crate) struct HeldMatrix {
    _owner: Py<PyAny>,
    pointer: *const f64,
    shape: [usize; 2],
    strides: [usize; 2],
}

// SAFETY: the pointer is only read, and the reference to its owner may be sent and shared.
unsafe impl Send for HeldMatrix {}
// SAFETY: as above; nothing is ever written through it.
unsafe impl Sync for HeldMatrix {}

impl HeldMatrix {
    /// The array as a matrix; `None` where it is no float64 matrix, not aligned, or runs backwards.
    #[inline]
    pub(crate) fn of(array: &Bound<'_, PyAny>) -> Option<Self> {
        let array = array.cast::<PyArray2<f64>>().ok()?;
        let (shape, strides) = (array.shape(), array.strides());
        const WIDTH: isize = size_of::<f64>() as isize;
        let stride = |k: usize| match (shape[k], strides[k]) {
            // An axis of one element may have any stride; it is never walked.
            (0 | 1, _) => Some(0),
            (_, s) if s >= 0 && s % WIDTH == 0 => Some((s / WIDTH) as usize),
            _ => None,
        };
        let (rows, columns) = (stride(0)?, stride(1)?);
        let columns = if shape[1] == 1 { 1 } else { columns };
        // SAFETY: the array is alive, so that its header can be read.
        let flags = unsafe { (*array.as_array_ptr()).fields.flags };
        (flags & NPY_ARRAY_ALIGNED != 0).then(|| Self {
            pointer: array.data().cast_const(),
            shape: [shape[0], shape[1]],
            strides: [rows, columns],
            _owner: array.clone().into_any().unbind(),
        })
    }

    /// The matrix as Mercer sees it.
    pub(crate) fn view(&self) -> MatRef<'_> {
        let [n, d] = self.shape;
        let length =
            if n == 0 || d == 0 { 0 } else { (n - 1) * self.strides[0] + (d - 1) * self.strides[1] + 1 };
        let data = if length == 0 {
            &[]
        } else {
            // SAFETY: the pointer is aligned and not null (checked or guaranteed by NumPy), the last element that
            // the strides reach lies inside the array, every element between has been initialised by NumPy or is
            // padding inside the same allocation (which any bit pattern makes a valid f64), and `_owner` keeps it.
            unsafe { std::slice::from_raw_parts(self.pointer, length) }
        };
        MatRef::strided(data, n, d, self.strides[0], self.strides[1])
            .unwrap_or_else(|| unreachable!("the length was computed from the strides"))
    }

    pub(crate) fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// The address of the first element.
    pub(crate) fn address(&self) -> usize {
        self.pointer as usize
    }
}

/// A contiguous vector of the caller's.
#[derive(Debug)]
pub(crate) struct HeldSlice<T> {
    _owner: Py<PyAny>,
    pointer: *const T,
    length: usize,
}

// SAFETY: as for `HeldMatrix`; `T` is a plain number.
unsafe impl<T: Element> Send for HeldSlice<T> {}
// SAFETY: as for `HeldMatrix`.
unsafe impl<T: Element> Sync for HeldSlice<T> {}

impl<T: Element + Copy> HeldSlice<T> {
    /// The array as a slice; `None` where it has another type, is not aligned or not contiguous.
    pub(crate) fn of(array: &Bound<'_, PyAny>) -> Option<Self> {
        let array = array.cast::<PyArray1<T>>().ok()?;
        // SAFETY: the array is alive, so that its header can be read.
        let flags = unsafe { (*array.as_array_ptr()).fields.flags };
        let wanted = NPY_ARRAY_ALIGNED | NPY_ARRAY_C_CONTIGUOUS;
        (flags & wanted == wanted).then(|| Self {
            pointer: array.data().cast_const(),
            length: array.len(),
            _owner: array.clone().into_any().unbind(),
        })
    }

    pub(crate) fn slice(&self) -> &[T] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: aligned, contiguous, `length` elements long, and kept alive by `_owner`.
        unsafe { std::slice::from_raw_parts(self.pointer, self.length) }
    }
}

impl HeldSlice<i32> {
    /// The same memory as numbers without a sign; negative ones become at least 2³¹, which no bound check lets pass.
    pub(crate) fn unsigned(&self) -> &[u32] {
        let slice = self.slice();
        // SAFETY: i32 and u32 have the same size and alignment, and every bit pattern is valid for both.
        unsafe { std::slice::from_raw_parts(slice.as_ptr().cast(), slice.len()) }
    }
}
