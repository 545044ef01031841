//! Drawings: scopes, forks, and names that try to leave their labels.

use crate::{Network, Tensor};

fn sample() -> Network<Tensor<f32>> {
    let network = Network::<Tensor<f32>>::new();
    let x = network.input(Tensor::from([[1.0, 2.0]])).named("x");
    {
        let _model = network.scope("model");
        let w = network.parameter(Tensor::from([[1.0], [2.0]])).named("w");
        let product = {
            let _inner = network.scope("inner");
            x.matmul(w)
        };
        let _ = (product + 1.0).named("shifted");
    }
    let _ = x.sum();
    network
}

#[test]
fn scopes_are_clusters_in_dot() {
    let expected = "\
digraph tape {
  node [shape=box, fontname=\"monospace\"];
  n0 [label=\"%0 = input\\n[1, 2]\\n\\\"x\\\"\", shape=ellipse];
  n6 [label=\"%6 = sum %0\\n[]\"];
  subgraph cluster_1 {
    label=\"model\";
    n1 [label=\"%1 = parameter\\n[2, 1]\\n\\\"w\\\"\", style=filled];
    n3 [label=\"%3 = leaf 1.0\\n[]\", style=dashed];
    n4 [label=\"%4 = broadcast_like %3, %2\\n[1, 1]\"];
    n5 [label=\"%5 = add %2, %4\\n[1, 1]\\n\\\"shifted\\\"\"];
    subgraph cluster_2 {
      label=\"inner\";
      n2 [label=\"%2 = matmul %0, %1\\n[1, 1]\"];
    }
  }
  n0 -> n2;
  n1 -> n2;
  n3 -> n4;
  n2 -> n4;
  n2 -> n5;
  n4 -> n5;
  n0 -> n6;
}
";
    assert_eq!(sample().to_dot(), expected);
}

#[test]
fn scopes_are_subgraphs_in_mermaid() {
    let expected = "\
flowchart TD
  n0([\"%0 = input<br>[1, 2]<br>#quot;x#quot;\"])
  n6[\"%6 = sum %0<br>[]\"]
  subgraph s1[\"model\"]
    n1[[\"%1 = parameter<br>[2, 1]<br>#quot;w#quot;\"]]
    n3(\"%3 = leaf 1.0<br>[]\")
    n4[\"%4 = broadcast_like %3, %2<br>[1, 1]\"]
    n5[\"%5 = add %2, %4<br>[1, 1]<br>#quot;shifted#quot;\"]
    subgraph s2[\"inner\"]
      n2[\"%2 = matmul %0, %1<br>[1, 1]\"]
    end
  end
  n0 --> n2
  n1 --> n2
  n3 --> n4
  n2 --> n4
  n2 --> n5
  n4 --> n5
  n0 --> n6
";
    assert_eq!(sample().to_mermaid(), expected);
}

#[test]
fn a_fork_draws_its_own_path() {
    let network = sample();
    let fork = network.clone();
    let x = fork.find("x").unwrap();
    let _ = x.exp();
    let _ = network.find("x").unwrap().tanh();
    assert!(fork.to_dot().contains("exp") && !fork.to_dot().contains("tanh"));
    assert!(network.to_mermaid().contains("tanh") && !network.to_mermaid().contains("exp"));
}

#[test]
fn names_cannot_leave_their_labels() {
    let network = Network::new();
    let _ = network.input(1.0_f64).named("a\"];\\n} %%{init} <b>`#&\n\u{7}");
    let dot = network.to_dot();
    assert!(dot.contains("\\\"a\\\"];\\\\n} %%{init} <b>`#&\\n \\\""), "{dot}");
    let mermaid = network.to_mermaid();
    let shown = "#quot;a#quot;];#92;n} %#37;{init} #lt;b#gt;#96;#35;#38;<br> #quot;";
    assert!(mermaid.contains(shown), "{mermaid}");
    assert_eq!(mermaid.lines().count(), 2);
}

#[test]
fn nested_scopes_fit_a_small_stack() {
    let network = Network::new();
    let deep = vec!["a"; 20_000].join(".");
    let _guard = network.scope(&deep);
    let _ = network.input(1.0_f64);
    let dot = network.to_dot();
    assert_eq!(dot.matches("subgraph").count(), 20_000);
    assert_eq!(dot.matches('}').count(), 20_001);
    assert_eq!(network.to_mermaid().matches("end\n").count(), 20_000);
}
