"""tk.calibrate."""

import pytest

import textkin as tk
from tests.verbs.public.making import DEV, TRAIN
from textkin.data import samples

pytestmark = pytest.mark.torch


def test_it_refuses_what_the_model_was_trained_on(run):
    with pytest.raises(tk.TextkinError):
        tk.calibrate(TRAIN, model=run.model)


def test_it_refuses_a_test_that_shares_texts(run):
    other = samples.pairs("hobbies")[::3]
    with pytest.raises(tk.TextkinError):
        tk.calibrate(DEV, model=run.model, test=[*other, *DEV[:9]])
