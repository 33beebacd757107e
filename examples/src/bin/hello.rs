//! Hello world: a constant, fetched from a server.

use tensorfleet::prelude::*;

fn main() -> Result<()> {
    let g = Graph::new();
    let c = g.constant("Hello, distributed TensorFlow!");
    // Start a server as a single-process "cluster".
    let server = Server::create_local_server()?;
    // Create a session on the server.
    let sess = RemoteSession::new(server.target(), &g)?;
    let greeting: String = sess.eval(&c)?;
    println!("'{greeting}'");
    Ok(())
}
