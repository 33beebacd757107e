//! Telling servers of other kinds: those that answer a greeting of HTTP/2 with anything but a greeting.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How often somebody who is waited for is asked.
const EVERY: Duration = Duration::from_secs(1);
/// HTTP/2's preface, and settings without any setting.
const GREETING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
const SETTINGS: u8 = 4;

/// Ends when what listens at an address is known to be no gRPC server, with the beginning of what it says.
pub(in crate::peer) async fn foreign_answer(address: &str) -> String {
    loop {
        tokio::time::sleep(EVERY).await;
        if let Ok(Some(answer)) = tokio::time::timeout(EVERY, ask(address)).await {
            return answer;
        }
    }
}

/// Returns `None` if it may be a gRPC server.
async fn ask(address: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    stream.write_all(GREETING).await.ok()?;
    // The head of a frame: its length, its kind, flags, its stream.
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.ok()?;
    if head[3] == SETTINGS && head[5..] == [0; 4] {
        return None;
    }
    let mut answer = head.to_vec();
    let mut more = [0; 64];
    let count = tokio::time::timeout(EVERY / 10, stream.read(&mut more)).await;
    answer.extend_from_slice(&more[..count.map_or(0, |count| count.unwrap_or(0))]);
    let line = answer.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    Some(line.escape_ascii().to_string())
}
