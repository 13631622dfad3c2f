"""Experiments in the form of AllenNLP, as the published systems have them: their keys, our words."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

READERS = {
    "sst": {"type": "sst_tokens", "granularity": "2-class"},
    "imdb": {"type": "imdb_csv", "max_review_length": 100},
}


def of_2020(dataset: str, attention: str, activation: str) -> dict[str, Any]:
    """One of Neely & Schouten's eight."""
    return {
        "dataset_reader": dict(READERS[dataset]),
        "train_data_path": "there/train",
        "validation_data_path": "there/dev",
        "test_data_path": "there/test",
        "evaluate_on_test": True,
        "model": {
            "type": "jain_wallace_attention_binary_classifier",
            "word_embeddings": {
                "token_embedders": {
                    "tokens": {
                        "type": "embedding",
                        "pretrained_file": "https://there/300.vec.zip",
                        "embedding_dim": 300,
                        "trainable": True,
                    }
                }
            },
            "encoder": {
                "type": "lstm",
                "bidirectional": True,
                "input_size": 300,
                "hidden_size": 128,
                "num_layers": 1,
            },
            "decoder": {
                "input_dim": 256,
                "num_layers": 1,
                "hidden_dims": 1,
                "activations": ["linear"],
            },
            "attention": {
                "type": f"additive_{attention}",
                "hidden_size": 256,
                "activation_function": activation,
            },
        },
        "iterator": {"type": "bucket", "sorting_keys": [["tokens", "num_tokens"]], "batch_size": 64},
        "trainer": {
            "num_epochs": 40,
            "patience": 10,
            "cuda_device": -1,
            "validation_metric": "+auc",
            "optimizer": {"type": "adam", "weight_decay": 1e-5, "amsgrad": True},
        },
    }


def of_court(dataset: str = "sst", activation: str = "entmax-alpha") -> dict[str, Any]:
    """One of court-of-xai's: the later form, with a comparison of its own."""
    file = of_2020(dataset, "tanh", activation)
    del file["iterator"]
    file["data_loader"] = {"batch_sampler": {"type": "bucket", "batch_size": 64}}
    alpha = {"alpha": 1.5} if activation == "entmax-alpha" else {}
    file["model"]["attention"] |= {
        "type": "additive_basic",
        "activation_function": {"type": activation} | alpha,
    }
    file["trainer"] |= {"patience": 5, "epoch_callbacks": [{"type": "print-parameter"}]}
    file["trainer"]["optimizer"]["parameter_groups"] = [
        [["^.*attention\\.activation\\.alpha"], {"lr": 0.005}]
    ]
    file["attention_experiment"] = {
        "feature_importance_measures": [
            {"type": "leave-one-out"},
            {"type": "lime", "num_samples": 250},
            {"type": "captum", "captum": {"type": "captum-lime", "attribute_args": {"n_samples": 9}}},
            {"type": "captum", "captum": "captum-deeplift"},
        ],
        "correlation_measures": [
            {"type": "kendall_tau"},
            {"type": "kendall_top_k_variable", "percent_top_k": [0.25, 1.0]},
            {"type": "kendall_top_k_fixed", "fixed_top_k": [5, 10]},
            {"type": "kendall_top_k_non_zero"},
            {"type": "weighted_kendall_tau", "alphas": [1.0, 2.0]},
        ],
        "dataset": "SST",
        "model": "BiLSTM",
        "compatibility_function": "Additive (tanh)",
        "activation_function": "Entmax",
        "batch_size": 64,
        "nr_instances": 500,
        "cuda_device": 0,
    }
    return file


def places(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield every value of a file with its path, the file itself first."""
    yield path, node
    if isinstance(node, dict | list):
        for name, inner in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places(inner, (*path, name))


def changed(file: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """Copy a file with one value set."""
    other = copy.deepcopy(file)
    node: Any = other
    for part in path[:-1]:
        node = node[part]
    node[path[-1]] = value
    return other


def write_as_theirs(path: Path, file: dict[str, Any]) -> Path:
    """Write a file as they do: names for numbers, comments, paths from an external variable."""
    text = json.dumps(file, indent=2)
    text = text.replace('"there/train"', 'std.join("/", [std.extVar("PWD"), "there/train"])')
    text = text.replace('"batch_size": 64', '"batch_size": batch_size')
    path.write_text(f"# theirs\nlocal batch_size = 64;\n{text}  // so far\n")
    return path
