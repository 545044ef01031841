//! Scopes as a tree of clusters, walked without recursion.

use std::collections::BTreeMap;

/// The tree of scopes; the first cluster is what is outside of all.
pub(super) struct Clusters<'a> {
    clusters: Vec<Cluster<'a>>,
    known: BTreeMap<(usize, &'a str), usize>,
}

struct Cluster<'a> {
    name: &'a str,
    nodes: Vec<usize>,
    children: Vec<usize>,
}

/// A step of a walk through the tree.
pub(super) enum Event<'a> {
    /// A cluster opens: its number, its name within the outer one, its depth from 1.
    Open(usize, &'a str, usize),
    /// A node of the innermost open cluster.
    Node(usize),
    /// The innermost open cluster closes.
    Close(usize),
}

impl<'a> Clusters<'a> {
    /// The tree over the nodes' scopes. Clusters stand in the order of their first nodes.
    pub(super) fn new(scopes: impl Iterator<Item = Option<&'a str>>) -> Self {
        let outside = Cluster { name: "", nodes: Vec::new(), children: Vec::new() };
        let mut tree = Self { clusters: vec![outside], known: BTreeMap::new() };
        let mut last: Option<(&str, usize)> = None;
        for (node, scope) in scopes.enumerate() {
            let cluster = match (scope, last) {
                (None, _) => 0,
                // Neighbours on a tape mostly share their scope.
                (Some(path), Some((known, cluster))) if path == known => cluster,
                (Some(path), _) => {
                    let cluster = path.split('.').fold(0, |outer, name| tree.child(outer, name));
                    last = Some((path, cluster));
                    cluster
                }
            };
            tree.clusters[cluster].nodes.push(node);
        }
        tree
    }

    fn child(&mut self, outer: usize, name: &'a str) -> usize {
        let next = self.clusters.len();
        let cluster = *self.known.entry((outer, name)).or_insert(next);
        if cluster == next {
            self.clusters.push(Cluster { name, nodes: Vec::new(), children: Vec::new() });
            self.clusters[outer].children.push(next);
        }
        cluster
    }

    /// Visits every cluster, its own nodes before its inner clusters.
    pub(super) fn walk(&self, mut visit: impl FnMut(Event<'a>)) {
        let mut open: Vec<(usize, usize)> = vec![(0, 0)];
        self.clusters[0].nodes.iter().for_each(|&node| visit(Event::Node(node)));
        while let Some((cluster, child)) = open.last_mut() {
            let Some(&next) = self.clusters[*cluster].children.get(*child) else {
                open.pop();
                if !open.is_empty() {
                    visit(Event::Close(open.len()));
                }
                continue;
            };
            *child += 1;
            let inner = &self.clusters[next];
            visit(Event::Open(next, inner.name, open.len()));
            inner.nodes.iter().for_each(|&node| visit(Event::Node(node)));
            open.push((next, 0));
        }
    }
}

/// The indentation at a depth; a path of ten thousand scopes does not make the text quadratic.
pub(super) fn indentation(depth: usize) -> &'static str {
    const BLANKS: &str = "                                ";
    &BLANKS[..BLANKS.len().min(2 * depth)]
}
