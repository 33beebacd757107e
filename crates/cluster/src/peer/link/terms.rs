//! What the two ends of a link can say to each other: the lower of their versions, and the features that both know.

use super::frame::Head;

/// The version that is spoken here. It changes when a frame means something else than before; whatever only comes on top is
/// a feature.
const VERSION: u32 = 2;

/// Letters about collectives.
pub(crate) const COLLECTIVES: u64 = 1;
const FEATURES: u64 = COLLECTIVES;

/// What the features are called.
const NAMES: [(u64, &str); 1] = [(COLLECTIVES, "collectives")];

/// Which version of links between tasks is spoken here, and the names of the features that are known.
///
/// ```
/// let (version, features) = tensorfleet_cluster::link_terms();
/// assert!(version >= 2 && features.contains(&"collectives"));
/// ```
pub fn link_terms() -> (u32, Vec<&'static str>) {
    let known = NAMES.iter().filter(|(feature, _)| Terms::OWN.has(*feature));
    (VERSION, known.map(|(_, name)| *name).collect())
}

/// A version and features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    version: u32,
    features: u64,
}

impl Terms {
    /// What this end knows.
    pub const OWN: Terms = Terms { version: VERSION, features: FEATURES };

    /// What both this end and the sender of a hello know.
    pub fn shared_with(hello: &Head) -> Terms {
        Terms { version: VERSION.min(hello.version.max(1)), features: FEATURES & hello.features }
    }

    /// Whether both ends know a feature.
    pub fn has(self, feature: u64) -> bool {
        self.features & feature == feature
    }

    /// Says these terms in a hello.
    pub fn say(self, hello: Head) -> Head {
        Head { version: self.version, features: self.features, ..hello }
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame::FrameKind;
    use super::*;

    #[test]
    fn both_take_the_lower() {
        let older = Head::new(FrameKind::Hello);
        assert_eq!(Terms::shared_with(&older), Terms { version: 1, features: 0 });
        let newer = Head { version: 99, features: u64::MAX, ..Head::new(FrameKind::Hello) };
        assert_eq!(Terms::shared_with(&newer), Terms::OWN);
        assert_eq!(Terms::shared_with(&Terms::OWN.say(older)), Terms::OWN);
        assert_eq!(FEATURES.count_ones() as usize, link_terms().1.len(), "every feature has a name");
        assert!(Terms::OWN.has(COLLECTIVES) && !Terms { version: 2, features: 0 }.has(COLLECTIVES));
    }
}
