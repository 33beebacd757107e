//! Frames: which loop each node of a graph is in.

use std::collections::HashMap;

use graph::op::Role;
use graph::{GraphData, Node, NodeId, ReadAttrs};
use tensor::{Result, ensure, err};

/// The frames of a graph. Number 0 is what lies outside of all loops.
pub(crate) struct Frames<'a> {
    graph: &'a GraphData,
    pub all: Vec<Frame>,
    frame: Vec<u32>,
    /// For `Enter` nodes, the frame they lead into.
    child: Vec<Option<u32>>,
    by_name: HashMap<(u32, String), u32>,
    /// All nodes, each after those it depends on; edges out of `NextIteration` do not count.
    pub order: Vec<NodeId>,
}

/// A frame as the graph states it.
pub(crate) struct Frame {
    pub name: String,
    pub parent: u32,
    /// How many `Enter` nodes lead into it.
    pub num_enters: u32,
    pub parallel_iterations: u32,
}

impl<'a> Frames<'a> {
    /// Finds out which frame each node is in: that of its inputs, one deeper behind `Enter`, one up behind `Exit`.
    ///
    /// # Errors
    /// `InvalidArgument` if the inputs of a node, or the ends of a loop, are in different frames.
    pub fn of(graph: &'a GraphData) -> Result<Frames<'a>> {
        let root = Frame { name: String::new(), parent: 0, num_enters: 0, parallel_iterations: 1 };
        let mut frames = Frames {
            graph,
            all: vec![root],
            frame: vec![0; graph.len()],
            child: vec![None; graph.len()],
            by_name: HashMap::new(),
            order: Vec::new(),
        };
        let order = graph.topological_order()?;
        frames.find(&order)?;
        frames.order = order;
        Ok(frames)
    }

    /// The frame that a node runs in.
    pub fn frame(&self, id: NodeId) -> u32 {
        self.frame[id.index()]
    }

    /// The frame that an `Enter` leads into.
    pub fn child(&self, id: NodeId) -> Option<u32> {
        self.child[id.index()]
    }

    fn find(&mut self, order: &[NodeId]) -> Result<()> {
        for id in order {
            let node = self.graph.node(*id);
            let mut found: Option<u32> = None;
            for producer in node.producers() {
                if self.graph.node(producer).role() == Role::NextIteration {
                    continue;
                }
                let frame = self.behind(producer).map_err(|status| status.at_node(&node.name))?;
                let agrees = found.is_none_or(|found| found == frame);
                ensure!(
                    agrees,
                    InvalidArgument,
                    "{{{{node {}}}}} has inputs from different frames: '{}' and '{}'",
                    node.name,
                    self.all[found.unwrap_or(0) as usize].name,
                    self.all[frame as usize].name
                );
                found = Some(frame);
            }
            self.frame[id.index()] = found.unwrap_or(0);
            if node.role() == Role::Enter {
                self.enter(*id, node)?;
            }
        }
        self.check_back_edges()
    }

    /// What goes around a loop must stay in its frame.
    fn check_back_edges(&self) -> Result<()> {
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            for producer in node.producers() {
                let from = self.graph.node(producer);
                let closes = from.role() == Role::NextIteration;
                ensure!(
                    !closes || self.frame[producer.index()] == self.frame[id.index()],
                    InvalidArgument,
                    "{{{{node {}}}}} is in another frame than {}, whose next iteration it takes",
                    node.name,
                    from.name
                );
            }
        }
        Ok(())
    }

    /// The frame of what consumes a node's outputs.
    ///
    /// # Errors
    /// `InvalidArgument` for an `Exit` from no frame.
    pub fn behind(&self, id: NodeId) -> Result<u32> {
        let frame = self.frame[id.index()];
        match self.graph.node(id).role() {
            Role::Enter => Ok(self.child[id.index()].unwrap_or(0)),
            Role::Exit => {
                ensure!(
                    frame != 0,
                    InvalidArgument,
                    "node '{}' leaves a frame, but is in none",
                    self.graph.node(id).name
                );
                Ok(self.all[frame as usize].parent)
            }
            _ => Ok(frame),
        }
    }

    fn enter(&mut self, id: NodeId, node: &Node) -> Result<()> {
        let name = node.attr_str("frame_name").map_err(|status| status.at_node(&node.name))?.to_owned();
        let parallel = node.attr_int("parallel_iterations").unwrap_or(10);
        let parallel_iterations = u32::try_from(parallel).ok().filter(|count| *count > 0);
        let parallel_iterations = parallel_iterations.ok_or_else(|| {
            err!(InvalidArgument, "parallel_iterations is {parallel}, which is not positive").at_node(&node.name)
        })?;
        let parent = self.frame[id.index()];
        let next = self.all.len() as u32;
        let frame = *self.by_name.entry((parent, name.clone())).or_insert(next);
        if frame == next {
            self.all.push(Frame { name, parent, num_enters: 0, parallel_iterations });
        }
        self.all[frame as usize].num_enters += 1;
        self.child[id.index()] = Some(frame);
        Ok(())
    }
}
