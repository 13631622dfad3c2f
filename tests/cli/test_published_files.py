"""A file of a published system on the command line."""

import json

from command_line import Attex, write

THEIRS = """
local hidden = std.parseInt(std.extVar('HIDDEN'));  // theirs have it fixed
{
  dataset_reader: { type: 'sst_tokens', granularity: '2-class' },
  train_data_path: std.join('/', [std.extVar('PWD'), 'SST/train.txt']),
  validation_data_path: 'SST/dev.txt',
  model: {
    type: 'jain_wallace_attention_binary_classifier',
    word_embeddings: { tokens: { type: 'embedding', embedding_dim: 50 } },
    encoder: { type: 'lstm', bidirectional: true, input_size: 50, hidden_size: hidden },
    decoder: { input_dim: 2 * hidden, num_layers: 1, hidden_dims: 1, activations: ['linear'] },
    attention: { type: 'additive_tanh', hidden_size: 2 * hidden, activation_function: 'sparsemax' },
  },
  iterator: { type: 'bucket', batch_size: 16 },
  trainer: { num_epochs: 3, validation_metric: '+auc', grad_norm: 5.0, optimizer: 'adam' },
  pytorch_seed: 9,
}
"""


def test_show_prints_the_translation_and_names_what_has_no_counterpart(attex_: Attex) -> None:
    write("theirs.jsonnet", THEIRS)
    code, out, err = attex_("show", "theirs.jsonnet", "--ext", "HIDDEN=8", "-o", "data.limit=5")
    shown = json.loads(out)
    assert code == 0
    assert (shown["name"], shown["data"]["type"], shown["data"]["limit"]) == ("theirs", "sst", 5)
    assert (shown["model"]["encoder"]["hidden"], shown["seeds"], shown["vectors"]) == (8, [9], None)
    first, *lines = err.splitlines()
    assert first == "attex: theirs.jsonnet: written for AllenNLP, and translated; of its keys:"
    assert "  trainer.grad_norm = 5: attex does not clip gradients" in lines
    assert all(line.startswith("  ") for line in lines)
    # What was printed is an experiment of attex, about which nothing is left to say.
    write("ours.json", out)
    assert attex_("show", "ours.json") == (0, out, "")


def test_run_takes_the_file_as_it_is(attex_: Attex) -> None:
    write("theirs.jsonnet", THEIRS)
    code, _, err = attex_("run", "theirs.jsonnet", "--ext", "HIDDEN=8")
    assert code == 1
    assert "theirs: " in err
    assert "train.txt" in err


def test_what_is_wrong_with_it_or_with_a_variable_is_said(attex_: Attex) -> None:
    write("theirs.jsonnet", THEIRS.replace("sst_tokens", "quora_paraphrase").replace("'adam'", "'sgd'"))
    code, out, err = attex_("show", "theirs.jsonnet", "--ext", "HIDDEN=8")
    assert (code, out) == (2, "")
    data, optimizer = err.splitlines()
    assert data.startswith('attex: theirs.jsonnet: dataset_reader.type = "quora_paraphrase": ')
    assert optimizer.startswith('theirs.jsonnet: trainer.optimizer = "sgd": ')
    assert "give it with --ext HIDDEN=VALUE" in attex_("show", "theirs.jsonnet")[2]
    assert attex_("show", "theirs.jsonnet", "--ext", "HIDDEN") == (
        2,
        "",
        "attex: --ext HIDDEN: expected NAME=VALUE, as in BATCH=32\n",
    )
