"""Looking words up in the index: how many papers have them, titles and names that contain them."""

from __future__ import annotations

from typing import Any

from tantivy import Occur, Query

from data.keys import fold
from index.search.word_files import WordFiles, unpanicked


class WordLookup(WordFiles):
    """Counts of words, titles by their words, papers by their authors' names."""

    @unpanicked()
    def title_words(self) -> list[tuple[str, int]]:
        """Every word of titles, unstemmed, with the number of titles that have it."""
        return list(self._index.searcher().terms_with_prefix("name", "", None, None))

    @unpanicked()
    def titles_having(self, word: str) -> int:
        """How many titles have this word, folded and unstemmed."""
        return self._index.searcher().doc_freq("name", word)

    @unpanicked()
    def papers_with(self, words: str) -> int:
        """How many papers have all these words in any form, counted by the rarest of them."""
        searcher = self._index.searcher()
        counts = [
            max(searcher.doc_freq("title", stem), searcher.doc_freq("abstract", stem))
            for stem in self._stemmed.analyze(words)
        ]
        return min(counts, default=0)

    @unpanicked()
    def papers_by(self, word: str) -> int:
        """How many papers have an author with this word, folded, in the name."""
        return self._index.searcher().doc_freq("author", word)

    @unpanicked()
    def papers_with_phrase(self, phrase: str) -> int:
        """How many papers have these words side by side."""
        query = self._phrase(phrase)
        if query is None:
            return 0
        found: Any = self._index.searcher().search(query, 1, count=True)
        return int(found.count or 0)

    def _phrase(self, phrase: str) -> Query | None:
        """The words side by side, in the title or the abstract."""
        words = list(self._stemmed.analyze(phrase))[:30]
        if not words:
            return None
        options = []
        for field in ("title", "abstract"):
            if len(words) == 1:
                options.append(Query.term_query(self._schema, field, words[0]))
            else:
                options.append(Query.phrase_query(self._schema, field, list(words)))
        return Query.boolean_query([(Occur.Should, option) for option in options])

    @unpanicked()
    def titles_with(self, phrase: str, k: int) -> list[int]:
        """Papers with these words side by side in the title, short titles first."""
        words = list(self._stemmed.analyze(phrase))[:30]
        if not words:
            return []
        query = (
            Query.phrase_query(self._schema, "title", list(words))
            if len(words) > 1
            else Query.term_query(self._schema, "title", words[0])
        )
        return [paper for paper, _ in self._hits(query, k)]

    @unpanicked()
    def named(self, word: str, k: int = 10) -> tuple[int, list[int]]:
        """(the number of titles with exactly this word, unstemmed; at most k of them)."""
        token = next(iter(self._plain.analyze(word)), None)
        if token is None:
            return 0, []
        hits = self._hits(Query.term_query(self._schema, "name", token, "basic"), max(k, 10))
        # The index's own count includes replaced papers, so it is only used for common words.
        count = self._index.searcher().doc_freq("name", token) if len(hits) >= max(k, 10) else len(hits)
        return count, [paper_id for paper_id, _ in hits[:k]]

    @unpanicked()
    def completing(self, typed: str, k: int) -> list[int]:
        """Papers whose title has all words typed so far, where the last may be unfinished."""
        tokens = list(self._plain.analyze(typed))[:12]
        if not tokens:
            return []
        searcher = self._index.searcher()
        endings = searcher.terms_with_prefix("name", tokens[-1], None, 40)
        last = [(Occur.Should, Query.term_query(self._schema, "name", term, "basic")) for term, _ in endings]
        if not last:
            return []
        clauses = [
            (Occur.Must, Query.term_query(self._schema, "name", token, "basic")) for token in tokens[:-1]
        ]
        return [
            i
            for i, _ in self._hits(
                Query.boolean_query([*clauses, (Occur.Must, Query.boolean_query(last))]), k
            )
        ]

    @unpanicked()
    def nearly_named(self, word: str, k: int = 50) -> list[int]:
        """Papers whose title has a word within one or two typos of this one."""
        token = next(iter(self._plain.analyze(word)), "")
        if len(token) < 4:
            return []
        distance = 2 if len(token) >= 8 else 1
        return [i for i, _ in self._hits(Query.fuzzy_term_query(self._schema, "name", token, distance), k)]

    @unpanicked()
    def by_author(self, name: str, k: int) -> list[int]:
        """Papers with an author whose name has all these words."""
        words = list(self._plain.analyze(fold(name)))[:12]
        if not words:
            return []
        must = [(Occur.Must, Query.term_query(self._schema, "author", word)) for word in words]
        return [i for i, _ in self._hits(Query.boolean_query(must), k)]

    @unpanicked()
    def _hits(self, query: Query, k: int) -> list[tuple[int, float]]:
        searcher = self._index.searcher()
        hits = searcher.search(query, max(1, k), count=False).hits
        ids = searcher.fast_field_values("id", [address for _, address in hits])
        return [(int(i), float(score)) for i, (score, _) in zip(ids, hits, strict=True) if i is not None]
