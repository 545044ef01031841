//! Drawings: scopes, forks, and names that try to leave their labels.

use crate::{Compile, Network, Pass, Tensor};

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

/// The tags of a drawing, and whether each is closed.
fn is_well_formed(svg: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let Some((inside, text)) = tag.split_once('>') else { return false };
        // Entities are all there is of `&`, and no markup stands in text.
        if text.split('&').skip(1).any(|rest| !rest.split(' ').any(|word| word.contains(';'))) {
            return false;
        }
        let name = inside.split([' ', '/']).find(|name| !name.is_empty()).unwrap_or_default();
        if inside.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !inside.ends_with('/') {
            open.push(name);
        }
    }
    open.is_empty()
}

#[test]
fn a_picture_is_well_formed_and_shows_every_node_and_edge() {
    let network = sample();
    let svg = network.to_svg();
    assert!(is_well_formed(&svg), "{svg}");
    assert_eq!(svg.matches("<g>").count(), network.len());
    // An edge for every operand, and the tip of the arrow.
    assert_eq!(svg.matches("<path ").count(), 1 + 7);
    assert!(svg.contains("in model.inner") && svg.contains("class=\"parameter\""));
    assert_eq!(svg, network.to_svg());
    assert!(is_well_formed(&Network::<f64>::new().to_svg()));
}

#[test]
fn names_cannot_leave_a_picture() {
    let network = Network::new();
    let _ = network.input(1.0_f64).named("</text><script>\u{1}&\"'\n");
    let svg = network.to_svg();
    assert!(is_well_formed(&svg), "{svg}");
    assert!(svg.contains("&lt;/text&gt;&lt;script&gt; &amp;&quot;'"), "{svg}");
    assert!(!svg.contains("<script") && !svg.contains('\u{1}'));
}

#[test]
fn a_plan_is_drawn_by_its_steps() {
    let network = sample();
    let shifted = network.find("model.shifted").unwrap();
    let plan = network.compile([shifted.exp().sum()], [shifted.symbol()]);
    let steps = plan.describe().steps.len();
    let (dot, mermaid, svg) = (plan.to_dot(), plan.to_mermaid(), plan.to_svg());
    assert_eq!(dot.matches("subgraph cluster_").count(), steps);
    assert_eq!(mermaid.matches("subgraph g").count(), steps);
    assert_eq!(svg.matches("class=\"group\"").count(), steps);
    assert!(is_well_formed(&svg), "{svg}");
    assert!(dot.contains("drops %") && mermaid.contains("drops %") && svg.contains("drops %"));
    assert!(dot.contains("peripheries=2") && mermaid.contains("class i"));
}

#[test]
fn a_view_between_two_values_of_a_step_stands_in_the_step() {
    let network = Network::<Tensor<f32>>::new();
    let x = network.input(Tensor::from([1.0, 2.0]));
    let y = x.exp().unsqueeze(0).squeeze(0).tanh();
    let plan = Compile::new(&network).target(y).without(Pass::Simplify).plan();
    let dot = plan.to_dot();
    if plan.describe().steps.len() == 1 {
        let cluster = dot.split("subgraph").nth(1).and_then(|rest| rest.split("  }\n").next());
        assert!(cluster.is_some_and(|cluster| cluster.contains("squeeze")), "{dot}");
    }
    assert!(is_well_formed(&plan.to_svg()));
}

#[test]
fn what_is_computed_again_is_marked() {
    let network = Network::new();
    let w = network.parameter(Tensor::from_fn([32, 32], |at| (at[0] + at[1]) as f32 * 1e-3));
    let x = network.input(Tensor::<f32>::zeros([32, 32]));
    let loss = (0..6).fold(x + 0.5, |x, _| x.matmul(w).tanh()).sum();
    let plan = network.compile_training_compact(loss, []);
    let description = plan.describe();
    let nodes = description.steps.iter().flat_map(|step| &step.nodes);
    let again = nodes.filter(|node| node.recomputed).count();
    assert!(again > 0, "{description}");
    assert_eq!(plan.to_dot().matches("computed again").count(), again);
    assert_eq!(plan.to_svg().matches("class=\"again\"").count(), again);
    assert!(plan.to_mermaid().contains("classDef again"));
}

#[test]
fn flat_plans_are_drawn_without_steps() {
    let network = Network::new();
    let x = network.input(1.0_f64);
    let plan = network.compile([x.exp().tanh()], []);
    assert!(!plan.to_dot().contains("subgraph"));
    assert_eq!(plan.to_svg().matches("<g>").count(), 3);
}

#[test]
fn deep_drawings_fit_a_small_stack() {
    testkit::timing::on_stack(256 << 10, || {
        let network = Network::new();
        let x = network.input(Tensor::from([1.0_f64]));
        let y =
            (0..5_000).fold(x, |y, at| if at % 100 == 0 { y.sum().reshape([1]) } else { y.exp() });
        let plan = network.compile([y], []);
        assert!(plan.to_svg().len() > 5_000 && network.to_svg().len() > 5_000);
        assert!(plan.to_dot().contains("cluster_1"));
    });
}
