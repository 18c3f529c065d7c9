"""Places for labels beside their marks: no label covers a mark, another label, or leaves the picture.

Libraries that push labels apart stop after some rounds and leave what overlaps. Here a label is set only
where its place is free, the nearest such place first, and left out where the picture has none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

GAP = 5.0
"""Pixels between a mark and its label, and around each label."""
FAR = 22.0
"""Pixels of distance from which a label needs a line to its mark."""
_RINGS = (0.0, 8.0, 18.0, 30.0, 45.0, 65.0, 90.0, 120.0, 160.0)
_TURNS = np.linspace(0, 2 * np.pi, 24, endpoint=False)
_GRID = 60
_CROSSED = 0.22
"""How much a pixel of a line below a label counts beside a pixel of distance."""
_COVERED = 9.0
"""How much a dot that has to make room counts beside a pixel of distance."""
_PADDING = np.array([-2.0, -2.0, 2.0, 2.0])
_STEPS = 24
Box = tuple[float, float, float, float]
"""Left, lower, right and upper edge."""


def boxes_around(places: np.ndarray, halves: np.ndarray | float) -> np.ndarray:
    """Boxes, shape (n, 4), around places, shape (n, 2), of half a width and height."""
    halves = np.broadcast_to(np.asarray(halves, float), places.shape)
    return np.hstack([places - halves, places + halves])


def overlaps(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether boxes, shape (n, 4), overlap each of others, shape (m, 4): booleans, shape (n, m)."""
    a, b = box[:, None], others[None]
    wide = (a[..., 0] < b[..., 2]) & (b[..., 0] < a[..., 2])
    return np.asarray(wide & (a[..., 1] < b[..., 3]) & (b[..., 1] < a[..., 3]))


class LabelPlaces:
    """The places in a picture, and which of them are taken.

    Parameters
    ----------
    taken
        Boxes that no label may touch, shape (n, 4).
    lines
        Lines that labels should rather not cover, shape (m, 4): from x, y to x, y.
    """

    def __init__(self, frame: Box, taken: np.ndarray, lines: np.ndarray | None = None) -> None:
        self._frame = frame
        self._taken = np.asarray(taken, float).reshape(-1, 4)
        on = np.linspace(0.0, 1.0, _STEPS)
        ends = np.zeros((0, 4)) if lines is None else np.asarray(lines, float).reshape(-1, 4)
        self._on = (ends[:, None, :2] * (1 - on[:, None]) + ends[:, None, 2:] * on[:, None]).reshape(-1, 2)
        lengths = np.linalg.norm(ends[:, 2:] - ends[:, :2], axis=1) / _STEPS
        self._length = np.repeat(lengths, _STEPS)

    def take(self, box: Box) -> None:
        """Take a place: nothing else may be put there."""
        self._taken = np.vstack([self._taken, box])

    def is_free(self, box: Box) -> bool:
        """Whether a place is still free."""
        return not overlaps(np.array([box]), self._taken).any()

    def place(self, anchor: Sequence[float], size: Sequence[float], half: Sequence[float]) -> Box | None:
        """The box of a label beside a mark that reaches ``half`` to each side; None without room for it."""
        middle, wide, mark = (np.asarray(each, float) for each in (anchor, size, half))
        box = self._best(middle, wide, self._near(middle, wide, mark))
        if box is None:
            box = self._best(middle, wide, self._everywhere(wide))
        if box is not None:
            self.take(box)
        return box

    def place_over(
        self, middle: np.ndarray, size: Sequence[float], dots: np.ndarray, reach: float
    ) -> Box | None:
        """The box of a label near a middle, where the fewest dots of this reach have to make room for it."""
        wide = np.asarray(size, float)
        centres = np.vstack([self._near(middle, wide, np.zeros(2)), self._everywhere(wide)])
        centres, boxes = self._free(centres, wide)
        if not len(boxes):
            return None
        far = np.abs(dots[None] - centres[:, None]) - wide / 2 - reach
        covered = (far < 0).all(axis=2).sum(axis=1)
        cost = np.linalg.norm(centres - middle, axis=1) + _COVERED * covered
        box = _tuple(boxes[int(np.argmin(cost))])
        self.take(box)
        return box

    def _near(self, middle: np.ndarray, size: np.ndarray, mark: np.ndarray) -> np.ndarray:
        directions = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)
        # On the edge of a box around the mark: the label touches it, whatever the direction.
        square = directions / np.abs(directions).max(axis=1, keepdims=True)
        reach = mark + GAP + size / 2
        return np.vstack([middle + square * reach + directions * ring for ring in _RINGS])

    def _everywhere(self, size: np.ndarray) -> np.ndarray:
        left, lower, right, upper = self._frame
        x = np.linspace(left + size[0] / 2, right - size[0] / 2, _GRID)
        y = np.linspace(lower + size[1] / 2, upper - size[1] / 2, _GRID)
        return np.stack([each.ravel() for each in np.meshgrid(x, y)], axis=1)

    def _free(self, centres: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Those centres around which a box of this size is free and inside the frame, and the boxes."""
        boxes = boxes_around(centres, size / 2)
        left, lower, right, upper = self._frame
        inside = (boxes[:, 0] >= left) & (boxes[:, 1] >= lower)
        inside &= (boxes[:, 2] <= right) & (boxes[:, 3] <= upper)
        inside &= ~overlaps(boxes + _PADDING, self._taken).any(axis=1)
        return centres[inside], boxes[inside]

    def _best(self, middle: np.ndarray, size: np.ndarray, centres: np.ndarray) -> Box | None:
        centres, boxes = self._free(centres, size)
        if not len(boxes):
            return None
        x, y = self._on[:, 0], self._on[:, 1]
        below = (x > boxes[:, :1]) & (x < boxes[:, 2:3]) & (y > boxes[:, 1:2]) & (y < boxes[:, 3:])
        crossed = (below * self._length).sum(axis=1)
        # The gap between label and mark counts, not how long the label is.
        gap = np.maximum(np.abs(centres - middle) - size / 2, 0)
        cost = np.linalg.norm(gap, axis=1) + _CROSSED * crossed + 0.02 * np.abs(centres - middle)[:, 0]
        return _tuple(boxes[int(np.argmin(cost))])


def _tuple(box: np.ndarray) -> Box:
    left, lower, right, upper = box.tolist()
    return left, lower, right, upper


def leader(anchor: Sequence[float], box: Box) -> tuple[float, float] | None:
    """Where on a label's edge the line to its mark ends; None where the label is near enough."""
    x = min(max(anchor[0], box[0]), box[2])
    y = min(max(anchor[1], box[1]), box[3])
    return (x, y) if np.hypot(x - anchor[0], y - anchor[1]) > FAR else None


def apart(places: np.ndarray, least: float, frame: Box, fixed: int = 0, rounds: int = 300) -> np.ndarray:
    """Places moved at least this far from each other, inside a frame; the first ``fixed`` stay."""
    moved = np.array(places, float)
    count = len(moved)
    turns = np.arange(count) * 2.4  # those on one spot leave it in different directions
    moved += 1e-3 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    left, lower, right, upper = frame
    for _ in range(rounds):
        away = moved[:, None] - moved[None]
        distance = np.linalg.norm(away, axis=2) + np.eye(count)
        push = np.clip(least - distance, 0, None) * (1 - np.eye(count))
        if not push.any():
            break
        step = 0.5 * (away / np.maximum(distance, 1e-9)[..., None] * push[..., None]).sum(axis=1)
        step[:fixed] = 0
        moved = np.clip(moved + step, (left, lower), (right, upper))
    return moved
