# SPDX-License-Identifier: Apache-2.0
# `make help` lists what there is.

VERSION := $(shell cat VERSION)
# As many modules at once as there are processors on a small machine.
MAVEN ?= mvn --batch-mode --no-transfer-progress --threads 2 -Drevision=$(VERSION)
PYTHON := /usr/bin/python3
RUFF := .tools/ruff/bin/ruff
BUF := $(CURDIR)/.tools/buf/node_modules/.bin/buf
REDOCLY := .tools/redocly/node_modules/.bin/redocly
OUT ?= out
RELEASE ?= $(OUT)/release
FUZZ_SECONDS ?= 60
CASES ?= 1000

.PHONY: help setup build build-standalone demo figures docs check test format \
	lint lint-version lint-words lint-java lint-agent lint-python lint-page lint-shell lint-proto lint-openapi \
	test-java check-agent test-agent test-lab test-lab-root \
	test-lab-deployment test-lab-runs test-docs test-onos test-onos-platform \
	test-onos-application test-odl test-kernels test-dumbbell deb test-deb image test-kubernetes-api \
	release verify-release test-release audit proto-baseline fuzz clean \
	bench bench-classes bench-engine bench-deadlines bench-oracle bench-stream bench-endpoints bench-cluster bench-sflow \
	bench-simulator bench-agent bench-rates bench-control-traffic bench-mark-to-rate bench-fairness bench-page \
	e2e tour

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-22s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what building and testing need (root where something is missing)
	lab/setup

build: setup ## build the ONOS application, the agent and the lab's ONOS
	$(MAVEN) -q package -Dmaven.test.skip=true
	$(MAKE) -C host-agent build

figures: ## the papers' figures in the simulator, beside the papers' numbers; no root, about half an hour
	@status=0; for scenario in $$(lab/sim/run --list --names); do \
		lab/sim/run $$scenario --json $(OUT)/$$scenario.json --out $(OUT)/$$scenario || status=1; \
	done; exit $$status

docs: ## write docs/settings.md and draw the documents' pictures, from their sources
	$(MAVEN) -q -pl app/core -am test -Dsluice.update=true -Dtest=SettingsPageTest -Dsurefire.failIfNoSpecifiedTests=false
	for source in docs/figures/*.dot; do dot -Tsvg $$source -o $${source%.dot}.svg || exit 1; done

build-standalone: setup ## build sluiced, an archive of its classes for faster starts, and the agent alone
	$(MAVEN) -q package -Dmaven.test.skip=true -pl app/standalone -am
	java -XX:+UseSerialGC -XX:ArchiveClassesAtExit=app/standalone/target/classes.jsa -Xlog:disable -Xlog:all=error:stderr \
		-jar app/standalone/target/sluiced.jar warm-up 2>/dev/null
	$(MAKE) -C host-agent build

ifeq ($(FABRIC),bridges)
demo: build-standalone
	lab/run standalone --short --json $(OUT)/standalone.json --out $(OUT) $(if $(KEEP),--keep)
else
demo: build ## a TCP tenant rescued from three UDP floods; CONTROLLER=odl: on OpenDaylight; FABRIC=bridges: without both, the fastest; KEEP=1 leaves it running
	lab/run dumbbell --cc cubic --capacity 25 --json $(OUT)/dumbbell.json --out $(OUT) \
		$(if $(CONTROLLER),--controller $(CONTROLLER)) $(if $(KEEP),--keep)
endif

# Root runs it without root's capabilities, so that nothing in it comes to need them unnoticed.
UNPRIVILEGED := $(if $(filter 0,$(shell id -u)),setpriv --bounding-set=-all --inh-caps=-all --)

check: setup ## everything that needs no root: linters and tests; minutes
	$(UNPRIVILEGED) $(MAKE) --jobs=2 --output-sync=target test-java $(LINTERS) check-agent test-lab test-docs

# Two builds of a release and the lab's programs leave each other time: one computes, the other waits.
test: check test-agent test-deb ## everything that must hold; needs root
	$(MAKE) --jobs=2 --output-sync=target test-lab-root test-release
	$(MAKE) test-onos test-odl test-dumbbell

# All but Java's, which `make test-java` does in its own compilation.
LINTERS := lint-version lint-words lint-agent lint-monitoring lint-python lint-page lint-shell lint-proto lint-openapi

lint: lint-java $(LINTERS) ## formatters and linters, changing nothing

lint-version: ## the version stands in the file VERSION alone
	release/check-version

lint-words: ## no banned word in sources and documents
	release/check-words

lint-java: ## google-java-format, Error Prone, and no warning of the compiler; test-java does it too
	$(MAVEN) -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Plint --fail-at-end \
		spotless:check test-compile -Dexec.skip

lint-agent: ## gofmt, vet, staticcheck, clang-format
	$(MAKE) -C host-agent lint

lint-monitoring: ## gofmt and vet of what reads Grafana's dashboard
	test -z "$$(gofmt -l docs/monitoring/schema)" && cd docs/monitoring/schema && go vet .

lint-python: ## ruff
	$(RUFF) check . && $(RUFF) format --check .

lint-page: ## prettier, eslint
	web-gui/build lint

lint-shell: ## shellcheck every shell script of the repository
	shellcheck $$(git grep -lE '^#! ?/(usr/)?bin/(env )?(ba|da)?sh')

lint-proto: ## the agent link's .proto: its style, and whether the last release understands it
	cd api && $(BUF) lint && $(BUF) breaking --against proto-baseline.binpb

lint-openapi: ## the REST interface's document, its examples among it
	REDOCLY_SUPPRESS_UPDATE_NOTICE=true $(REDOCLY) lint --config app/rest/redocly.yaml --format stylish \
		app/rest/src/main/resources/org/sluice/rest/openapi.json

proto-baseline: ## make the .proto of now the one that lint-proto compares with; with every release
	cd api && $(BUF) build --exclude-source-info --output proto-baseline.binpb

format: ## apply the formatters
	$(MAVEN) -q spotless:apply
	$(MAKE) -C host-agent format
	$(RUFF) check --fix . && $(RUFF) format .

test-java: ## lint-java, and the laws, the bindings, ONOS's real managers in one JVM, the .oar's linkage
	$(MAVEN) -Plint verify

check-agent: ## the agent's packages whose tests need no root
	$(MAKE) -C host-agent check

test-agent: ## the agent's packages whose tests need root: its BPF programs in this kernel, its queues
	$(MAKE) -C host-agent build test-root

deb: setup ## the Debian packages of the agent, of sluicectl and of sluiced
	$(MAKE) -C host-agent deb
	$(MAVEN) -q -pl app/standalone -am package -Dmaven.test.skip=true -DskipTests
	host-agent/packaging/build-deb sluiced $(VERSION) host-agent/bin

image: setup ## images of the agent and of sluiced as OCI archives in OUT/images: no registry, no daemon
	$(MAKE) -C host-agent build
	$(MAVEN) -q -pl app/standalone -am package -Dmaven.test.skip=true -DskipTests
	release/image $(VERSION) $(OUT)/images

test-kubernetes-api: setup ## manifests and TenantBandwidths beside a real API server, which is built once (15 minutes)
	deploy/kubernetes/with-api-server target/kubernetes $(MAVEN) -q -pl app/standalone -am test \
		-Dtest=ApiServerCheck -Dsurefire.failIfNoSpecifiedTests=false

test-deb: deb ## the packages on a booted system: installed, run, broken, upgraded, removed
	$(MAKE) -C host-agent test-deb

release: setup ## the last commit's .oar, .debs, SBOMs and checksums in out/release
	release/build $(RELEASE)

verify-release: ## RELEASE (out/release): its checksums, and that its SBOMs name what is inside
	release/verify $(RELEASE)

test-release: setup ## two builds of a release have the same bytes; faults in one are found
	nice -n 10 $(PYTHON) -m pytest -q release

test-lab: ## the experiments' arithmetic, and how advisories are read
	$(MAKE) -C host-agent lab
	$(PYTHON) -m pytest -q -m "not root" lab/testbed/tests lab/kernels/tests release/test_advisories.py

LAB_TESTS := lab/testbed/tests

test-lab-root: ## the lab's programs, and that its runs leave nothing behind; needs root
	$(MAKE) --jobs=2 --output-sync=target test-lab-deployment test-lab-runs

test-lab-deployment: # what Prometheus collects beside a flood
	$(PYTHON) -m pytest -q -m root $(LAB_TESTS)/deployment

test-lab-runs: # the rest, which waits most of the time
	$(PYTHON) -m pytest -q -m root $(LAB_TESTS) --ignore=$(LAB_TESTS)/deployment

audit: ## known vulnerabilities with a fix in what Sluice depends on; needs the network, so no test
	release/audit

test-docs: ## documents name what exists, and show the drawings of their sources
	$(PYTHON) -m pytest -q docs

# Tests with an ONOS wait most of the time: these run beside each other, each half with an ONOS of its own.
ONOS_TESTS := lab/onos/test
ONOS_ALONE := $(patsubst %,$(ONOS_TESTS)/test_%.py,doctor fast_counters flow_sizes launcher onos sflow)

test-onos: ## the .oar in a real ONOS with real switches
	$(MAKE) --jobs=2 --output-sync=target test-onos-platform test-onos-application

test-onos-platform: # ONOS by itself, what reads switches, and the doctor
	$(PYTHON) -m pytest -q $(ONOS_ALONE)

test-onos-application: # the rest
	$(PYTHON) -m pytest -q $(ONOS_TESTS) $(ONOS_ALONE:%=--ignore=%)

test-odl: ## a real OpenDaylight with real switches
	$(PYTHON) -m pytest -q lab/odl/test

test-kernels: ## the agent on Debian's kernels in emulation, SERIES (all): the table of docs/agent.md; half an hour and more, no test of `make test`
	lab/setup --kernels
	$(MAKE) -C host-agent build
	lab/kernels/run $(SERIES) $(if $(JSON),--json $(JSON))

fuzz: setup ## go on fuzzing every parser, FUZZ_SECONDS (60) for each; needs root
	host-agent/fuzz $(FUZZ_SECONDS)
	app/fuzz $(FUZZ_SECONDS)

test-dumbbell: ## a short run of the main experiment, with wide margins
	lab/run dumbbell --short --json $(OUT)/short.json --out $(OUT)

e2e: build ## the page in Chromium beside real traffic; needs root; four minutes
	lab/run page --json $(OUT)/page.json --out $(OUT)

tour: build ## a walk through the page: pictures and an animation in OUT; needs root
	lab/run page --tour --json $(OUT)/tour.json --out $(OUT)

bench: ## every bench below, one after the other; compare within one run only
	$(MAKE) -k bench-engine bench-deadlines bench-oracle bench-stream bench-endpoints bench-sflow \
		bench-simulator bench-agent bench-rates bench-control-traffic bench-mark-to-rate bench-page

bench-classes: setup
	$(MAVEN) -q process-test-classes -pl lab/sim,app/sflow,app/rest -am

bench-engine: bench-classes ## what a tick of the engine costs
	@status=0; for setting in hosts tenants tenants-on-off large large-on-off all meters kept sdn-gcc; do \
		java -cp app/engine/target/classes:app/engine/target/test-classes:api/target/classes \
			org.sluice.engine.EngineBench $$setting || status=1; \
	done; exit $$status

bench-deadlines: bench-classes ## what windows for 10,000 flows on 100 ports cost
	java -XX:+UseSerialGC -cp app/engine/target/classes:app/engine/target/test-classes:api/target/classes \
		org.sluice.engine.deadline.DeadlineBench

bench-oracle: bench-classes ## what a cycle of OpenTCP's oracle costs
	java -XX:+UseSerialGC -cp app/engine/target/classes:app/engine/target/test-classes:api/target/classes \
		org.sluice.engine.opentcp.OracleBench

bench-stream: bench-classes ## what the stream costs with 4000 endpoints, for 1 and 32 readers
	java -XX:+UseSerialGC -cp app/rest/target/classes:app/rest/target/test-classes:$$(cat app/rest/target/test.classpath) \
		org.sluice.rest.StreamBench

bench-endpoints: bench-classes ## what a host's list of endpoints costs with 20,000 of them, and 4500 tenants at once
	java -XX:+UseSerialGC -cp app/core/target/classes:app/core/target/test-classes:$$(cat app/core/target/test.classpath) \
		org.sluice.core.EndpointsBench

bench-cluster: bench-classes ## what three nodes read, send, store and compute: PODS of 20 switches (49), 23 endpoints a host
	java -XX:+UseSerialGC -Xmx8g -cp app/core/target/classes:app/core/target/test-classes:$$(cat app/core/target/test.classpath) \
		org.sluice.core.ClusterBench $(or $(PODS),49)

bench-sflow: bench-classes ## the sFlow collector under 50,000 datagrams a second, half of them not valid
	java -XX:+UseSerialGC -cp app/sflow/target/classes:app/sflow/target/test-classes:$$(cat app/sflow/target/test.classpath) \
		org.sluice.sflow.SflowBench

bench-simulator: bench-classes ## what a simulated packet costs
	java -XX:+UseSerialGC \
		-cp lab/sim/target/classes:lab/sim/target/test-classes:$$(cat lab/sim/target/test.classpath) \
		org.sluice.sim.bench.SimulatorBench --profile

bench-fairness: bench-classes ## random networks beside max-min shares: CASES (1000) of each kind, JSON=FILE; ten minutes
	java -XX:+UseSerialGC \
		-cp lab/sim/target/classes:lab/sim/target/test-classes:$$(cat lab/sim/target/test.classpath) \
		org.sluice.sim.fairness.FairnessBench --cases $(CASES) $(if $(JSON),--json $(JSON))

bench-agent: ## what a real packet costs
	$(MAKE) -C host-agent bench

bench-rates: ## the shim's rate error from 1 Mbit/s to 1 Gbit/s, and its cost there
	lab/run rate-error --json $(OUT)/rate-error.json --out $(OUT)

bench-control-traffic: ## what reading a switch of 48 ports takes on the wire, quiet and congested
	$(PYTHON) -m pytest -q -s lab/onos/test/test_fast_counters.py -k "quiet or 5_millis"

bench-mark-to-rate: ## from the first mark to the changed rate, for every path of signals
	lab/run mark-to-rate --signals all --notices all --json $(OUT)/mark-to-rate.json --out $(OUT)

bench-page: setup ## the page with 100 switches and 4000 endpoints in Chromium: size, first paint, frames a second
	web-gui/build bench $(if $(JSON),--json $(JSON))

clean: ## remove what was built
	$(MAVEN) -q clean
	$(MAKE) -C host-agent clean
	rm -rf $(OUT) lab/odl/distribution/target
