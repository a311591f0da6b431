//! The version of redb that Cargo.lock has, for the program to tell.

fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").expect("Cargo.lock lies beside Cargo.toml");
    let mut lines = lock.lines().skip_while(|line| *line != "name = \"redb\"").skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = \"")).expect("redb is in Cargo.lock");
    println!("cargo:rustc-env=REDB_VERSION={}", version.trim_end_matches('"'));
}
