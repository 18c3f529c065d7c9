"""The name of a paper's system, method or data set, which people use for the paper."""

from __future__ import annotations

import re

MOST = 24
"""Characters of a name."""
_HEAD_END = re.compile(r":\s|\s[-–—]\s|—")
_KINDS = re.compile(
    r"(?i)^(?:position(?: paper)?|a?\s*(?:short |brief |systematic |comprehensive )?"
    r"(?:survey|review|overview|tutorial|perspective|primer)|extended abstract|technical report|"
    r"tech(?:nical)? note|case study|demo|erratum|corrigendum|opinion|commentary|viewpoint|editorial|preface|"
    r"invited talk|keynote|report|note)$"
)
"""Words before a colon that name a kind of paper."""
_NAME = r"[A-Za-z][\w.+@/-]*[\w+@]"
_COINED = re.compile(r"[a-z0-9].*[A-Z]|[A-Z].*[A-Z]")
"""Capitals inside a word: a coined name or an acronym."""
_COMPOUND = re.compile(r"[A-Z][a-z]+(?:-[A-Z][a-z]+)+|[A-Z]+s?-[a-z]+(?:-[a-z]+)*")
"""Ordinary words with a hyphen: Chain-Based, AI-generated."""
_FIELD = frozenset(
    """
    AGI AI API APIs AR ASR BERT ChatGPT CLIP CNN CNNs CoNLL CoT COVID-19 CPU CPUs CTR DeepSeek DNN DNNs
    DPO EEG EU GAN GANs GenAI GitHub GNN GNNs GPT GPT-2 GPT-3 GPT-4 GPU GPUs GRPO HPC HRL HTML ICL
    ImageNet IoT IR IT JSON KG KGs KV LaTeX LLaMA LLaVA LLM LLMs LM LMs LoRA LSTM LVLM LVLMs MAS MCP
    MCTS MDP ML MLaaS MLLM MLLMs MLP MoE MRI MT NER NLG NLI NLP NMT OCR OOD OpenAI PEFT PPO PRM PyTorch
    QA RAG RL RLHF RLVR RNN RNNs SFT SGD SLM SLMs SMT SNN SOTA SQL SVM TTS UAV UK URL US VAE ViT VLA
    vLLM VLM VLMs VQA Wikipedia WordNet XAI XML YouTube
    """.casefold().split()
)
"""Acronyms and names that belong to a field or to everybody, not to one paper."""
_VERB = r"(?i:present|introduc|propos|develop|design|build|releas|describ|contribut|implement|creat)\w*"
_AFTER = r"(?=\s*[,(:]|\s+(?:is|which|that|to|for|as|a|an|the|with|using|by|leverag\w+)\b|\.\s|\.$)"
_SAID = re.compile(
    rf"(?i:\b(?:we|paper|work|article|authors?)\b)[^.]{{0,40}}?\b{_VERB}\s+(?:[\w,-]+\s+){{0,8}}?"
    rf"(?P<name>{_NAME}){_AFTER}"
)
_CALLED = re.compile(
    rf"(?:\b(?i:called|named|dubbed|termed|foundation for)\s+|\b{_VERB}\s+)(?P<name>[A-Z]\w+)(?=,|\s\(|\.\s)"
)
"""A word with a capital that the abstract names outright: "a system called Genie"."""


def system_name(title: str, abstract: str) -> str | None:
    """The name that a paper coins, at most 24 characters; None where it coins none.

    It is the head of the title before a colon or dash; else a coined word that the title has and the abstract
    says again; else the coined word that the abstract introduces ("We present TrainMover, a runtime …").
    """
    head, _, rest = _HEAD_END.sub("\0", title.strip(), count=1).partition("\0")
    head = head.strip(" \"'“”")
    if rest and _is_head(head):
        return head
    coined: list[str] = [match["name"] for match in _SAID.finditer(abstract) if _is_coined(match["name"])]
    coined += [match["name"] for match in _CALLED.finditer(abstract) if _is_word_of_its_own(match["name"])]
    in_title: list[str] = [word for word in re.findall(_NAME, title) if _is_coined(word)]
    for word in in_title:
        if word in coined or (len(re.findall(rf"\b{re.escape(word)}\b", abstract)) > 1 and _is_mixed(word)):
            return word
    return next((name for name in coined if len(re.findall(rf"\b{re.escape(name)}\b", abstract)) > 1), None)


def _is_head(head: str) -> bool:
    return 2 < len(head) <= MOST and len(head.split()) <= 3 and not _KINDS.match(head)


def _is_coined(name: str) -> bool:
    if not 2 < len(name) <= MOST or name.casefold() in _FIELD or name.rstrip("s").casefold() in _FIELD:
        return False
    return bool(_COINED.search(name)) and not _COMPOUND.fullmatch(name)


def _is_word_of_its_own(name: str) -> bool:
    return 2 < len(name) <= MOST and name.casefold() not in _FIELD


def _is_mixed(name: str) -> bool:
    """Whether it has small letters and capitals inside: a made-up word, not an acronym."""
    return bool(re.search(r"[a-z]", name)) and not name.rstrip("s").isupper()
