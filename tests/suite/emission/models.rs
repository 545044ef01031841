//! The models of the curriculum: they are emitted, parse, verify, and evaluate as the plan does.

use super::tools::{Bench, Tool};
use poorgrad::{Emit, EmitForm, Network, Tensor};
use zoo::makemore::{Loss, Model};

#[test]
fn makemore_mlp_is_emitted_and_evaluates() {
    const TEST: &str = "makemore_mlp";
    let network = Network::new();
    let model = Model::new(&network, 27, 1);
    let step = Loss::new(&network, &model, 4);
    let plan = network.compile([step.loss], []);
    let letters: Vec<usize> = (0..12).map(|at| at * 5 % 27).collect();
    let feeds = step.feeds_of(&model, &letters, &[3, 1, 4, 1]);
    let expected = plan.forward(&network, feeds.clone()).of(step.loss);
    for form in [EmitForm::Raised, EmitForm::Recorded, EmitForm::Exact] {
        let module = Emit::new(&plan).form(form).module().expect("a module");
        if let Some(mut validator) = Bench::open(Tool::Validator, TEST) {
            validator.validate(&module).unwrap();
        }
        for tool in [Tool::Evaluator, Tool::Runner] {
            let Some(mut bench) = Bench::open(tool, TEST) else { continue };
            let found: Tensor = bench.run(&module, &network, &feeds).unwrap().remove(0);
            let (found, expected) = (found.item(), expected.item());
            assert!((found - expected).abs() <= 1e-5 * expected, "{found} is not {expected}");
        }
    }
}
