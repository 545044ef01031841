//! Recording, runs, gradients and generations through the public surface.

use poorgrad::{Network, Sgd, Tensor, no_feeds};

#[test]
fn the_taste_program_learns_its_slope() {
    let network = Network::new();
    let w = network.parameter(0.0_f64);
    let x = network.input(0.0);
    let y = network.input(0.0);
    let error = w * x - y;
    let loss = error * error;
    let (w, x, y, loss) = (w.symbol(), x.symbol(), y.symbol(), loss.symbol());

    let samples = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)];
    let mut network = network;
    for step in 0..100 {
        let (sx, sy) = samples[step % samples.len()];
        let evaluation = network.forward_with([(x, sx), (y, sy)]);
        let gradients = evaluation.backward(network.resolve(loss));
        network = network.update(&gradients, |w, g| w - 0.02 * g);
    }
    let learned = network.resolve(w).payload().unwrap();
    assert!((learned - 2.0).abs() < 1e-6);
}

fn ulps(a: f64, b: f64) -> u64 {
    (a.to_bits() as i64).abs_diff(b.to_bits() as i64)
}

#[test]
fn the_classic_expression_of_scalar_engines() {
    let network = Network::new();
    let a = network.parameter(-4.0_f64);
    let b = network.parameter(2.0);
    let mut c = a + b;
    let mut d = a * b + b.powi(3);
    c = c + (c + 1.0);
    c = c + (1.0 + c - a);
    d = d + (d * 2.0 + (b + a).relu());
    d = d + (3.0 * d + (b - a).relu());
    let e = c - d;
    let f = e.powi(2);
    let mut g = f / 2.0;
    g = g + 10.0 / f;
    let evaluation = network.forward();
    let gradients = evaluation.backward(g);
    assert!(ulps(evaluation.of(g), 24.70408163265306) <= 4);
    assert!(ulps(gradients.of(a), 138.8338192419825) <= 4);
    assert!(ulps(gradients.of(b), 645.5772594752186) <= 4);
    let recorded = network.differentiate(g, [a, b]);
    let evaluation = network.forward();
    assert_eq!(evaluation.of(recorded[0]).to_bits(), gradients.of(a).to_bits());
    assert_eq!(evaluation.of(recorded[1]).to_bits(), gradients.of(b).to_bits());
}

#[test]
fn a_layer_of_tensors_learns() {
    let network = Network::new();
    let x = network.input(Tensor::from([[0.0_f32, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]));
    let w = network.parameter(Tensor::from([[0.5_f32], [-0.25]]));
    let b = network.parameter(Tensor::from([0.1_f32]));
    let product = x.matmul(w);
    let y = (product + b.broadcast_like(product)).tanh();
    let loss = (y * y).mean();
    let before = network.forward().of(loss).item();
    let gradients = network.forward().backward(loss);
    let next = network.update(&gradients, |w, g| w - 0.1 * g);
    let after = next.forward().of(loss).item();
    assert!(after < before, "{after} < {before}");
}

#[test]
fn a_value_younger_than_a_run_is_named_as_such() {
    let network = Network::new();
    let x = network.parameter(2.0_f64);
    let evaluation = network.forward();
    let gradients = evaluation.backward(x);
    let y = x * x;
    for error in [evaluation.try_of(y), gradients.try_of(y)] {
        let message = error.expect_err("the run does not know it").to_string();
        assert!(message.contains("recorded after th"), "{message}");
    }
    assert_eq!(network.forward().of(y), 4.0);
}

#[test]
fn the_taste_program_runs_on_tensors_with_their_scalars_in_place_of_numbers() {
    let scalar = Tensor::<f32>::scalar;
    let network = Network::new();
    let w = network.parameter(scalar(0.0));
    let (x, y) = (network.input(scalar(0.0)), network.input(scalar(0.0)));
    let error = w * x - y;
    let loss = error * error;
    let (w, x, y, loss) = (w.symbol(), x.symbol(), y.symbol(), loss.symbol());
    let samples = [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)];
    let mut network = network;
    for step in 0..100 {
        let (sx, sy) = samples[step % samples.len()];
        let evaluation = network.forward_with([(x, scalar(sx)), (y, scalar(sy))]);
        let gradients = evaluation.backward(network.resolve(loss));
        network = network.update(&gradients, |w, g| w - 0.02 * g);
    }
    let learned = network.resolve(w).payload().expect("a parameter has a payload").item();
    assert!((learned - 2.0).abs() < 1e-4, "{learned}");
}

#[test]
fn what_the_engine_hands_out_shows_itself_in_a_line() {
    let network = Network::new();
    let scope = network.scope("layer");
    let w = network.parameter(2.0_f64);
    let loss = w * w;
    let evaluation = network.forward_for([w], no_feeds());
    let gradients = network.forward().backward(loss);
    let optimizer = Sgd::<f64>::new(0.5).momentum(0.9);
    let text = "Network { element: \"f64\", nodes: 2, parameters: 1 }";
    assert_eq!(format!("{network:?}"), text);
    assert_eq!(format!("{:?}", network.reference()), format!("Oracle({text})"));
    let text = "Evaluation { element: \"f64\", kernels: Native, nodes: 2, computed: 1 }";
    assert_eq!(format!("{evaluation:?}"), text);
    assert_eq!(format!("{gradients:?}"), "Field { element: \"f64\", nodes: 2, support: 2 }");
    assert_eq!(format!("{scope:?}"), "Scope(\"layer\")");
    let text = "Sgd { rate: 0.5, momentum: 0.9, nesterov: false, velocity: None }";
    assert_eq!(format!("{optimizer:?}"), text);
}
