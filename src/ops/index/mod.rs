//! Indexing by selections: rows read, added and written.

mod gather;
mod row_update;
mod scatter;

pub(crate) use gather::Gather;
pub(crate) use row_update::RowUpdate;
pub(crate) use scatter::Scatter;
