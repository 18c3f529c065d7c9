"""python -m benchmarks.embedding_ladder: how fast abstracts can be embedded, and what each way loses.

Each way embeds the same abstracts, sorted by length. Neighbours: the share of the ten nearest abstracts that
each keeps, among all of its field, compared with float32. Questions: the mean reciprocal rank of the
abstract that answers a question of PubMedQA, among all of them. Similar: the mean average precision at 20 of
`rank similar` among all fields, where papers that share an author are the right ones. ONNX Runtime and
OpenVINO come with `make peers`.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import zstandard

from benchmarks.data import PAPERS, ROOT, VECTORS, need_data, researchers_questions
from data.sources.files import PaperFile
from index.evaluate.corpus import temporary_library
from index.search.embedding import BATCH, Embedder, paper_text
from index.search.embedding_model import DEFAULT_MODEL, locate
from index.search.int8_fit import sample
from index.search.other_model import OtherModel
from index.search.precision import has_bfloat16
from index.search.search import Search

if TYPE_CHECKING:
    import torch

    from index.search.bert import Bert, Layer

FIELDS, NEAR, ASKED = 4, 128, 32
"""How many fields, how many abstracts of each, and of how many of them neighbours are compared."""
QUESTIONS = 150
NEAREST, DEEP = 10, 20
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
Encode = Callable[[list[str]], np.ndarray]
Run = Callable[[dict[str, np.ndarray]], np.ndarray]


def fields(folder: Path) -> tuple[Path, list[str]]:
    """A file of some fields' papers, each the nearest to one paper, nearest first; and their abstracts."""
    rows = np.load(VECTORS, mmap_mode="r")
    centres = np.random.default_rng(1).choice(len(rows), FIELDS, replace=False)
    chosen = [np.argsort(-(rows @ rows[centre]).astype(np.float32))[:NEAR] for centre in centres]
    wanted = [int(row) for part in chosen for row in part]
    held = set(wanted)
    with zstandard.open(PAPERS, "rt") as lines:
        kept = {number: line for number, line in enumerate(lines) if number in held}
    path = folder / "papers.jsonl"
    path.write_text("".join(kept[row] for row in dict.fromkeys(wanted)))
    texts = {line: paper_text(record.title, record.abstract) for line, record in PaperFile(path)}
    places = {row: place for place, row in enumerate(dict.fromkeys(wanted))}
    return path, [texts[places[row]] for row in wanted]


def questions() -> tuple[list[str], list[str]]:
    """Questions, and the abstract that answers each."""
    items = researchers_questions(QUESTIONS)
    return [item["question"] for item in items], [
        " ".join(section["text"] for section in item["sections"]) for item in items
    ]


def kept(rows: np.ndarray, right: np.ndarray) -> float:
    """The share of the ten nearest in each field that stay the same."""
    same = 0
    for start in range(0, len(rows), NEAR):
        near = [nearest(part[start : start + NEAR]) for part in (rows, right)]
        same += sum(len(set(one) & set(other)) for one, other in zip(*near, strict=True))
    return same / (FIELDS * ASKED * NEAREST)


def nearest(rows: np.ndarray) -> list[list[int]]:
    """The ten nearest of the first rows, without themselves."""
    close = rows[:ASKED] @ rows.T
    np.fill_diagonal(close, -2)
    return np.argsort(-close, axis=1)[:, :NEAREST].tolist()


def reciprocal_rank(asked: np.ndarray, texts: np.ndarray) -> float:
    """Of each question's own abstract among all."""
    close = asked @ texts.T
    ranks = 1 + (close > np.diag(close)[:, None]).sum(axis=1)
    return float((1 / ranks).mean())


class Ready(Embedder):
    """Gives the vectors that a way has made of some texts."""

    def __init__(self, made: dict[str, np.ndarray]) -> None:
        super().__init__()
        self._made = made

    def load(self) -> None:
        """Nothing is needed."""

    def encode(self, texts: Sequence[str], _progress: object = None, *, quickly: bool = False) -> np.ndarray:
        """Their vectors."""
        return np.stack([self._made[text] for text in texts])


async def average_precision(papers: Path, made: dict[str, np.ndarray]) -> float:
    """The mean of `rank similar` with such vectors over papers that share an author with another one."""
    found: list[float] = []
    async with temporary_library(papers, Ready(made), own_ids=True) as corpus:
        search = Search(corpus)
        held = await corpus.store.papers(list((await corpus.store.ids_of("file")).values()))
        authors = {paper.id: {author.key for author in paper.authors} for paper in held}
        for paper in held:
            right = {
                other for other, keys in authors.items() if other != paper.id and keys & authors[paper.id]
            }
            if not right:
                continue
            hits = [hit.paper_id in right for hit in (await search.similar(paper, DEEP)).hits]
            precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
            found.append(float(precision[np.array(hits, bool)].sum()) / min(len(right), DEEP))
    return float(np.mean(found))


def packed(model: Bert) -> Encode:
    """Labmate's batches without padding: one row of word pieces, and attention text by text."""
    import torch  # lazy: torch takes seconds to load, and the data may be missing
    from torch.nn import functional  # lazy: as above

    @torch.inference_mode()
    def one(batch: list[str]) -> np.ndarray:
        ids, mask = model.read(batch)
        lengths = mask.sum(dim=1).tolist()
        places = torch.cat([torch.arange(length) for length in lengths])
        part = model._embeddings
        whole = functional.embedding(ids[mask.bool()], part.words) + part.places[places]
        hidden = functional.layer_norm(whole, (whole.shape[-1],), part.scale, part.shift, model._epsilon)
        for layer in model._layers:
            hidden = through(layer, hidden, lengths)
        rows = torch.stack([text.mean(dim=0) for text in hidden.split(lengths)])
        return functional.normalize(rows, dim=1).numpy()

    def through(layer: Layer, hidden: torch.Tensor, lengths: list[int]) -> torch.Tensor:
        size = hidden.shape[-1]
        asked = functional.linear(hidden, layer.asked, layer.asked_bias)
        mixed = []
        for text in asked.split(lengths):
            query, key, value = text.view(1, -1, 3, model._heads, size // model._heads).permute(2, 0, 3, 1, 4)
            told = functional.scaled_dot_product_attention(query, key, value)
            mixed.append(told.transpose(1, 2).reshape(-1, size))
        told = functional.linear(torch.cat(mixed), layer.told, layer.told_bias)
        hidden = functional.layer_norm(
            told + hidden, (size,), layer.told_scale, layer.told_shift, model._epsilon
        )
        wide = functional.gelu(functional.linear(hidden, layer.wide, layer.wide_bias))
        narrow = functional.linear(wide, layer.narrow, layer.narrow_bias)
        return functional.layer_norm(narrow + hidden, (size,), layer.scale, layer.shift, model._epsilon)

    def encode(texts: list[str]) -> np.ndarray:
        parts = sorted_batches(texts)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return in_place(parts, list(pool.map(one, [[texts[i] for i in part] for part in parts])))

    return encode


def sorted_batches(texts: list[str]) -> list[list[int]]:
    """The places of texts, shortest first, in batches of Labmate's size."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    return [order[start : start + BATCH] for start in range(0, len(order), BATCH)]


def in_place(parts: list[list[int]], found: list[np.ndarray]) -> np.ndarray:
    """The rows of batches in the order of the texts."""
    rows = np.empty((sum(map(len, parts)), found[0].shape[1]), np.float32)
    for part, unit in zip(parts, found, strict=True):
        rows[part] = unit
    return rows


def batched(run: Run, model: OtherModel) -> Encode:
    """Embed with another engine, in sorted batches, one stream a core."""

    def encode(texts: list[str]) -> np.ndarray:
        parts = sorted_batches(texts)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            ready = [model.read([texts[i] for i in part]) for part in parts]
            inputs = [{name: made[name].numpy() for name in INPUTS} for made in ready]
            return in_place(parts, list(pool.map(run, inputs)))

    return encode


def torch_ways(texts: list[str]) -> Iterator[tuple[str, Encode]]:
    """Labmate's own way in each precision and with fewer tokens, and sentence-transformers, also compiled."""
    import torch  # lazy: torch takes seconds to load, and the data may be missing

    embedder = Embedder()
    embedder.load()
    assert embedder._model is not None
    embedder._model.to(torch.float32)
    yield "Labmate, float32", embedder.encode
    yield "the same, packed", packed(embedder._model)
    if embedder.fit_int8(sample(texts)):  # as for a large backlog
        yield "Labmate, 8 bits", lambda texts: embedder.encode(texts, quickly=True)
    if has_bfloat16():  # where it is emulated, it takes many times as long
        embedder._model.to(torch.bfloat16)
        yield "Labmate, bfloat16", embedder.encode
    for tokens in (192, 160, 128):
        shorter = Embedder(most_tokens=tokens)
        shorter.load()
        assert shorter._model is not None
        shorter._model.to(torch.float32)
        yield f"Labmate, float32, first {tokens} tokens", shorter.encode
    model = OtherModel(locate(DEFAULT_MODEL), "cpu")
    embedder._model = model
    yield "sentence-transformers, float32", embedder.encode
    inner = model.model[0]
    inner.model = torch.compile(inner.model, dynamic=True)
    yield "the same with torch.compile", embedder.encode
    if not torch._dynamo.utils.counters["stats"]["unique_graphs"]:
        raise RuntimeError("nothing was compiled: sentence-transformers keeps its model elsewhere now")


def engine_ways(folder: Path) -> Iterator[tuple[str, Encode]]:
    """ONNX Runtime and OpenVINO with the same model, also with 8-bit weights and products."""
    import onnxruntime  # lazy: of `make peers`
    import openvino  # lazy: as above
    from onnxruntime.quantization import QuantType, quantize_dynamic  # lazy: as above

    model = OtherModel(locate(DEFAULT_MODEL), "cpu")
    whole, small = folder / "whole.onnx", folder / "small.onnx"
    export(model, whole)
    quantize_dynamic(whole, small, weight_type=QuantType.QInt8)
    core = openvino.Core()
    for path, kind in ((whole, "float32"), (small, "int8")):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(path), options)
        yield f"ONNX Runtime, {kind}", batched(lambda given, s=session: s.run(None, given)[0], model)
        compiled = core.compile_model(str(path), "CPU", {"PERFORMANCE_HINT": "THROUGHPUT"})
        requests = [compiled.create_infer_request() for _ in range(os.cpu_count() or 1)]

        def run(given: dict[str, np.ndarray], free: list[object] = requests) -> np.ndarray:
            request = free.pop()
            found = np.array(request.infer(given)[0])  # type: ignore[attr-defined]
            free.append(request)
            return found

        yield f"OpenVINO, {kind}", batched(run, model)


def export(model: OtherModel, path: Path) -> None:
    """Write the model, its pooling and the unit length as ONNX."""
    import torch  # lazy: torch takes seconds to load

    model.to(torch.float32)

    class Whole(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, *given: torch.Tensor) -> torch.Tensor:
            hidden = self.inner(**dict(zip(INPUTS, given, strict=True))).last_hidden_state
            weights = given[1].unsqueeze(-1).float()
            return torch.nn.functional.normalize((hidden * weights).sum(1) / weights.sum(1), dim=1)

    inner = model.model[0].model
    given = model.read(["a short text", "a text that is rather longer than the other"])
    with torch.no_grad():
        torch.onnx.export(
            Whole().eval(),
            tuple(given[name] for name in INPUTS),
            str(path),
            input_names=list(INPUTS),
            output_names=["rows"],
            dynamic_axes={name: {0: "texts", 1: "tokens"} for name in INPUTS},
            dynamo=False,
            opset_version=17,
        )


def climb(
    ways: Iterator[tuple[str, Encode]], papers: Path, texts: list[str], right: np.ndarray | None
) -> np.ndarray:
    """Print a line for each way; returns the first one's rows."""
    asked, answers = questions()
    for name, encode in ways:
        encode(texts[:64])
        begun, worked = time.perf_counter(), time.process_time()
        rows = encode(texts)
        seconds, worked = time.perf_counter() - begun, time.process_time() - worked
        right = rows if right is None else right
        found = reciprocal_rank(encode(asked), encode(answers))
        similar = asyncio.run(average_precision(papers, dict(zip(texts, rows, strict=True))))
        print(
            f"{name:34} {len(texts) / seconds:6.1f} abstracts/s  {1e3 * worked / len(texts):6.1f} ms of CPU  "
            f"neighbours kept {kept(rows, right):.3f}  questions {found:.3f}  similar {similar:.3f}",
            flush=True,
        )
    assert right is not None
    return right


def main() -> None:
    """Print the ladder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    need_data()
    with tempfile.TemporaryDirectory() as name:
        papers, texts = fields(Path(name))
        print(f"{len(texts):,} abstracts of {FIELDS} fields, {QUESTIONS} questions", flush=True)
        right = climb(torch_ways(texts), papers, texts, None)
        for folder in (ROOT / ".peers" / "lib").glob("python*/site-packages"):
            sys.path.append(str(folder))
        if importlib.util.find_spec("onnxruntime") is None:
            print("ONNX Runtime and OpenVINO are not installed: make peers")
            return
        climb(engine_ways(Path(name)), papers, texts, right)


if __name__ == "__main__":
    main()
