"""Modules: parsed and verified, with their signatures. Needs jaxlib alone."""
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, stablehlo
from jaxlib.mlir.passmanager import PassManager

ALLOWED = ("builtin.", "func.", "stablehlo.", "chlo.")


def context():
    """A context that knows what a module may hold."""
    found = ir.Context()
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)  # brings `func`
    found.append_dialect_registry(registry)
    stablehlo.register_dialect(found)
    chlo.register_dialect(found)
    found.load_all_available_dialects()
    return found


def parsed(text, within):
    """The module, which the parser and the verifier accept, of allowed operations alone."""
    module = ir.Module.parse(text, within)
    if not module.operation.verify():
        raise ValueError("the verifier refuses the module")

    def walk(operation):
        if not operation.name.startswith(ALLOWED):
            raise ValueError(f"`{operation.name}` is of none of the dialects {ALLOWED}")
        for region in operation.regions:
            for block in region.blocks:
                for inner in block.operations:
                    walk(inner.operation)

    walk(module.operation)
    return module


def signature(module):
    """The types of what `main` takes and gives, as words."""
    main = next(o for o in module.body.operations if ir.StringAttr(o.attributes["sym_name"]).value == "main")
    of = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)

    def word(kind):
        kind = ir.RankedTensorType(kind)
        return f"{kind.element_type}:{','.join(map(str, kind.shape))}"

    return [word(kind) for kind in of.inputs], [word(kind) for kind in of.results]


def legalized(module):
    """The module without `chlo`, which the interpreter does not know."""
    passes = "builtin.module(func.func(chlo-legalize-to-stablehlo))"
    PassManager.parse(passes, module.context).run(module.operation)
    return module


stablehlo.register_stablehlo_passes()
