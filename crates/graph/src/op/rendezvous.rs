//! The rendezvous: where senders put tensors and receivers wait for them, by key.

use std::fmt;

use tensor::{Result, Tensor, bail};

/// Identifies a tensor on its way from one device to another, within a step.
///
/// The text is TensorFlow's: `send device;incarnation in hex;receive device;tensor name;frame:iteration`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RendezvousKey {
    text: String,
    /// Ends of the first four parts.
    ends: [u32; 4],
}

impl RendezvousKey {
    /// Returns the key of a tensor that goes from one device to another.
    pub fn new(
        send_device: &str,
        incarnation: u64,
        recv_device: &str,
        name: &str,
        frame: u64,
        iteration: i64,
    ) -> RendezvousKey {
        let mut text = String::with_capacity(send_device.len() + recv_device.len() + name.len() + 28);
        let mut ends = [0; 4];
        let incarnation = format!("{incarnation:016x}");
        for (end, part) in ends.iter_mut().zip([send_device, &incarnation, recv_device, name]) {
            text.push_str(part);
            *end = text.len() as u32;
            text.push(';');
        }
        text.push_str(&format!("{frame}:{iteration}"));
        RendezvousKey { text, ends }
    }

    /// # Errors
    /// `InvalidArgument` if the text is not of that form.
    pub fn parse(text: &str) -> Result<RendezvousKey> {
        let parts: Vec<&str> = text.split(';').collect();
        let well_formed = parts.len() == 5
            && parts.iter().all(|part| !part.is_empty())
            && u64::from_str_radix(parts[1], 16).is_ok()
            && parts[4].split_once(':').is_some_and(|(f, i)| f.parse::<u64>().is_ok() && i.parse::<i64>().is_ok());
        if !well_formed {
            bail!(InvalidArgument, "Invalid  rendezvous key: {text}");
        }
        let mut ends = [0; 4];
        let mut at = 0;
        for (end, part) in ends.iter_mut().zip(&parts) {
            at += part.len();
            *end = at as u32;
            at += 1;
        }
        Ok(RendezvousKey { text: text.to_owned(), ends })
    }

    /// Returns the key as TensorFlow writes it.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the full name of the device that sends.
    pub fn send_device(&self) -> &str {
        &self.text[..self.ends[0] as usize]
    }

    /// Returns the incarnation of the device that sends.
    pub fn incarnation(&self) -> u64 {
        u64::from_str_radix(&self.text[self.ends[0] as usize + 1..self.ends[1] as usize], 16).unwrap_or(0)
    }

    /// Returns the full name of the device that receives.
    pub fn recv_device(&self) -> &str {
        &self.text[self.ends[1] as usize + 1..self.ends[2] as usize]
    }

    /// The name of the edge or tensor.
    pub fn name(&self) -> &str {
        &self.text[self.ends[2] as usize + 1..self.ends[3] as usize]
    }
}

impl fmt::Display for RendezvousKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What arrives: a tensor, or word that the branch which would have made it was not taken.
#[derive(Clone, Debug)]
pub enum Parcel {
    /// A value.
    Tensor(Tensor),
    /// No value: the branch that would have made it was not taken.
    Dead,
}

/// Called once with what arrived, or with the reason why nothing will.
pub type Receive = Box<dyn FnOnce(Result<Parcel>) + Send>;

/// A step's meeting place of senders and receivers. Either may come first.
pub trait Rendezvous: Send + Sync {
    /// Puts a parcel; never blocks.
    ///
    /// # Errors
    /// The reason, if the step was aborted; `Internal` if the key was used already.
    fn send(&self, key: &RendezvousKey, parcel: Parcel) -> Result<()>;

    /// Asks for the parcel of a key; `receive` is called when it is there, perhaps before this returns.
    fn recv(&self, key: &RendezvousKey, receive: Receive);

    /// Nothing more will be put for a while: what was gathered to travel together sets off.
    fn flush(&self) {}

    /// Nothing more will be put for about so many nanoseconds: what was gathered to travel together sets off, unless it is
    /// little and may wait for so long.
    fn pause(&self, nanos: u64) {
        let _ = nanos;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_spelled_as_tensorflow_does() {
        let text = "/job:ps/replica:0/task:0/device:CPU:0;c3a7d478d6d954ab;/job:worker/replica:0/task:0/device:CPU:0;edge_5_W/read;0:0";
        let key = RendezvousKey::parse(text).unwrap();
        let made = RendezvousKey::new(key.send_device(), 0xc3a7d478d6d954ab, key.recv_device(), "edge_5_W/read", 0, 0);
        assert_eq!(made, key);
        assert_eq!((made.as_str(), made.name(), made.incarnation()), (text, "edge_5_W/read", 0xc3a7d478d6d954ab));
        for bad in ["", "a;b;c;d", "a;1;b;c;0", "a;xyz;b;c;0:0", "a;1;;c;0:0"] {
            assert!(RendezvousKey::parse(bad).is_err(), "{bad}");
        }
    }
}
