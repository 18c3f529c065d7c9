"""python -m benchmarks.embedding_ladder: how fast abstracts can be embedded, and what each way loses.

Each way embeds the same abstracts, sorted by length. Neighbours: the share of the ten nearest abstracts that
each keeps, among all of its field, compared with float32. Questions: the mean reciprocal rank of the
abstract that answers a question of PubMedQA, among all of them. ONNX Runtime and OpenVINO come with
`make peers`.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import orjson
import zstandard

from benchmarks.data import PAPERS, ROOT, SHARED, VECTORS, need_data
from data.sources.files import PaperFile
from index.search.embedding import BATCH, DEFAULT_MODEL, Embedder, locate, paper_text
from index.search.other_model import OtherModel
from index.search.precision import has_bfloat16

FIELDS, NEAR, ASKED = 4, 128, 32
"""How many fields, how many abstracts of each, and of how many of them neighbours are compared."""
QUESTIONS = 150
NEAREST = 10
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
Encode = Callable[[list[str]], np.ndarray]
Run = Callable[[dict[str, np.ndarray]], np.ndarray]


def fields() -> list[str]:
    """The abstracts of some fields, each the nearest to one paper, nearest first."""
    rows = np.load(VECTORS, mmap_mode="r")
    centres = np.random.default_rng(1).choice(len(rows), FIELDS, replace=False)
    chosen = [np.argsort(-(rows @ rows[centre]).astype(np.float32))[:NEAR] for centre in centres]
    wanted = {int(row) for part in chosen for row in part}
    texts = {
        line: paper_text(record.title, record.abstract)
        for line, record in PaperFile(PAPERS)
        if line in wanted
    }
    return [texts[int(row)] for part in chosen for row in part]


def questions() -> tuple[list[str], list[str]]:
    """Questions, and the abstract that answers each."""
    path = SHARED / "data" / "pubmedqa.jsonl.zst"
    lines = zstandard.ZstdDecompressor().stream_reader(path.open("rb")).read().splitlines()[:QUESTIONS]
    items = [orjson.loads(line) for line in lines]
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


def batched(run: Run, model: OtherModel) -> Encode:
    """Embed with another engine, in sorted batches, one stream a core."""

    def encode(texts: list[str]) -> np.ndarray:
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        parts = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            ready = [model.read([texts[i] for i in part]) for part in parts]
            inputs = [{name: made[name].numpy() for name in INPUTS} for made in ready]
            found = list(pool.map(run, inputs))
        rows = np.empty((len(texts), found[0].shape[1]), np.float32)
        for part, unit in zip(parts, found, strict=True):
            rows[part] = unit
        return rows

    return encode


def torch_ways() -> Iterator[tuple[str, Encode]]:
    """Labmate's own way in each precision and with fewer tokens, and sentence-transformers, also compiled."""
    import torch  # lazy: torch takes seconds to load, and the data may be missing

    embedder = Embedder()
    embedder.load()
    assert embedder._model is not None
    embedder._model.to(torch.float32)
    yield "Labmate, float32", embedder.encode
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


def climb(ways: Iterator[tuple[str, Encode]], texts: list[str], right: np.ndarray | None) -> np.ndarray:
    """Print a line for each way; returns the first one's rows."""
    asked, answers = questions()
    for name, encode in ways:
        encode(texts[:64])
        begun, worked = time.perf_counter(), time.process_time()
        rows = encode(texts)
        seconds, worked = time.perf_counter() - begun, time.process_time() - worked
        right = rows if right is None else right
        found = reciprocal_rank(encode(asked), encode(answers))
        print(
            f"{name:34} {len(texts) / seconds:6.1f} abstracts/s  {1e3 * worked / len(texts):6.1f} ms of CPU  "
            f"neighbours kept {kept(rows, right):.3f}  questions {found:.3f}",
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
    texts = fields()
    print(f"{len(texts):,} abstracts of {FIELDS} fields, {QUESTIONS} questions", flush=True)
    right = climb(torch_ways(), texts, None)
    for folder in (ROOT / ".peers" / "lib").glob("python*/site-packages"):
        sys.path.append(str(folder))
    if importlib.util.find_spec("onnxruntime") is None:
        print("ONNX Runtime and OpenVINO are not installed: make peers")
        return
    with tempfile.TemporaryDirectory() as name:
        climb(engine_ways(Path(name)), texts, right)


if __name__ == "__main__":
    main()
