//! `tensorfleet connect`: a port of this machine that leads to a secured cluster.

use std::io::Write;

use clap::Args;
use cluster::Gateway;
use tensor::Result;

use crate::key_flags::KeyFlags;

#[derive(Args)]
pub struct Connect {
    /// The server: grpc://host:port.
    #[arg(long)]
    target: String,
    /// The port of this machine, on its loopback address; any free one unless said.
    #[arg(long, default_value_t = 0)]
    port: u16,
    #[command(flatten)]
    keys: KeyFlags,
}

impl Connect {
    pub fn run(self) -> Result<()> {
        let gateway = Gateway::open(&self.target, self.port, &self.keys.security()?)?;
        let mut out = std::io::stdout();
        let _ = writeln!(out, "Connected: {} leads to {}", gateway.target(), self.target);
        let _ = out.flush();
        // Until a signal ends the process: nothing is lost with it but the way.
        loop {
            std::thread::park();
        }
    }
}
