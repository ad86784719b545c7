"""``train``: train one recipe on labelled data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import (
    Columns,
    Device,
    Download,
    EncodingName,
    Format,
    Labels,
    Live,
    MorePairs,
    QuestionSet,
    Quoting,
    Seed,
    Vectors,
)

if TYPE_CHECKING:
    from textkin.verbs.train.recipe_list import Recipes, ShownRecipe
    from textkin.verbs.train.train_recipe import EvaluationFigures, TrainingRun

TrainData = Annotated[
    Any,
    Option(
        "Data to learn from: labelled pairs, questions with candidates, SQuAD's JSON, or texts, by recipe.",
        metavar="FILE",
        command=Path,
    ),
]
DevData = Annotated[
    Any,
    Option(
        "Data of the same kind, or a folder that is searched, BEIR's or of quora-ir, to choose the best "
        "epoch.",
        metavar="FILE",
        command=Path,
    ),
]
RecipeName = Annotated[
    Any,
    Option(
        "Name of a bundled recipe, or path of a .toml file.", metavar="RECIPE", command=str, argument=True
    ),
]
ListRecipes = Annotated[bool, Option("List the bundled recipes instead of training.")]
ShowRecipe = Annotated[bool, Option("Print the recipe as TOML instead of training.")]
Out = Annotated[
    Path | None, Option("Run folder; the model is in DIR/model. The same call resumes.", metavar="DIR")
]
Start = Annotated[
    Path | str | None,
    Option(
        "Model of the same architecture to continue from: a folder, or a cached Hugging Face name.",
        metavar="MODEL",
        panel="Model",
        command=str,
    ),
]
Teacher = Annotated[
    Path | str | None,
    Option(
        "Teacher of a recipe with the loss distillation: an encoder whose vectors it learns.",
        metavar="MODEL",
        panel="Model",
        rare=True,
        command=str,
    ),
]
Vocabulary = Annotated[
    Path | None,
    Option(
        "The model's words, one per line. Default: those of training texts and vectors.",
        metavar="FILE",
        panel="Model",
        rare=True,
    ),
]
Architecture = Annotated[
    Any,
    Option(
        "Network instead of the recipe's: a bundled name, or your class by import path, such as "
        '"my_model:Net(hidden=64)".',
        metavar="NAME",
        panel="Model",
        command=str,
        also=("model",),
        python="Also the class itself, a ``functools.partial`` of it, or a network, for its options.",
    ),
]
Loss = Annotated[
    Any,
    Option(
        "Loss instead of the recipe's: a bundled name, or your function by import path.",
        metavar="NAME",
        panel="Model",
        command=str,
        python="Also the function itself.",
    ),
]
Tokenise = Annotated[
    Any,
    Option(
        "Tokeniser instead of the recipe's: a bundled name, or your function by import path.",
        metavar="NAME",
        panel="Model",
        rare=True,
        command=str,
        python="Also the function itself.",
    ),
]
Tensorboard = Annotated[bool, Option("Also write TensorBoard events, to DIR/tensorboard.", rare=True)]
ChooseBy = Annotated[
    Literal["pairs", "mining", "search"] | None,
    Option("Task that chooses the epoch where dev is a folder of quora-ir. Default: pairs.", rare=True),
]
Checkpoints = Annotated[
    Literal["best", "all"],
    Option("Keep the best epoch's model, or also every epoch's, in DIR/epochs.", rare=True),
]


@verb
def train(
    train: TrainData = None,
    recipe: RecipeName = None,
    *,
    dev: DevData = None,
    out: Out = None,
    start: Start = None,
    architecture: Architecture = None,
    loss: Loss = None,
    tokenise: Tokenise = None,
    list: ListRecipes = False,
    show: ShowRecipe = False,
    seed: Seed = 0,
    more: MorePairs = None,
    vectors: Vectors = None,
    vocabulary: Vocabulary = None,
    teacher: Teacher = None,
    device: Device = "auto",
    tensorboard: Tensorboard = False,
    live: Live = False,
    choose_by: ChooseBy = None,
    keep_checkpoints: Checkpoints = "best",
    questions: QuestionSet = "answered",
    labels: Labels = None,
    columns: Columns = None,
    format: Format = "auto",
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
    callback: Callable[[EvaluationFigures], bool | None] | None = None,
) -> TrainingRun | Recipes | ShownRecipe:
    """Train one recipe; resumes an interrupted run.

    The recipe defines the model and its training. The epoch that is best on dev is kept. Texts that dev
    shares with the training data are counted and reported, since they inflate the dev score.

    Returns:
        :class:`TrainingRun`; with ``list`` :class:`Recipes`; with ``show`` the recipe, which prints as TOML.

    Raises:
        UsageError: an input is missing, ``out`` holds another run, or the data don't fit the recipe.
        ConfigError: the recipe is wrong.
        DataError: a file has errors, or one of ``train`` and ``dev`` has grades, and the other yes or no.
        ModelError: a model to start from is not on this machine.
        TrainingError: dev has one kind of label only, a loss is not finite, or ``callback`` failed.
        OutputError: ``out`` can't be written to.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> run = tk.train(samples.pairs("travel"), "static", dev=samples.pairs("cooking"), out="run")
        >>> run.measure, tk.load_encoder(run.model).name
        ('AP', 'static')

        ``callback`` gets the figures of each evaluation, and ends the training by returning True. The best
        epoch until then is kept.

        >>> train, dev = samples.pairs("travel"), samples.pairs("cooking")
        >>> run = tk.train(train, "static", dev=dev, out="short", callback=lambda one: one.epoch == 2)
        >>> len(run.evaluations), run.stopped
        (2, True)
    """
    from textkin.base.errors import inapplicable, required
    from textkin.base.progress import note
    from textkin.networks.recipes.recipe import Recipe, load_recipe
    from textkin.verbs.pair_inputs import given_pairs, in_memory, pair_reading
    from textkin.verbs.train.live import LivePage
    from textkin.verbs.train.own_parts import with_parts
    from textkin.verbs.train.recipe_list import ShownRecipe, all_recipes
    from textkin.verbs.train.train_given import TrainOptions, refuse_recipe_first, train_given
    from textkin.verbs.train.train_recipe import Watch

    if list:
        return all_recipes()
    if show:
        if recipe is None:
            raise required("recipe", by="`show`")
        return ShownRecipe.of(recipe)
    refuse_recipe_first(train, recipe)
    needed = {"train": train, "recipe": recipe, "dev": dev, "out": out}
    missing = [name for name, value in needed.items() if value is None]
    if missing or out is None:
        raise required(*missing, by="training", fix="`list` shows the recipes; `split()` makes dev")
    if tokenise is not None and start is not None:
        raise inapplicable("tokenise", to="training that starts from a model, which has its own")
    further = in_memory(more, "more")
    chosen = with_parts(
        recipe if isinstance(recipe, Recipe) else load_recipe(str(recipe)),
        architecture=architecture,
        loss=loss,
        tokenise=tokenise,
    )
    page = LivePage(Path(out), chosen.name) if live else None
    options = TrainOptions(
        seed=seed,
        more=tuple(given_pairs(one, columns, "more", questions=questions) for one in further),
        vectors=vectors,
        vocabulary=vocabulary,
        start=None if start is None else str(start),
        teacher=None if teacher is None else str(teacher),
        device=device,
        tensorboard=tensorboard,
        watch=Watch(keep_checkpoints, callback, page),
        choose_by=choose_by,
        reading=pair_reading(
            *(train, dev, *further),
            columns=columns,
            format=format,
            quoting=quoting,
            encoding=encoding,
            questions=questions,
            labels=labels,
        ),
        download=download,
    )
    data = given_pairs(train, columns, "train", questions=questions)
    chooses = given_pairs(dev, columns, "dev", questions=questions)
    if page is not None:
        note(f"live page: {page.path}, from the first evaluation on")
    run = train_given(data, dev=chooses, recipe=chosen, out=out, options=options)
    if page is not None:
        page.show(report="")
    return run
