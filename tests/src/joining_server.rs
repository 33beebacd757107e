//! A program with a server, as users write them: what signals make of it is tested.
//!
//! usage: joining_server join|linger|never

use std::io::Write;

use cluster::Server;
use tensorfleet::Result;

fn main() -> Result<()> {
    let server = Server::local(ops::registry())?;
    match std::env::args().nth(1).as_deref() {
        // Ends with the server.
        Some("join") => {
            say(server.target());
            server.join();
            say("joined");
        }
        // Goes on after the server has ended.
        Some("linger") => {
            server.stopper()();
            server.join();
            say(server.target());
            forever();
        }
        // Has a server, but does not wait for it.
        _ => {
            say(server.target());
            forever();
        }
    }
    Ok(())
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn forever() {
    loop {
        std::thread::park();
    }
}
