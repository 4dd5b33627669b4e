"""What a person may turn of a solver: the files in conf/solver are the defaults, each key with its meaning."""

from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from actors.row import Row
from solvers.agents.catalog import CatalogSettings
from solvers.agents.llm import LlmSettings

CONF = Path(__file__).resolve().parents[3] / "conf" / "solver"


@pytest.mark.parametrize(("name", "kind"), [("catalog", CatalogSettings), ("llm", LlmSettings)])
def test_a_file_holds_every_key_at_its_default(name: str, kind: type[Row]) -> None:
    written = yaml.safe_load((CONF / f"{name}.yaml").read_text())
    assert set(written) == set(kind.model_fields)
    assert kind.model_validate(written) == kind()


@pytest.mark.parametrize("wrong", [{"rounds": 0}, {"patience": 0}, {"temperature": 3}, {"context_chars": 10}, {"x": 1}])
def test_what_cannot_be_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        LlmSettings.model_validate(wrong)
