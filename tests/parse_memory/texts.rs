//! Texts of tapes: what parsing holds at a time, and what of it is left.

use super::written::Written;
use super::{ALLOCATOR, SLACK, peak};
use poorgrad::{Elementary, Network, Tensor, Tensorial};
use testkit::decisions::mixed;

/// Bytes for each byte of text.
const OF_TEXT: usize = 2;

fn start(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Checks what reading holds; returns the number of values, or the start of the message.
fn check_as<P: Tensorial>(text: &str) -> Result<usize, String> {
    let before = ALLOCATOR.allocated();
    let (held, parsed) = peak(|| Network::<P>::parse(text));
    let left = ALLOCATOR.allocated() - before;
    let written = Written::of(text, P::Element::BYTES);
    let working = OF_TEXT * text.len() + SLACK;
    let worth =
        written.nodes + written.axes + written.elements + written.operands + written.strings;
    let within = |what: &str, bytes: usize, bound: usize| {
        assert!(
            bytes <= bound,
            "{what}: {bytes} bytes for a text of {}, above {bound}: {written:?}\n{}",
            text.len(),
            start(text)
        );
    };
    match &parsed {
        Ok(_) => {
            within("beside the network", held - left, working);
            within("the network", left, worth + SLACK);
            // Up to four bytes of an element are in proportion to its text.
            let beyond = written.nodes + written.axes + written.beyond;
            within("in all", held, working + beyond);
        }
        Err(_) => within("refused", held, working + worth + 2 * written.longest),
    }
    parsed.map(|network| network.len()).map_err(|error| start(&error.to_string()))
}

/// Checks a text over tensors of both elements and over a scalar. What it is over `f32` is returned.
fn check(text: &str) -> Result<usize, String> {
    let wide = text.replace("tape 1 f32", "tape 1 f64");
    let _ = check_as::<Tensor<f64>>(&wide);
    let _ = check_as::<f64>(&wide);
    check_as::<Tensor<f32>>(text)
}

/// Checks a text that is a tape of so many values.
fn check_accepted(text: &str, values: usize) {
    assert_eq!(check(text), Ok(values));
}

/// Checks a text that is refused with such a message.
fn check_refused(text: &str, message: &str) {
    let error = check(text).expect_err("it is no tape");
    assert!(error.contains(message), "{error}");
}

/// Digits replaced at random in a tape of all kinds of numbers.
pub fn mutated() {
    let sample = include_str!("../filetests/movement/views.tape");
    for seed in 0..5_000 {
        let mut text = sample.to_owned();
        let digits: Vec<usize> =
            text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
        let at = digits[(mixed(seed) % digits.len() as u64) as usize];
        let number = mixed(seed + 1_000_000) >> (mixed(seed + 2_000_000) % 64);
        text.replace_range(at..=at, &number.to_string());
        let _ = check(&text);
    }
}

const HEAD: &str = "tape 1 f32\n";

/// `count` times an item, with commas.
fn list(item: &str, count: usize) -> String {
    vec![item; count].join(",")
}

/// Texts that are no tapes, at each stage of reading.
pub fn refused() {
    // Claims: shapes, counts, attributes that stand for more than is written down.
    for body in [
        "leaf constant 1.0 : [500000000000000000]",
        "leaf dense [1.0] : [500000000000000000]",
        "leaf selection [0] : [1, 500000000000000000]",
        "leaf bf16 [0x0000] : [500000000000000000]",
        "leaf constant 1.0 : [18446744073709551615, 18446744073709551615, 0]",
        "leaf constant 1.0 : [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
    ] {
        let _ = check(&format!("{HEAD}%0 = {body}\n"));
    }
    let base = format!("{HEAD}%0 = leaf constant 1.0 : [4, 4]\n");
    for body in [
        "pad %0 {axis = 0, before = 100000000000000, after = 0, value = 0.0} : [100000000000004, 4]",
        "reshape %0 {extents = [1000000000000000000]} : [1000000000000000000]",
        "unfold %0 {axis = 0, size = 4, step = 1, dilation = 18446744073709551615} : [1, 4, 4]",
        "narrow %0 {axis = 0, start = 18446744073709551615, length = 2} : [2, 4]",
        "permute %0 {axes = [1000000000000, 0]} : [4, 4]",
    ] {
        let _ = check(&format!("{base}%1 = {body}\n"));
    }
    let (many, base) = (50_000, format!("{HEAD}%0=leaf 1 :[]\n%1="));
    // No header, another version, another element.
    check_refused(&"x".repeat(many), "the header");
    check_refused(&format!("tape {}", "9".repeat(many)), "the version");
    check_refused(&format!("tape 1 {}", "f".repeat(many)), "the element type");
    check_refused(&format!("tape 1 \"{}\"", "\\n".repeat(many)), "the element type");
    // Words, numbers, strings and lists that do not end.
    check_refused(&format!("{base}{}", "x".repeat(many)), "an operation");
    check_refused(&format!("{base}neg %{}", "9".repeat(many)), "an operand");
    for label in ["\"", "in\"", "@\""] {
        for item in ["\\n", "n", "\\u{7f}", "\u{fffd}"] {
            let string = item.repeat(many);
            check_refused(&format!("{base}neg%0:[]{label}{string}"), "closing quote");
            check_refused(&format!("{base}neg%0:[]{label}{string}\\q\""), "an escape");
        }
    }
    check_refused(&format!("{HEAD}%0=leaf 1 :[{}", "0,".repeat(many)), "an extent");
    for form in ["dense", "selection", "bf16"] {
        for items in [",", "0,", " ,", "@,", "\"0\",", "\"\",", "0x0000,", "0;", "[", "\","] {
            let _ = check(&format!("{HEAD}%0=leaf {form}[{}", items.repeat(many)));
            let _ = check(&format!("{HEAD}%0=leaf {form}[0,{}", items.repeat(many)));
            let _ = check(&format!("{HEAD}%0=leaf {form}[{}0]:[3]", items.repeat(many)));
        }
    }
    // Operands and attributes that the operation has not.
    for items in [",", "%0,", "%,", " ,", "@,"] {
        let _ = check(&format!("{base}concat %0,{}", items.repeat(many)));
    }
    check_refused(&format!("{base}add {}:[]", list("%0", many)), "2 operands");
    check_refused(&format!("{base}concat {}{{axis=0}}:[]", list("%0", many)), "out of range");
    for attributes in ["a=1", "axes=[0]", "axis=0"] {
        let text = format!("{base}sum_along %0{{{}}}:[]", list(attributes, many));
        check_refused(&text, "the attributes that");
    }
    let axes = list("0", many);
    check_refused(&format!("{base}sum_along %0{{axes=[{axes}]}}:[]"), "out of range");
    check_refused(&format!("{base}sum_along %0{{axes=[{axes}],axis=0}}:[]"), "the attributes");
    check_refused(&format!("{base}permute %0{{axes=[{axes}]}}:[]"), "no permutation");
    check_refused(&format!("{base}reshape %0{{extents=[{axes}]}}:[]"), "does not have the volume");
    check_refused(&format!("{base}reshape %0{{extents=[infer,{axes}]}}:[]"), "does not divide");
    check_refused(&format!("{base}count %0{{axes=[{axes}x]}}:[]"), "the attributes");
    check_refused(&format!("{base}neg %0:[{axes}]"), "the shape that `neg` gives");
    check_refused(&format!("{base}leaf selection[0]:[{axes},1]"), "a payload that");
    // Messages that repeat what the text says: shapes, labels, files, axes, for each operand.
    let ones = list("1", many);
    let name = "n".repeat(many);
    for label in ["", "\"#\"", "\"#\"in\"#\"", "\"#\"in\"#\"@#:1:1"] {
        let label = label.replace('#', &name);
        let sources = format!(
            "{HEAD}%0=leaf constant 1 :[{ones}]{label}\n%1=leaf constant 1 :[2]{label}\n%2="
        );
        check_refused(&format!("{sources}unsqueeze %0{{axis=0}}:[2]"), "the shape that");
        check_refused(&format!("{sources}add %0,%1:[2]"), "shapes differ");
        check_refused(&format!("{sources}neg %0:[2]"), "the shape that `neg` gives");
        let all = list("%0,%1", many / 10);
        check_refused(&format!("{sources}concat {all}{{axis=0}}:[2]"), "extents differ");
        check_refused(&format!("{sources}gather %0,%0:[2]"), "no selection");
        let equal = list("0", many);
        check_refused(&format!("{sources}sum_along %0{{axes=[{equal}]}}:[2]"), "ascending");
    }
}

/// Tapes with as much as a text can ask for.
pub fn accepted() {
    // The shortest lines, many operands, many elements.
    let mut short = format!("{HEAD}%0=leaf 1 :[]\n");
    (1..20_000).for_each(|index| short += &format!("%{index}=neg%0:[]\n"));
    check_accepted(&short, 20_000);
    // Nodes that keep more than themselves: a payload, a shape, a state, a name and a scope, a line.
    for line in [
        "=leaf 1 :[]",
        "=parameter 1 :[]",
        "=leaf constant 1 :[]",
        "=input dense[1,1]:[2]",
        "=input selection[0]:[1,1]",
        "=sum%0:[]",
        "=sum_along%0{axes=[0]}:[]",
        "=neg%0:[1]\"\"",
        "=neg%0:[1]in\"\"",
        "=neg%0:[1]@:1:1",
        "=neg%0:[1]in\"#\"",
        "=neg%0:[1]@#:1:1",
        "=neg%0:[1]@\"#\":1:#",
        "=neg%0:[1]\"n#\"in\"s#\"@f#:1:1",
        "=neg%0:[1]\"\\n#\"in\"\\n#\"@\"\\n#\":1:1",
        "=unsqueeze%0{axis=0}:[1,1]",
        "=reshape%0{extents=[1]}:[1]",
        "=reshape%0{extents=[1,1,1,1,1]}:[1,1,1,1,1]",
        "=unfold%0{axis=0,size=1,step=1,dilation=1}:[1,1]",
        "=concat%0,%0,%0,%0{axis=0}:[4]",
        "=neg%0:[1]by%0",
        "=neg%0:[1]by%0[0]",
        "=leaf 1 :[1,1,1,1,1]",
        "=leaf constant 1 :[1,1,1,1,1]",
        "=leaf constant 1 :[1,1,1,1]",
    ] {
        let mut text = format!("{HEAD}%0=leaf dense[1]:[1]\n");
        (1..20_000).for_each(|index| {
            text += &format!("%{index}{}\n", line.replace('#', &index.to_string()));
        });
        assert_eq!(check(&text), Ok(20_000), "{line}");
    }
    // Comments and blank lines.
    let many = 50_000;
    for blank in ["\n", " \n", ";\n", "\r\n", " "] {
        check_accepted(&format!("{HEAD}%0=leaf 1 :[]{}", blank.repeat(many)), 1);
    }
    check_accepted(&format!("{HEAD}%0=leaf 1 :[];{}", "\"[0,".repeat(many)), 1);
    // Long names, scopes and files.
    for (item, count) in [("n", many), ("\\n", many), ("n\\n", many), ("\\u{7f}", many)] {
        let string = item.repeat(count);
        for label in ["\"#\"", "in\"#\"", "@\"#\":1:1", "\"#\"in\"#\"@\"#\":1:1", "\"#\\n\""] {
            let label = label.replace('#', &string);
            check_accepted(&format!("{HEAD}%0=leaf 1 :[]{label}"), 1);
        }
    }
    let operands = list("%0", many);
    check_accepted(
        &format!("{HEAD}%0=leaf dense[1]:[1]\n%1=concat {operands}{{axis=0}}:[{many}]\n"),
        2,
    );
    let axes = list("1", 10 * many);
    let bits = list("0x0000", many);
    for (form, item, behind) in [
        ("dense", "0", String::new()),
        ("dense", "\"0\"", String::new()),
        ("dense", " 0 ", String::new()),
        ("dense", "0.3333333333333333", String::new()),
        ("selection", "0", ",1".to_owned()),
    ] {
        let elements = list(item, 10 * many);
        let (count, source) = (10 * many, "%0=leaf");
        check_accepted(&format!("{HEAD}{source} {form}[{elements}]:[{count}{behind}]\n"), 1);
        check_accepted(
            &format!(
                "{HEAD}{source} {form}[{elements}]:[{count}{behind}]\n%1=neg %0:[{count}{behind}]\n"
            ),
            2,
        );
    }
    check_accepted(&format!("{HEAD}%0=parameter dense[{}]:[{many}]\n", list("0", many)), 1);
    check_accepted(&format!("{HEAD}%0=leaf bf16[{bits}]:[{many}]\n"), 1);
    // Shapes of many axes: of every form of payload, and of operations that keep or change them.
    for source in ["1 ", "constant 1 ", "dense[1]", "bf16[0x3f80]", "selection[0]"] {
        let head = format!("{HEAD}%0=leaf {source}:[{axes}]\n");
        check_accepted(&head, 1);
    }
    let ones = list("1", many);
    let most = &ones[2..];
    let head = format!("{HEAD}%0=leaf constant 1 :[{ones}]\n");
    let all = Vec::from_iter((0..many).map(|axis| axis.to_string())).join(",");
    let back = Vec::from_iter((0..many).rev().map(|axis| axis.to_string())).join(",");
    for node in [
        format!("neg %0:[{ones}]"),
        format!("add %0,%0:[{ones}]"),
        format!("unsqueeze %0{{axis=0}}:[1,{ones}]"),
        format!("squeeze %0{{axis=0}}:[{most}]"),
        format!("narrow %0{{axis=0,start=0,length=1}}:[{ones}]"),
        format!("pad %0{{axis=0,before=0,after=1,value=0}}:[2,{most}]"),
        format!("unfold %0{{axis=0,size=1,step=1,dilation=1}}:[{ones},1]"),
        format!("fold %0{{axis=0,extent=1,step=1,dilation=1}}:[{most}]"),
        format!("concat %0,%0,%0,%0,%0{{axis=0}}:[5,{most}]"),
        format!("matmul %0,%0:[{ones}]"),
        format!("sum_like %0,%0:[{ones}]"),
        format!("broadcast_like %0,%0:[{ones}]"),
        format!("reshape_like %0,%0:[{ones}]"),
        format!("log_softmax %0{{axis=0}}:[{ones}]"),
        format!("log_sum_exp %0{{axis=0}}:[{most}]"),
        format!("reshape %0{{extents=[{ones}]}}:[{ones}]"),
        format!("reshape %0{{extents=[infer,{ones}]}}:[1,{ones}]"),
        format!("reshape %0{{extents=[{}]}}:[{ones}]", list("keep0", many)),
        format!("permute %0{{axes=[{back}]}}:[{ones}]"),
        format!("sum_along %0{{axes=[{all}]}}:[]"),
        format!("max_along %0{{axes=[{all}]}}:[]"),
        format!("first_max_along %0{{axes=[{all}]}}:[{ones}]"),
        format!("count %0{{axes=[{all}]}}:[]"),
        format!("neg %0:[{ones}]by%0[{all}]"),
    ] {
        check_accepted(&format!("{head}%1={node}\n"), 2);
    }
    let table = format!("{HEAD}%0=leaf constant 1 :[{ones}]\n%1=leaf selection[0]:[{ones}]\n%2=");
    check_accepted(&format!("{table}gather %0,%1:[{ones},{}]\n", &most[2..]), 3);
    check_accepted(&format!("{table}scatter %0,%1:[1,1]\n"), 3);
    // Many axes, and many operands or axes that name them: a copy of the axes for each, or a search
    // among them, would be some 10^9 steps.
    let axes = list("1", 20_000);
    let second = list("%0,%1", 10_000);
    let all = Vec::from_iter((0..20_000).map(|axis| axis.to_string())).join(",");
    let text = format!(
        "{HEAD}%0=leaf constant 1 :[{axes}]\n%1=leaf constant 2 :[{axes}]\n\
         %2=concat {second}{{axis=19999}}:[{},20000]\n%3=sum_along %0{{axes=[{all}]}}:[]\n\
         %4=broadcast_along %3,%0{{axes=[{all}]}}:[{axes}]\n",
        &axes[..axes.len() - 2],
    );
    check_accepted(&text, 5);
}
