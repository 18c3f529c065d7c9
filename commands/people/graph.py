"""`/graph`: a person or a paper among people, papers, topics and institutions, as a picture to move through."""

from __future__ import annotations

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import ACCENT, note
from commands.cards.pictures import MOST_NODES, Graph, GraphNode, graph_png
from commands.cards.text import label, plural, readable, shown
from commands.kit.components import Choosable, Pressable, seen_by
from commands.kit.limits import PICTURE
from commands.kit.options import complete_paper
from commands.kit.painter import attached
from commands.kit.progress import Need, not_yet
from commands.kit.replies import Reply, UserError, answer
from commands.kit.services import Services
from commands.kit.which_person import complete_person, whom
from commands.papers.paper import also_meant, not_found, which
from commands.people.author import ask_which
from data.records import Paper
from index.search.known_item import Meant

PAPERS, PEOPLE, TOPICS, PLACES = 12, 16, 7, 4
CHOICES = 25


class GraphButton(Pressable, template=r"g:(?P<kind>[pw]):(?P<number>\d{1,12})"):
    """Leads to the graph around a person (p) or a paper (w)."""

    def __init__(self, text: str, *, kind: str, number: str) -> None:
        self.kind, self.number = kind, int(number)
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"g:{kind}:{self.number}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        private = bool(interaction.message and interaction.message.flags.ephemeral)
        show = show_person if self.kind == "p" else show_paper
        await answer(
            interaction, show(services, self.number), private=private, cost=PICTURE, needs=(Need.PEOPLE,)
        )


class GraphSelect(Choosable, template=r"gs"):
    """Moves to a neighbour, in place."""

    def __init__(self, choices: list[discord.SelectOption]) -> None:
        super().__init__(
            ui.Select(
                custom_id="gs",
                placeholder="Move to a neighbour",
                options=choices or [discord.SelectOption(label="?", value="p0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        number = int(value[1:]) if value[1:].isdigit() and len(value) < 14 else 0
        show = show_person if value[:1] == "p" else show_paper
        await answer(interaction, show(services, number), update=True, cost=PICTURE, needs=(Need.PEOPLE,))


def _named(paper: Paper) -> str:
    """A paper's name in a picture: what stands before the colon of its title, where that is short."""
    title = readable(paper.title)
    head = title.partition(":")[0]
    return head if 2 < len(head) <= 24 else title


async def show_person(services: Services, number: int) -> ui.LayoutView | Reply:
    """The graph around a person."""
    await services.wait_for_people()
    person = await services.store.people.find(number)
    people = services.insight.people
    if person is None or people is None:
        gone = "I no longer know this person. Try again with the name."
        return note(gone if people is not None else not_yet(services))
    ids = people.papers(person.id)[:PAPERS].tolist()
    centre = GraphNode(f"p{person.id}", person.name, "person", 1.4)
    papers = await services.store.papers(ids)
    chosen = [(c.person, c.name) for c in people.coauthors(person.id, PEOPLE)]
    return await _picture(services, centre, papers, chosen, [person.id])


async def show_paper(services: Services, number: int) -> ui.LayoutView | Reply:
    """The graph around a paper: its authors, the papers closest to it, and who wrote those."""
    await services.wait_for_people()
    found = await services.store.papers([number])
    people = services.insight.people
    if not found or people is None:
        return note("I no longer know this paper." if people is not None else not_yet(services))
    paper = found[0]
    close = (await services.search.similar(paper, PAPERS - 1)).hits
    papers = [paper, *(await services.store.papers([hit.paper_id for hit in close]))]
    writers = people.writers(paper.id).tolist()
    for other in papers[1:]:
        writers += people.writers(other.id).tolist()[:2]
    chosen = [(writer, people.name(writer)) for writer in dict.fromkeys(writers)][:PEOPLE]
    centre = GraphNode(f"w{paper.id}", _named(paper), "paper", 1.4)
    joined = tuple((centre.key, f"w{other.id}", 0.5) for other in papers[1:])
    return await _picture(services, centre, papers, chosen, [], joined)


async def _picture(
    services: Services,
    centre: GraphNode,
    papers: list[Paper],
    people: list[tuple[int, str]],
    own: list[int],
    joined: tuple[tuple[str, str, float], ...] = (),
) -> Reply:
    insight = services.insight
    assert insight.people is not None
    nodes = [centre, *(GraphNode(f"w{p.id}", _named(p), "paper") for p in papers if f"w{p.id}" != centre.key)]
    nodes += [
        GraphNode(f"p{number}", name, "person") for number, name in people if f"p{number}" != centre.key
    ]
    shown_people = {number for number, _ in people} | set(own)
    edges = list(joined)
    for paper in papers:
        for writer in insight.people.writers(paper.id).tolist():
            if writer in shown_people:
                edges.append((f"w{paper.id}", f"p{writer}", 1.0))
    for place, topic in enumerate(
        insight.topics.of([p.id for p in papers], TOPICS) if insight.topics else []
    ):
        nodes.append(GraphNode(f"t{place}", topic.phrase, "topic"))
        edges += [(f"t{place}", f"w{paper}", 1.0) for paper in topic.papers]
    places: dict[str, list[str]] = {}
    for number in shown_people:
        facts = await services.facts.of_person(number)
        if facts and facts.affiliation:
            places.setdefault(facts.affiliation, []).append(f"p{number}")
    for place, (name, members) in enumerate(sorted(places.items(), key=lambda p: -len(p[1]))[:PLACES]):
        nodes.append(GraphNode(f"i{place}", name, "institution"))
        edges += [(f"i{place}", member, 1.0) for member in members]
    graph = Graph(tuple(nodes[:MOST_NODES]), tuple(edges))
    png = await services.painter.paint(graph_png, graph, graph)
    return Reply(_view(graph, png is not None), attached(png, "graph.png"))


def _view(graph: Graph, drawn: bool) -> ui.LayoutView:
    centre, *others = graph.nodes
    kinds = {
        kind: [n for n in others if n.kind == kind] for kind in ("person", "paper", "topic", "institution")
    }
    said = [
        plural(len(found), "person" if kind == "person" else kind, "people" if kind == "person" else None)
        for kind, found in kinds.items()
        if found
    ]
    head = f"## {shown(centre.label, 100)} among {', '.join(said) or 'nothing else that I know'}"
    alt = f"Graph of {centre.label}: " + "; ".join(
        f"{kind}s {', '.join(n.label for n in found[:10])}" for kind, found in kinds.items() if found
    )
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(head))
    if drawn:
        box.add_item(
            ui.MediaGallery(discord.MediaGalleryItem("attachment://graph.png", description=alt[:1_000]))
        )
    else:
        box.add_item(ui.TextDisplay("-# The picture could not be drawn just now. " + shown(alt, 1_500)))
    options = [
        discord.SelectOption(label=label(node.label, 100), value=node.key, description=node.kind)
        for node in others
        if node.kind in ("person", "paper")
    ]
    people = [option for option in options if option.description == "person"][: CHOICES - 10]
    papers = [option for option in options if option.description == "paper"][: CHOICES - len(people)]
    if options:
        box.add_item(ui.ActionRow(GraphSelect([*people, *papers])))
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    return view


class GraphCommand(commands.Cog, name="Graph"):
    """Graphs around a person or a paper."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        person="The person in the middle; a paper's name leads to the paper",
        paper="Or the paper in the middle: a title, an arXiv id, a link",
        private="Only you see the answer",
    )
    @app_commands.autocomplete(person=complete_person, paper=complete_paper)
    async def graph(
        self,
        interaction: discord.Interaction,
        person: app_commands.Range[str, 1, 200] | None = None,
        paper: app_commands.Range[str, 1, 300] | None = None,
        private: bool = False,
    ) -> None:
        """Draw a person or a paper among people, papers and topics"""
        work = self._graph(interaction, person, paper)
        await answer(interaction, work, private=private, cost=PICTURE, needs=(Need.PAPERS, Need.PEOPLE))

    async def _graph(
        self, interaction: discord.Interaction, person: str | None, paper: str | None
    ) -> ui.LayoutView | Reply:
        services = await seen_by(interaction)
        if person:
            return await _of_name(services, person)
        if not paper:
            raise UserError(
                "Name a person or a paper: /graph person: ChonLam Lao, or /graph paper: PrismLLM."
            )
        meant = await services.search.meant(paper)
        if not meant.papers:
            return await not_found(services, paper, "g")
        return await _of_paper(services, meant, paper)


async def _of_name(services: Services, typed: str) -> ui.LayoutView | Reply:
    """The graph of whoever has the name, else of the paper that it names."""
    found = await whom(services, typed)
    if found.person is not None:
        return await show_person(services, found.person.id)
    if not found.others and await services.store.author_names.find(typed) is None:
        meant = await services.search.named(typed)
        if meant.papers:
            return await _of_paper(services, meant, typed)
    return await ask_which(services, found, "g")


async def _of_paper(services: Services, meant: Meant, typed: str) -> ui.LayoutView | Reply:
    if meant.paper is None:
        return await which(services, meant.others, "g", typed)
    made = await show_paper(services, meant.paper)
    view = made.view if isinstance(made, Reply) else made
    await also_meant(services, view, meant.others, "g", typed)
    return made


async def setup(bot: commands.Bot) -> None:
    """Add the command, its buttons and its select."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(GraphButton, GraphSelect)
    await bot.add_cog(GraphCommand(services))
