//! `docs/OPERATIONS.md`: written from what the cards say, and never by hand.

use std::fs;
use std::path::Path;

#[test]
fn operations_document_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/OPERATIONS.md");
    let fresh = operations_document();
    if std::env::var_os("POORGRAD_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &fresh).unwrap();
    }
    let text = fs::read_to_string(&path).unwrap_or_default();
    assert!(text == fresh, "docs/OPERATIONS.md is not what the cards say: run `cargo xtask ops`");
}

fn operations_document() -> String {
    let mut text = String::from(
        "# The operations\n\n\
         What a tape can hold, written by `cargo xtask ops` from the cards under `src/ops`: do not\n\
         edit it. `docs/spec` defines what each operation computes to the bit. A tape that violates a\n\
         constraint is refused with its number.\n\n\
         | operation | operands | computes | constraints |\n\
         | --- | --- | --- | --- |\n",
    );
    for info in poorgrad::operations() {
        let arity = info.arity.map_or("any".to_owned(), |arity| arity.to_string());
        let constraints = info.constraints.join("<br>").replace('|', "\\|");
        let summary = info.summary.replace('|', "\\|");
        text += format!("| `{}` | {arity} | {summary} | {constraints} |", info.name).trim_end();
        text += "\n";
    }
    text += "\n# The composites\n\n\
             Methods that record several of these operations, by the file that has them.\n\n\
             | file | methods |\n| --- | --- |\n";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ops/composite");
    let losses = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/neural/loss.rs");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder of composites")
        .map(|entry| entry.expect("a file").path())
        .chain([losses])
        .collect();
    files.sort_by_key(|file| file.file_stem().map(ToOwned::to_owned));
    for file in files {
        let stem = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let source = fs::read_to_string(&file).expect("a file in UTF-8");
        let methods: Vec<String> = source
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("pub fn ")?.split(['(', '<']).next())
            .filter(|name| !name.starts_with("try_") && !name.starts_with('$'))
            .map(|name| format!("`{name}`"))
            .collect();
        if stem != "mod" {
            text += &format!("| `{stem}` | {} |\n", methods.join(", "));
        }
    }
    text
}
