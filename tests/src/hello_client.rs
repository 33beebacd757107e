//! The documents' hello world through our client, to a server in another process.
//!
//! usage: hello TARGET

use cluster::RemoteSession;
use tensorfleet::prelude::*;

fn main() -> Result<()> {
    let target = std::env::args().nth(1).unwrap_or_else(|| "grpc://localhost:2222".into());
    let g = Graph::new();
    let hello = g.constant("Hello, distributed TensorFlow!");
    let session = RemoteSession::new(&target, &g)?;
    let greeting = session.fetch(RunRequest::new().fetch(&hello))?.remove(0);
    println!("{}", String::from_utf8_lossy(greeting.to_string_scalar()?));
    session.close()
}
