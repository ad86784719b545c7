from textkin.training.transferred_parts import TakenOver


def test_what_did_not_go_over_is_said():
    assert TakenOver("SPANS", 12).sentence() == ""
    names = tuple(f"head.{number}" for number in range(6))
    found = TakenOver("SPANS", 1200, anew=("output.weight",), left=names, kept=("hidden = 100",))
    assert found.sentence() == (
        "1,200 tensors loaded from SPANS; initialised at random: output.weight; not used: head.0, head.1, "
        "head.2, head.3 and 2 more; kept from that model: hidden = 100"
    )
