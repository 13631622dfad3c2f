"""A training epoch the published way, written from its description: ragged packing, three optimisers.

Texts are Python lists, padded anew for every batch; the LSTM runs on packed sequences; encoder,
attention and decoder have an unfused Adam each (Jain & Wallace 2019, released code).
"""

from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attex.data.batch import training_batches
from attex.data.corpus import END, START, UNKNOWN, Corpus


class PublishedModel(nn.Module):
    """BiLSTM with tanh attention and one logit."""

    def __init__(self, vocabulary: int, width: int = 300, hidden: int = 128) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
        self.lstm = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        self.attention = nn.Sequential(
            nn.Linear(2 * hidden, hidden), nn.Tanh(), nn.Linear(hidden, 1, bias=False)
        )
        self.output = nn.Linear(2 * hidden, 1)

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Return the logits [B]."""
        packed = pack_padded_sequence(
            self.embedding(tokens), lengths, batch_first=True, enforce_sorted=False
        )
        hidden, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        position = torch.arange(tokens.shape[1])
        counted = (position > 0) & (position < lengths[:, None] - 1)
        energies = self.attention(hidden).squeeze(-1).masked_fill(~counted, -torch.inf)
        context = (energies.softmax(-1).unsqueeze(-1) * hidden).sum(1)
        logits: Tensor = self.output(context).squeeze(-1)
        return logits


class PublishedTraining:
    """Everything one epoch needs."""

    def __init__(self, corpus: Corpus) -> None:
        torch.manual_seed(0)
        train = corpus.splits["train"]
        words = train.words.long()
        known = words.where(words < corpus.vocabulary_size, UNKNOWN).tolist()
        starts = train.starts.tolist()
        self.texts = [[START, *known[a:b], END] for a, b in pairwise(starts)]
        self.lengths = train.lengths.numpy() + 2
        self.labels = train.labels.tolist()
        self.model = PublishedModel(corpus.vocabulary_size)
        encoder = [*self.model.embedding.parameters(), *self.model.lstm.parameters()]
        self.optimizers = [
            torch.optim.Adam(encoder, amsgrad=True, weight_decay=1e-5),
            torch.optim.Adam(self.model.attention.parameters(), amsgrad=True),
            torch.optim.Adam(self.model.output.parameters(), amsgrad=True, weight_decay=1e-5),
        ]

    def epoch(self) -> float:
        """Train on every text once."""
        total = 0.0
        for chosen in training_batches(self.lengths, 32, 10**9, seed=1):
            texts = [self.texts[i] for i in chosen]
            width = max(map(len, texts))
            tokens = torch.tensor([text + [0] * (width - len(text)) for text in texts])
            lengths = torch.tensor([len(text) for text in texts])
            labels = torch.tensor([float(self.labels[i]) for i in chosen])
            for optimizer in self.optimizers:
                optimizer.zero_grad()
            loss = F.binary_cross_entropy_with_logits(
                self.model(tokens, lengths), labels, reduction="sum"
            )
            loss.backward()
            for optimizer in self.optimizers:
                optimizer.step()
            total += loss.item()
        return total
