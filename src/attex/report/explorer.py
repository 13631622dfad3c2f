"""What the explorer of a page shows: every analysed text of every seed, packed small.

**One text** is a JSON object. The page makes one when a text is opened, and whoever answers with a text that was
typed in (`attex serve`) sends one; `one_text` builds it. All that is drawn and computed of a text is made of it:

    {
      "name": "test 12",            what the text is called
      "id": "-4821…",               the hash of the name that draws depend on, as digits (JavaScript rounds long numbers)
      "tokens": ["a", "film"],      words as written, T of them, without markers
      "known": [true, false],       false where the model sees <unk>
      "truth": [true, false],       whether a token is known to decide; null where that is not known
      "query": ["who", "?"],        the words of a second text; null without one
      "label": 1,                   the number of its class; null for a text that has none
      "seeds": {"0": SEED, …}       by the number of the seed; one at least
    }

    SEED = {
      "logits": [0.7],              O numbers: one is a sigmoid (of class 1), several are a softmax; null is −∞
      "scores": {"attention": [0.1, null]},     T numbers for every measure, by its title; null where undefined
      "attention": [0.1, 0.9],      the model's weights, T numbers; null where they are not at hand
      "values": [[0.3], [0.8]],     k numbers for every token; null where they are not at hand
      "head": HEAD,                 null where the output cannot be computed in the page
      "influence": [[1, 0], …]      T rows, one for each hidden state: the share of each token; null if not at hand
    }

    HEAD turns Σ_t α_t values_t = c into logits:
      {"kind": "linear", "bias": [b]}                              c + b
      {"kind": "tanh_linear", "weight": [[…], …], "bias": [b]}     W tanh(c) + b, W of O rows of k numbers
      {"kind": "pair_linear", "weight": [[…], …], "bias": [b]}     W [x; y; |x − y|; x ∘ y] + b, with c = [x; y]
    and in each "allowed": [true, …] of O, or null: other outputs have the logit −∞.

**All texts** of a run are packed: arrays as {"type", "shape", "data"}, where data is base64 of gzip of the bytes, all
lowest bytes first, then all second ones and so on, which packs better; type is u1, u2, u4, i8, f4 or json. A missing
array is absent. N texts, n tokens, M measures, P pairs of measures, V different words:

    in the page   {"classes", "seeds", "measures", "pairs" [[i, j], …], "reach_epsilon", "texts": TEXTS, "first": SCORED}
    TEXTS         names (json), words (json, V of them), unknown [V], tokens [n], lengths [N], labels [N], ids [N], truth
                  [n], query_tokens, query_lengths
    SCORED        logits [N,O]; scores [M,n] from 0 to 254 between lows [M,N] and highs [M,N], 255 where undefined;
                  disagreement [P,N] (Kendall's τ), entropy [N] of the attention (a share of the largest), reach [N] (the
                  exact adversary's JSD at reach_epsilon)
    explorer/seed-N.js    calls attexExplorer.take(N, {"scored": SCORED (not of the first seed), "attention" [n],
                  "values" [n′,k] of the texts `valued` (all, where that is absent), "head", "allowed" [N,O],
                  "influence" (u1, 255 is the text's highest share, 0 undefined) of the texts `influenced`,
                  "influence_highs"})
"""
