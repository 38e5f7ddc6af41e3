"""The mutations: each takes a right program and yields programs with one fault of its kind, as people make it.

A mutation is a function from `Program` to `Mutant`s; its name is the fault's. None of them looks at what tensan can find.

Which lines are right, by kind of fault:
- something wrong was written: where it was written;
- a call was left out: its neighbours in the block, and where that was made which it would have been called on;
- a value was not changed that should have been: where it is made and where it is used, in the same function;
- two things do not fit: either of them.
"""

import ast

from mutation.edits import keyword, name_of, owner_of

STEPPING = ("step",)
LOSSES = ("cross_entropy", "nll_loss", "mse_loss", "smooth_l1_loss", "l1_loss", "binary_cross_entropy_with_logits", "huber_loss")
OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam", "LBFGS")
SCHEDULES = ("CosineAnnealingLR", "OneCycleLR", "StepLR", "MultiStepLR", "LinearLR", "ExponentialLR")


# ---- the order of a step ----


def _optimizer_steps(program):
    return [found for found in program.statements(*STEPPING) if "opt" in owner_of(program, found.value) and not found.value.args]


def _schedule_steps(program):
    return [found for found in program.statements(*STEPPING) if "sched" in owner_of(program, found.value)]


def _near(program, statement, *names):
    """Statements of the same block that are such calls: a missing call is often named at its neighbour."""
    block, _ = program.siblings(statement)
    return [
        other for other in block if isinstance(other, ast.Expr) and isinstance(other.value, ast.Call) and name_of(other.value.func) in names
    ]


def _made(program, *names):
    """Calls that make what a call which was left out would have been called on."""
    return program.calls(*names)


def zero_grad_dropped(program):
    for found in program.statements("zero_grad"):
        yield program.replaced([(found, "pass")], also=_near(program, found, "step", "backward"))


def zero_grad_before_step(program):
    for found in _optimizer_steps(program):
        owner = owner_of(program, found.value)
        yield program.replaced([(found, f"{owner}.zero_grad(); {program.segment(found)}")])


def step_dropped(program):
    for found in _optimizer_steps(program):
        yield program.replaced([(found, "pass")], also=[*_near(program, found, "zero_grad", "backward"), *_made(program, *OPTIMIZERS)])


def step_twice(program):
    for found in _optimizer_steps(program):
        yield program.replaced([(found, f"{program.segment(found)}; {program.segment(found)}")])


def _swapped(program, first, second):
    return program.replaced([(first, program.segment(second)), (second, program.segment(first))])


def clip_after_step(program):
    for found in program.statements("clip_grad_norm_", "clip_grad_value_"):
        for other in _near(program, found, "step"):
            if other.lineno > found.lineno and "sched" not in owner_of(program, other.value):
                yield _swapped(program, found, other)
                break


def clip_before_unscale(program):
    for found in program.statements("unscale_"):
        for other in _near(program, found, "clip_grad_norm_", "clip_grad_value_"):
            yield _swapped(program, found, other)


def clip_of_nothing(program):
    for found in program.calls("clip_grad_norm_"):
        if found.args:
            yield program.replaced([(found.args[0], "[]")])


def scaler_passed_by(program):
    for found in program.calls("step"):
        if "scaler" in owner_of(program, found) and found.args:
            yield program.replaced([(found, f"{program.segment(found.args[0])}.step()")])


def schedule_never_stepped(program):
    for found in _schedule_steps(program):
        yield program.replaced([(found, "pass")], also=_made(program, *SCHEDULES, "LambdaLR", "SequentialLR", "ReduceLROnPlateau"))


def schedule_before_optimizer(program):
    for found in _schedule_steps(program):
        block, place = program.siblings(found)
        for other in block[:place]:
            if other in _optimizer_steps(program):
                # Moved, not swapped: what stands between them, such as `zero_grad`, stays where it was.
                yield program.replaced([(other, f"{program.segment(found)}; {program.segment(other)}"), (found, "pass")])


def schedule_of_another_length(program):
    for found in program.calls(*SCHEDULES):
        for name in ("T_max", "total_steps", "total_iters", "step_size"):
            value = keyword(found, name)
            if value is not None:
                yield program.replaced([(value, f"50 * ({program.segment(value)})")], also=[found, *_schedule_steps(program)])


# ---- who owns what ----


def _given_parameters(program):
    for found in program.calls(*OPTIMIZERS):
        if found.args and isinstance(found.args[0], ast.Call) and name_of(found.args[0].func) == "parameters":
            yield found, found.args[0]


def part_of_the_parameters(program):
    for found, given in _given_parameters(program):
        text = program.segment(given)
        yield program.replaced([(given, f"list({text})[: max(1, len(list({text})) // 2)]")], also=[found])


def optimizer_of_a_copy(program):
    for found, given in _given_parameters(program):
        owner = owner_of(program, given)
        yield program.replaced([(given, f"__import__('copy').deepcopy({owner}).parameters()")], also=[found])


def rate_of_zero(program):
    for found in program.calls(*OPTIMIZERS):
        value = keyword(found, "lr")
        if value is not None:
            yield program.replaced([(value, "0.0")], also=[found, *_optimizer_steps(program)])


def layers_in_a_list(program):
    for found in program.calls("ModuleList"):
        yield program.replaced([(found.func, "list")], also=[found, *program.calls(*OPTIMIZERS)])


def one_layer_many_times(program):
    for found in program.calls("ModuleList", "Sequential"):
        for argument in found.args:
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            if isinstance(inner, (ast.ListComp, ast.GeneratorExp)) and isinstance(inner.elt, ast.Call):
                source = program.segment(inner.generators[0].iter)
                yield program.replaced([(inner, f"[{program.segment(inner.elt)}] * len(list({source}))")], also=[found])


def parameter_cast(program):
    for found in program.calls("Parameter"):
        yield program.replaced([(found, f"({program.segment(found)} * 1.0)")], also=program.calls(*OPTIMIZERS))


def tie_untied(program):
    """Tied, and then given a parameter of its own again: without any tie the program would be right, only larger."""
    for found in program.nodes(ast.Assign):
        if isinstance(found.targets[0], ast.Attribute) and found.targets[0].attr == "weight" and isinstance(found.value, ast.Attribute):
            target = program.segment(found.targets[0])
            yield program.replaced([(found, f"{program.segment(found)}; {target} = nn.Parameter({target}.detach().clone())")])


def target_is_the_model(program):
    for found in program.calls("deepcopy"):
        if found.args and "state_dict" not in program.segment(found):
            yield program.replaced([(found, program.segment(found.args[0]))])


def best_is_alive(program):
    for found in program.calls("deepcopy"):
        if found.args and "state_dict" in program.segment(found.args[0]):
            yield program.replaced([(found, program.segment(found.args[0]))], also=program.calls("load_state_dict"))


def prefix_does_not_match(program):
    for found in program.calls("load_state_dict"):
        if (
            len(found.args) == 1
            and not found.keywords
            and "opt" not in owner_of(program, found)
            and "sched" not in owner_of(program, found)
        ):
            given = program.segment(found.args[0])
            yield program.replaced(
                [(found.args[0], "{'module.' + key: value for key, value in (" + given + ").items()}, strict=False")], also=[found]
            )


# ---- modes ----


def train_not_called_again(program):
    for found in program.statements("train"):
        if program.loop_of(found) is not None or isinstance(program.parents.get(found), ast.FunctionDef):
            yield program.replaced([(found, "pass")], also=program.calls("eval", "backward"))


def eval_not_called(program):
    for found in program.statements("eval"):
        block, place = program.siblings(found)
        rest = [statement.lineno + offset for statement in block[place:] for offset in range(statement.end_lineno - statement.lineno + 1)]
        yield program.replaced([(found, "pass")], also=rest)


def dropout_always_on(program):
    for found in program.calls("dropout"):
        if keyword(found, "training") is not None:  # left out, as people do: written as `training=True` it is meant
            rest = [program.segment(item) for item in found.args]
            rest += [f"{item.arg}={program.segment(item.value)}" for item in found.keywords if item.arg != "training"]
            yield program.replaced([(found, f"{program.segment(found.func)}({', '.join(rest)})")])
    for found in program.nodes(ast.IfExp):
        if program.segment(found.test) == "self.training":
            yield program.replaced([(found, program.segment(found.body))], also=program.calls("scaled_dot_product_attention", "dropout"))


def batchnorm_without_momentum(program):
    for found in program.calls("BatchNorm1d", "BatchNorm2d"):
        if len(found.args) == 1 and not found.keywords:
            yield program.replaced([(found.args[0], f"{program.segment(found.args[0])}, momentum=0.0")])


# ---- what the loss is given ----


def _given_losses(program):
    """Calls of losses with a prediction and a target, functional or by a module called criterion or loss_fn, where gradients are on."""
    for found in program.nodes(ast.Call):
        name = name_of(found.func)
        known = name in LOSSES or name in ("criterion", "loss_fn", "loss_function")
        if known and len(found.args) >= 2 and not program.is_without_gradients(found):
            yield found, name


def softmax_before_cross_entropy(program):
    for found, name in _given_losses(program):
        if name == "cross_entropy":
            yield program.replaced([(found.args[0], f"({program.segment(found.args[0])}).softmax(1)")])


def sigmoid_before_logit_loss(program):
    for found, name in _given_losses(program):
        if name == "binary_cross_entropy_with_logits":
            yield program.replaced([(found.args[0], f"torch.sigmoid({program.segment(found.args[0])})")])


def softmax_over_the_batch(program):
    for found in program.calls("softmax", "log_softmax"):
        value = keyword(found, "dim") or (
            found.args[-1] if found.args and isinstance(found.args[-1], (ast.Constant, ast.UnaryOp)) else None
        )
        if value is not None and program.segment(value) in ("1", "-1"):
            yield program.replaced([(value, "0")], also=[found])


def target_with_another_rank(program):
    for found, name in _given_losses(program):
        if name in ("mse_loss", "smooth_l1_loss", "l1_loss", "huber_loss"):
            target = program.segment(found.args[1])
            other = f"(lambda t: t.squeeze(-1) if t.dim() > 1 else t.unsqueeze(-1))({target})"
            yield program.replaced([(found.args[1], other)], also=[found])


def target_permuted(program):
    for found, _ in _given_losses(program):
        yield program.replaced([(found.args[1], f"(lambda t: t[torch.randperm(len(t))])({program.segment(found.args[1])})")])


def target_rolled(program):
    for found, _ in _given_losses(program):
        yield program.replaced([(found.args[1], f"({program.segment(found.args[1])}).roll(1, 0)")])


def target_not_shifted(program):
    for found in program.nodes(ast.Subscript):
        text = program.segment(found)
        if text.endswith("[:, 1:]"):
            yield program.replaced(
                [(found, text.removesuffix("[:, 1:]") + "[:, :-1]")], also=[found, *[call for call, _ in _given_losses(program)]]
            )


def target_made_whole(program):
    for found, name in _given_losses(program):
        if name in ("mse_loss", "smooth_l1_loss", "l1_loss", "huber_loss"):
            yield program.replaced([(found.args[1], f"({program.segment(found.args[1])}).long().float()")])


def all_targets_ignored(program):
    for found, name in _given_losses(program):
        if name == "cross_entropy" and not found.keywords:
            yield program.replaced([(found.args[1], f"torch.full_like({program.segment(found.args[1])}, -100)")])


def loss_made_anew(program):
    for found in program.statements("backward"):
        owner = owner_of(program, found.value)
        if owner.isidentifier():
            yield program.replaced([(found, f"torch.tensor({owner}.item(), requires_grad=True).backward()")])


def term_detached(program):
    for found in program.nodes(ast.Assign):
        named = isinstance(found.targets[0], ast.Name) and "loss" in found.targets[0].id
        value = found.value
        if named and isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and not isinstance(value.right, ast.Constant):
            yield program.replaced([(value.right, f"({program.segment(value.right)}).detach()")])


def sign_turned(program):
    for found, _ in _given_losses(program):
        yield program.replaced([(found, f"-{program.segment(found)}")])


# ---- what flows ----


def _forwards(program):
    return [node for node in program.nodes(ast.FunctionDef) if node.name == "forward"]


def layer_detached(program):
    for forward in _forwards(program):
        for found in ast.walk(forward):
            if isinstance(found, ast.Call) and program.segment(found.func).startswith("self.") and found.args:
                yield program.replaced([(found, f"{program.segment(found)}.detach()")])


def activation_thrown_away(program):
    for found in program.nodes(ast.Assign):
        call = found.value
        if isinstance(call, ast.Call) and name_of(call.func) in ("relu", "gelu", "tanh", "dropout", "masked_fill", "clamp", "normalize"):
            target = program.segment(found.targets[0])
            given = program.segment(call.args[0]) if call.args else ""
            if target in (given, owner_of(program, call)):
                yield program.replaced([(found, program.segment(call))])


def mask_thrown_away(program):
    for found in program.calls("masked_fill"):
        if isinstance(found.func, ast.Attribute):
            yield program.replaced([(found, program.segment(found.func.value))], also=program.users_of(found.func.value))


def mask_not_given(program):
    for found in program.nodes(ast.keyword):
        if found.arg in ("src_key_padding_mask", "key_padding_mask", "attn_mask", "mask"):
            yield program.replaced([(found.value, "None")], also=[program.parents[found]])


def no_causal_mask(program):
    for found in program.nodes(ast.keyword):
        if found.arg == "is_causal" and program.segment(found.value) == "True":
            yield program.replaced([(found.value, "False")], also=[program.parents[found]])
    for found in program.calls("tril"):
        if found.args:
            masked = [call for call in program.calls("masked_fill") if isinstance(call.func, ast.Attribute)]
            used = [user for call in masked for user in (call, *program.users_of(call.func.value))]
            yield program.replaced([(found, f"torch.ones_like({program.segment(found.args[0])})")], also=used)


def batch_and_time_exchanged(program):
    for found in program.nodes(ast.keyword):
        if found.arg == "batch_first" and program.segment(found.value) == "True":
            yield program.replaced([(found.value, "False")], also=[program.parents[found], *_forwards(program)])


def view_for_transpose(program):
    for found in program.calls("transpose"):
        if isinstance(found.func, ast.Attribute) and [program.segment(argument) for argument in found.args] == ["1", "2"]:
            value = program.segment(found.func.value)
            yield program.replaced([(found, f"(lambda t: t.reshape(t.shape[0], t.shape[2], t.shape[1], *t.shape[3:]))({value})")])


def argmax_over_the_batch(program):
    for found in program.calls("argmax"):
        value = keyword(found, "dim") or (found.args[-1] if found.args else None)
        if value is not None and program.segment(value) in ("1", "-1"):
            yield program.replaced([(value, "0")], also=[found])


# ---- data and chance ----


def seeded_in_the_loop(program):
    for found in _optimizer_steps(program):
        loop = program.loop_of(found)
        if loop is not None and loop.body:
            first = loop.body[0]
            if isinstance(first, (ast.Assign, ast.Expr)):
                yield program.replaced([(first, f"torch.manual_seed(0); {program.segment(first)}")])


def never_shuffled(program):
    """Stored class by class and never shuffled: data that come in random order are none the worse for it. Items are pairs with a label.

    Labels are read off a copy, so that a generator which the data set keeps is as it was: to use it up would be a second fault.
    """
    for found in program.nodes(ast.keyword):
        call = program.parents[found]
        if found.arg == "shuffle" and program.segment(found.value) == "True" and isinstance(call, ast.Call) and call.args:
            data = program.segment(call.args[0])
            by_label = (
                "(lambda d: (lambda c: torch.utils.data.Subset(d, sorted(range(len(d)), key=lambda i: int(c[i][1]))))"
                f"(__import__('copy').deepcopy(d)))({data})"
            )
            yield program.replaced([(call.args[0], by_label), (found.value, "False")], also=[call])


def rows_without_their_labels(program):
    for found in program.nodes(ast.Tuple):
        if len(found.elts) == 2 and all(isinstance(item, ast.Subscript) for item in found.elts):
            first, second = found.elts
            if program.segment(first.slice) == program.segment(second.slice) and isinstance(first.slice, ast.Name):
                yield program.replaced([(second, f"{program.segment(second.value)}[: len({program.segment(second.slice)})]")], also=[found])


def evaluated_on_training_data(program):
    """Once something was learned: before the first step the training data are as new to the model as any other."""
    names = program.nodes(ast.Name)
    for found in names if any(node.id == "train_loader" for node in names) else ():
        if (
            found.id in ("val_loader", "test_loader", "valid_loader")
            and isinstance(found.ctx, ast.Load)
            and _after_training(program, found)
        ):
            yield program.replaced([(found, "train_loader")], also=program.calls("DataLoader"))


def _after_training(program, node):
    """Whether a loop of the same function begins before a node: there the model is trained, by itself or by what it calls."""
    loops = [loop for loop in program.nodes(ast.For, ast.While) if program.function_of(loop) is program.function_of(node)]
    return any(loop.lineno < node.lineno for loop in loops)


def raw_pixels(program):
    for found in program.nodes(ast.BinOp):
        if isinstance(found.op, ast.Div) and program.segment(found.right) in ("255", "255.0", "16", "16.0"):
            yield program.replaced([(found, program.segment(found.left))])


def graph_kept_in_a_sum(program):
    for found in program.nodes(ast.AugAssign):
        if isinstance(found.value, ast.Call) and name_of(found.value.func) == "item":
            yield program.replaced([(found.value, program.segment(found.value.func.value))])


def log_of_zero(program):
    for found in program.nodes(ast.BinOp):
        added = found.right.value if isinstance(found.op, ast.Add) and isinstance(found.right, ast.Constant) else None
        if isinstance(added, float) and 0 < added < 1e-4:
            yield program.replaced([(found, program.segment(found.left))])


def divided_by_zero(program):
    for found, _ in _given_losses(program):
        yield program.replaced([(found, f"({program.segment(found)} / (1.0 - 1.0))")])


def root_of_zero(program):
    for found, name in _given_losses(program):
        if name == "mse_loss":
            text = program.segment(found)
            yield program.replaced([(found, f"({text} + ({text} * 0.0).sqrt())")])


FAULTS = {
    name: function
    for name, function in sorted(globals().items())
    if callable(function) and not name.startswith("_") and getattr(function, "__module__", "") == __name__
}
