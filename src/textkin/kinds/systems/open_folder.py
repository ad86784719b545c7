"""From a folder to its model, of whatever kind and library."""

from contextlib import suppress
from pathlib import Path

from textkin.base.errors import ModelError
from textkin.base.hub import located
from textkin.data.protocols import AnySystem, Classifier, Scorer
from textkin.kinds.systems.model_names import refuse_baseline
from textkin.kinds.systems.phrases import phrase_encoder_of
from textkin.kinds.systems.readers import load_reader
from textkin.kinds.systems.scorers import load
from textkin.models.interop.folder_kinds import EXPORT
from textkin.models.interop.head_settings import READS_PASSAGES
from textkin.models.light_adapter import adapted_architecture
from textkin.models.light_phrases import ENCODES_PHRASES


def open_model(folder: Path) -> Scorer | Classifier:
    """Open a model that compares texts, from any supported library, or an export.

    Args:
        folder: the folder.

    Raises:
        ModelError: there is no such model.
        MissingExtraError: the runtime of an export is not installed.
    """
    if not (folder / EXPORT).is_file():
        return load(folder)
    from textkin.models.inference.exported_runtimes import load_exported
    from textkin.models.interop.exported import check_packages, runtime_of

    if (runtime := runtime_of(folder)) is not None:
        check_packages(runtime)
    return load_exported(folder)


def open_any(folder: Path) -> AnySystem:
    """Open a model of any kind.

    Args:
        folder: the folder.

    Raises:
        ModelError: there is no such model.
        MissingExtraError: the runtime of an export is not installed.
    """
    if (architecture := adapted_architecture(folder)) == READS_PASSAGES:
        return load_reader(folder)
    if architecture == ENCODES_PHRASES:
        return phrase_encoder_of(str(folder))
    try:
        return open_model(folder)
    except ModelError as error:
        with suppress(ModelError):
            return phrase_encoder_of(str(folder))
        with suppress(ModelError):
            return load_reader(folder)
        raise error


def open_named(model: Path | str) -> AnySystem:
    """Open a model of any kind by its folder or name.

    Raises:
        ModelError: there is no such model, or it is a baseline.
        MissingExtraError: the runtime of an export is not installed.
    """
    refuse_baseline(model)
    return open_any(located(model))
