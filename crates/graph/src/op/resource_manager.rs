//! The one store of resources, by container, type and name: those of a device, and those of a step.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use tensor::Result;

use super::{RefVariable, Resource, ResourceReport, ResourceVariable, Resources, StepId, Updates, Variable, shielded};

/// Holds variables, queues, readers and the like. A container can be emptied as a whole.
///
/// ```
/// use tensorfleet::graph::op::ResourceManager;
/// let resources = ResourceManager::new("localhost");
/// assert!(resources.is_empty());
/// resources.clear_all();
/// assert_eq!(resources.len(), 0);
/// ```
pub struct ResourceManager {
    default_container: String,
    containers: RwLock<HashMap<String, Container>>,
    updates: Updates,
}

type Container = HashMap<(TypeId, String), Arc<dyn Resource>>;

impl ResourceManager {
    /// Returns an empty store with this default container.
    pub fn new(default_container: impl Into<String>) -> ResourceManager {
        ResourceManager {
            default_container: default_container.into(),
            containers: RwLock::default(),
            updates: Updates::default(),
        }
    }

    /// Empties these containers; none given means the default one. Whoever waits in a resource is let go.
    pub fn clear(&self, containers: &[String]) {
        let default = [self.default_container.clone()];
        let named = if containers.is_empty() { &default } else { containers };
        let mut removed = Vec::new();
        {
            let mut all = self.containers.write();
            for name in named {
                removed.extend(all.remove(name).into_iter().flat_map(HashMap::into_values));
            }
        }
        for resource in removed {
            abandon(resource);
        }
    }

    /// Empties all containers.
    pub fn clear_all(&self) {
        let removed = std::mem::take(&mut *self.containers.write());
        for resource in removed.into_values().flat_map(HashMap::into_values) {
            abandon(resource);
        }
    }

    /// Returns the variables: their kind (`ref` or `resource`), container and name, and themselves.
    pub fn variables(&self) -> Vec<(&'static str, String, String, Arc<Variable>)> {
        let mut variables = Vec::new();
        for (container, entries) in self.containers.read().iter() {
            for ((_, name), resource) in entries {
                let any: &dyn Any = &**resource;
                let found = match (any.downcast_ref::<RefVariable>(), any.downcast_ref::<ResourceVariable>()) {
                    (Some(variable), _) => ("ref", &variable.0),
                    (_, Some(variable)) => ("resource", &variable.0),
                    _ => continue,
                };
                variables.push((found.0, container.clone(), name.clone(), found.1.clone()));
            }
        }
        variables
    }

    /// Returns how many resources there are.
    pub fn len(&self) -> usize {
        self.containers.read().values().map(HashMap::len).sum()
    }

    /// Returns how all resources are, in the order of their names. No step waits for it.
    pub fn report(&self) -> Vec<ResourceReport> {
        let mut found: Vec<(String, String, Arc<dyn Resource>)> = Vec::new();
        for (container, entries) in &*self.containers.read() {
            let named = entries.iter().map(|((_, name), resource)| (container.clone(), name.clone(), resource.clone()));
            found.extend(named);
        }
        found.sort_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
        let report = |(container, name, resource): (String, String, Arc<dyn Resource>)| ResourceReport {
            container,
            name,
            kind: resource.kind(),
            state: resource.state(),
        };
        found.into_iter().map(report).collect()
    }

    /// Returns whether there are no resources.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Resources for ResourceManager {
    fn default_container(&self) -> &str {
        &self.default_container
    }

    fn has_container(&self, container: &str) -> bool {
        self.containers.read().contains_key(container)
    }

    fn get(&self, container: &str, kind: TypeId, name: &str) -> Option<Arc<dyn Resource>> {
        self.containers.read().get(container)?.get(&(kind, name.to_owned())).cloned()
    }

    fn get_or_create(
        &self,
        container: &str,
        kind: TypeId,
        name: &str,
        create: &mut dyn FnMut() -> Result<Arc<dyn Resource>>,
    ) -> Result<Arc<dyn Resource>> {
        if let Some(found) = self.get(container, kind, name) {
            return Ok(found);
        }
        let mut containers = self.containers.write();
        let entries = containers.entry(container.to_owned()).or_default();
        if let Some(found) = entries.get(&(kind, name.to_owned())) {
            return Ok(found.clone());
        }
        let made = create()?;
        entries.insert((kind, name.to_owned()), made.clone());
        Ok(made)
    }

    fn updates(&self) -> &Updates {
        &self.updates
    }

    fn roll_back(&self, step: StepId) {
        self.updates.roll_back(step);
        let all: Vec<Arc<dyn Resource>> = self.containers.read().values().flat_map(HashMap::values).cloned().collect();
        for resource in all {
            shielded(move || resource.rolled_back());
        }
    }

    fn remove(&self, container: &str, kind: TypeId, name: &str) -> bool {
        let removed =
            self.containers.write().get_mut(container).and_then(|entries| entries.remove(&(kind, name.to_owned())));
        removed.map(abandon).is_some()
    }
}

/// Lets go whoever waits in a resource that was removed. A panic in one keeps no other from being told.
fn abandon(resource: Arc<dyn Resource>) {
    shielded(move || resource.abandon());
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing(u32);
    impl Resource for Thing {
        fn kind(&self) -> &'static str {
            "Thing"
        }
    }

    #[test]
    fn a_resource_is_made_once_and_lives_until_its_container_is_cleared() {
        let manager = ResourceManager::new("ps");
        let resources: &dyn Resources = &manager;
        let first = resources.lookup_or_create("", "a", || Ok(Thing(1))).unwrap();
        let second = resources.lookup_or_create("ps", "a", || Ok(Thing(2))).unwrap();
        assert_eq!((first.0, second.0), (1, 1));
        manager.clear(&["other".into()]);
        assert!(resources.lookup::<Thing>("", "a").is_some());
        manager.clear(&[]);
        assert!(resources.lookup::<Thing>("", "a").is_none());
    }

    #[test]
    fn what_is_missing_is_said_in_tensorflows_words() {
        let manager = ResourceManager::new("ps");
        let resources: &dyn Resources = &manager;
        let said = |name: &str, kind: &str| resources.missing("", name, kind).message().to_owned();
        assert_eq!(said("a", "Thing"), "Container ps does not exist. (Could not find resource: ps/a)");
        resources.lookup_or_create("", "a", || Ok(Thing(1))).unwrap();
        assert_eq!(said("b", "Thing"), "Resource ps/b/Thing does not exist.");
        assert_eq!(said("b", ""), "Resource ps/b does not exist.");
    }
}
