//! A CSV file far larger than the buffers streams through a pipeline, to the bits of memory.

use mercer::Schema;
use mercer::data::{CsvBatches, CsvOptions};
use mercer::prelude::*;
use mercer::sums::Batches;
use std::io::Write;

struct Stream(CsvBatches);

impl Batches for Stream {
    fn schema(&mut self) -> Result<Schema> {
        self.rewind()?;
        let first = self.next_batch()?.expect("the file has rows");
        self.rewind()?;
        Ok(Schema::of(&first))
    }
    fn next_batch(&mut self) -> Result<Option<Dataset<'static>>> {
        let Some(table) = self.0.next().transpose()? else { return Ok(None) };
        let target = Target::from_column("y", table.column("y")?, false)?;
        Ok(Some(Dataset::new(table.without(&["y"])?).with_target(target)?))
    }
    fn rewind(&mut self) -> Result<()> {
        self.0.rewind()
    }
}

#[test]
fn a_pipeline_streams_a_file_in_bounded_memory() {
    let file = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
    let mut out = std::io::BufWriter::new(file.as_file());
    writeln!(out, "a,b,c,y").unwrap();
    for i in 0..300_000u32 {
        let (a, b, c) = (f64::from(i % 1000) / 7.0, f64::from(i * 37 % 991), f64::from(i % 13));
        writeln!(out, "{a},{b},{c},{}", 2.0 * a - 0.5 * b + c + f64::from(i * 7919 % 101) / 100.0).unwrap();
    }
    out.flush().unwrap();
    let size = file.as_file().metadata().unwrap().len();
    let mut stream = Stream(CsvBatches::open(file.path(), &CsvOptions::default(), 5000).unwrap());
    let learner = mercer::learner("pipeline:steps=[standard-scaler, ridge]").unwrap();
    let streamed = learner.train_stream(&mut stream, &Session::default()).unwrap();
    let limit = 5 << 20;
    assert!(
        stream.0.largest_buffer() < limit && size > 2 * limit as u64,
        "{} {size}",
        stream.0.largest_buffer()
    );

    let whole = mercer::data::read_csv(file.path(), &CsvOptions::default()).unwrap().table;
    let target = Target::from_column("y", whole.column("y").unwrap(), false).unwrap();
    let features = whole.without(&["y"]).unwrap();
    let memory =
        learner.train(&Dataset::new(&features).with_target(target).unwrap(), &Session::default()).unwrap();
    let rows = Input::from(features.gather(&[0, 1, 77_777]));
    let session = Session::default();
    let (a, b) = (streamed.predict(&rows, &session).unwrap(), memory.predict(&rows, &session).unwrap());
    for (a, b) in a.numbers().unwrap().iter().zip(b.numbers().unwrap()) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}
