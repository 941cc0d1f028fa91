"""Models of a few kilobytes with random weights, written to a folder by the Python of the vLLM environment.

    tiny_models.py chat FOLDER      a chat model (Qwen2, 2 layers) with a byte-level tokenizer
    tiny_models.py names FOLDER     a token classifier (BERT, 2 layers) with a WordPiece tokenizer; then reads
                                    a JSON list of texts on stdin and prints as JSON the names that the
                                    product's recogniser finds, and why it refuses a model that is none

They prove formats and plumbing; what they say is noise.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def chat(folder: Path) -> None:
    """Config, tokenizer, chat template and generation config; vLLM makes the weights up."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast
    from transformers.models.qwen2 import Qwen2Config

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(["the events of the passage", '{"events": [{"quote": ""}]}'] * 50, trainer)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    wrapped.chat_template = (
        "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    wrapped.save_pretrained(folder)
    config = Qwen2Config(
        vocab_size=512,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=32_768,
        tie_word_embeddings=True,
        eos_token_id=wrapped.eos_token_id,
        pad_token_id=wrapped.pad_token_id,
        bos_token_id=None,
    )
    config.architectures = ["Qwen2ForCausalLM"]
    config.save_pretrained(folder)
    ends = {"eos_token_id": wrapped.eos_token_id, "pad_token_id": wrapped.pad_token_id}
    (folder / "generation_config.json").write_text(json.dumps(ends))


def names(folder: Path) -> None:
    """A token classifier with the labels of dslim/bert-base-NER, seeded."""
    import torch
    from transformers import BertConfig, BertForTokenClassification, BertTokenizerFast

    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,",
    ]
    words += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(words) + "\n")
    tokenizer = BertTokenizerFast(str(vocabulary), do_lower_case=False, model_max_length=64)
    tokenizer.save_pretrained(folder)
    labels = ["O", "B-MISC", "I-MISC", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC"]
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=64,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )
    model = BertForTokenClassification(config)
    with torch.no_grad():
        model.classifier.weight.mul_(20)  # so that not every token gets the same label
    model.save_pretrained(folder)
    recognise(folder)


def recognise(folder: Path) -> None:
    """Print the names of the texts on stdin, and the reason of a refusal."""
    from tidegraph.domain.errors import Rejected
    from tidegraph.models.token_classifier import TokenClassifier

    found = TokenClassifier(str(folder)).recognise(json.load(sys.stdin))
    refused = ""
    try:
        TokenClassifier(str(folder / "nothing"))
    except Rejected as error:
        refused = error.reason
    names = [[[each.start, each.end, each.type.name] for each in text] for text in found]
    print(json.dumps({"names": names, "refused": refused}))


if __name__ == "__main__":
    {"chat": chat, "names": names}[sys.argv[1]](Path(sys.argv[2]))
