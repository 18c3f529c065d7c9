"""Links: an action's name and ids make a button; what messages hold for years goes on working."""

import ast
from pathlib import Path

import pytest

import commands
from bot.client import command_modules
from commands.kit.links import ACTIONS, Pattern, button, choice, is_ours, link

OLD = """
a:a:7 a:c:7 a:s:7 a:w:7 c:7 cmp:7:1 cc:d:7 cc:l:7 cc:u:7 cp:b:7:7 cp:l:7:7 cp:n:7:7 cp:w:7:7 cv:a:7 cv:v:7
cvi:d cvi:k cvi:p cvo:k cvo:r cw:7 d:7 dg:d:7 dg:h:7 dg:h:7:7 dg:l:7 dg:m:7 dg:p:7 dg:p:7:7 dg:s:7
dg:u:7 dg:z:7:s:n dg:z:7:l:k dgz:7:s:7:n:7 dgz:7:l:7:k7.7:0
dgb:a:7 dgb:d:7 dgb:n:7 dgb:o:7 dgb:p:7 dgb:r:7 dgb:t:7 dgb:v:7 dgb:w:7 dgb:x:7 dgb:z:7 dgb:c:7 dgc:7
dgs:c:7 dgb:m:7 dgk:7 fl:p:7 dgl:7 dgs:f:7 dgs:h:7 dgs:n:7 dgs:p:7 dgs:q:7 dgs:s:7 dgs:t:7 dgv:h:7 dgv:h:7:7
dgv:p:7 dgv:p:7:7
dt:b:7:7:7 dt:e:7:7:7 dt:f:7:7:7 dt:n:7:7:7 dt:s:7:7:7 dt:y:7:7:7 du:7 fd:e:d:7 fd:e:l:7 fd:e:s:7
fd:n:d:7 fd:n:l:7 fd:n:s:7 fo:c:7 fo:p:7 fo:w:7 fs fu:7 g:p:7 g:w:7 gs in:a:7 in:b:7 in:i:7 in:n:7 in:o:7
in:r:7 in:s:7 in:t:7 in:u:7 in:w:7 in:x k:n:7 k:p:7 k:p:7:7 kg:7 ko:7 kp:7 ks:7 ku:7 lb:b:7 lb:m:7 lb:n:7
lb:p:7:7:n lb:p:7:7:p lb:r:7 lb:u:7 lbs:7 ls:b:7:7 ls:p:7:7:n ls:p:7:7:p ls:u:7:7 ls:x:7 mf:7
n:20260518:7:A:a nc:20260518 p:e:7:7:n:20260518:A p:e:7:7:n::A p:e:7:7:o:20260518:A p:e:7:7:o::A
p:e:~7:7:n:20260518:A p:e:~7:7:n::A p:e:~7:7:o:20260518:A p:e:~7:7:o::A p:r:7:7:n:20260518:A
p:r:7:7:n::A p:r:7:7:o:20260518:A p:r:7:7:o::A p:r:~7:7:n:20260518:A p:r:~7:7:n::A
p:r:~7:7:o:20260518:A p:r:~7:7:o::A p:u:7:7:n:20260518:A p:u:7:7:n::A p:u:7:7:o:20260518:A
p:u:7:7:o::A p:u:~7:7:n:20260518:A p:u:~7:7:n::A p:u:~7:7:o:20260518:A p:u:~7:7:o::A q:7:i:x q:7:k:7
s:7 sa:i:x sa:k:7
sp:7:7 su:r:7 tr:7:7:A which:d which:g which:s who:a who:f who:g who:i who:k who:m who:p who:s
""".split()
"""A ``custom_id`` of each kind that was ever sent: buttons in old messages have these."""


@pytest.fixture(scope="module", autouse=True)
def _registered():
    command_modules()


@pytest.mark.parametrize("custom_id", OLD)
def test_a_button_that_was_sent_before_still_works(custom_id):
    handled = [one.name for one in ACTIONS.values() if one.pattern.regex.fullmatch(custom_id)]
    assert len(handled) == 1, handled
    assert is_ours(custom_id)


def test_ids_come_back_as_they_went_in():
    pattern = Pattern("p:{order:[no]}:{author:author}:{since:day_or_none}{page:page?}")
    for ids in (
        {"order": "n", "author": "~12", "since": "20260518", "page": 3},
        {"order": "o", "author": "7", "since": "", "page": None},
    ):
        found = pattern.regex.fullmatch(pattern.build(ids))
        assert pattern.read(found) == ids


@pytest.mark.parametrize(
    "ids",
    [{}, {"paper": "x"}, {"paper": -1}, {"paper": 10**12}, {"paper": 7, "page": 1}, {"paper": "7\n"}],
)
def test_ids_that_do_not_fit_make_no_button(ids):
    with pytest.raises(ValueError, match="do not fit"):
        Pattern("d:{paper}").build(ids)


def test_an_action_that_nobody_handles_makes_no_button():
    with pytest.raises(LookupError, match="no file"):
        link("nobody.handles_this", "?")


def test_a_handler_that_takes_no_such_id_is_refused_at_once():
    with pytest.raises(TypeError, match="takes no paper"):

        @button("test.wrong", "test:{paper}")
        async def handler(press):
            """Takes no id."""

    assert "test.wrong" not in ACTIONS


def made_links():
    """(file:line, function, action, names of ids) of every link and choice in commands/."""
    for path in sorted(Path(commands.__path__[0]).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("link", "choice") and node.args:
                ids = {key.arg for key in node.keywords} - {"style", "placeholder"}
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    yield f"{path.name}:{node.lineno}", ast.unparse(node.func), first.value, ids


def test_every_link_leads_to_an_action_and_names_its_ids():
    for place, function, name, ids in made_links():
        assert name in ACTIONS, f"{place} leads to {name}"
        fields = ACTIONS[name].pattern
        if None not in ids:
            assert fields.kinds.keys() - fields.optional <= ids <= fields.kinds.keys(), place
        assert {"link": link, "choice": choice}[function]
