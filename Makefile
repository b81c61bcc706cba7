# SPDX-License-Identifier: Apache-2.0
# The front doors. `make demo` and `make test` install what is missing and build what they need.
.DEFAULT_GOAL := help
SHELL := /bin/bash
SOURCES := Package.swift Sources Tests Examples Benchmarks Fuzzers/Package.swift Fuzzers/Sources
# The program and its tests are one build, optimised as users run it: compiled once, and several times as
# fast (docs/decisions/015-tests-run-optimised.md). The tests look into modules, hence the flag.
RELEASE := -c release -Xswiftc -enable-testing -debug-info-format none
TESTS := swift test $(RELEASE) --skip-build --disable-xctest
# A crash under test is reported by the runner; the interactive backtracer would wait for ever.
export SWIFT_BACKTRACE := enable=no

.PHONY: help setup demo test check lint prose docs format bench fuzz test-servers test-vm test-browser test-postgres test-fleet tsan soak \
  clean install uninstall deb test-package test-twice sbom install-udev

help:  ## list the verbs
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup:  ## install the Debian packages that are missing
	@bash .ci/setup.sh

PROGRAM := .build/release/haprig

# Where nothing is newer than the program there is nothing to build.
demo: setup  ## build, then run the whole chain on the simulated rig
	@if [ ! -x $(PROGRAM) ] || find -L Package.* Sources -newer $(PROGRAM) | grep -q .; then \
	  began=$$(date +%s); \
	  echo "building haprig: five to eight minutes the first time, seconds from then on"; \
	  swift build $(RELEASE) --product haprig || exit 1; \
	  echo "built in $$(( $$(date +%s) - began )) s"; \
	fi; \
	$(PROGRAM) demo

lint: setup  ## check the format of every source
	@swift format lint --strict --parallel --recursive --configuration .swift-format $(SOURCES)

prose: setup  ## read the documents and the help: spelling, long sentences, what readers stumbled over
	@swift build $(RELEASE) --product haprig
	@bash .ci/prose/run

docs: setup  ## make the pages of the libraries (DocC) in .build/pages: five minutes the first time
	@bash .ci/docs/run

format: setup  ## put every source into its format
	@swift format --in-place --parallel --recursive --configuration .swift-format $(SOURCES)

# The end-to-end tests run the program as a user builds it: in release.
test: lint  ## lint, build, and run every fast test
	@swift build $(RELEASE) --build-tests
	@HAPRIG_PROGRAM="$(CURDIR)/.build/release/haprig" $(TESTS)

check: test prose docs tsan test-servers test-vm test-browser test-postgres test-fleet bench  ## everything before a change is called done
	@Fuzzers/run smoke
	@HAPRIG_CALIBRATION_SEEDS=200 $(TESTS) --filter IdentificationTests
	@HAPRIG_PLAYER_SEEDS=200 $(TESTS) --filter RandomCallTests
	@HAPRIG_FOLLOW_HOUR=1 $(TESTS) --filter FollowTests
	@HAPRIG_USB_MILLION=1 $(TESTS) --filter 'TransferQueueTests|Board|MixedRig'

test-servers: setup  ## play and record through JACK and PipeWire, stop and time the card: four minutes
	@swift build $(RELEASE) --product haprig
	@swift build $(RELEASE) --product asound_module_pcm_haprig
	@bash .ci/servers/run

test-vm: setup  ## real drivers on a Debian kernel in a virtual machine: up to seven minutes
	@swift build $(RELEASE) --product haprig
	@bash .ci/vm/run

test-browser: setup  ## the reports in a browser, the workbench in two, without a window: half an hour
	@swift build $(RELEASE) --build-tests
	@bash .ci/browser/run

test-postgres: setup  ## the archive on a real PostgreSQL server, and killed 200 times: five minutes
	@swift build $(RELEASE) --build-tests
	@bash .ci/postgres/run

test-fleet: setup  ## the fleet's plug-in with a real Buildbot and PostgreSQL, killed and cut: a quarter of an hour
	@swift build $(RELEASE) --product haprig
	@swift build $(RELEASE) --product asound_module_pcm_haprig
	@bash .ci/fleet/run

# The modules whose work is shared by threads.
THREADED := DevicesTests|VirtualCardTests|BenchTests.*Session|CoreHapticsTests|UIKitFeedbackTests|LiveRunsTests|WorkbenchTests
# The virtual card is loaded by the test program and takes the sanitizer from it: what only the card
# calls is linked in, and shown. Other programs (ProcessTests) have no sanitizer to give.
TSAN := --sanitize=thread --scratch-path .build-tsan \
  -Xlinker -u -Xlinker __tsan_external_write -Xlinker --export-dynamic

tsan: setup  ## the tests of everything that has threads, under the thread sanitizer: ten minutes
	@swift build --build-tests $(TSAN)
	@TSAN_OPTIONS=suppressions=$(CURDIR)/.ci/tsan.supp \
	  swift test --skip-build --disable-xctest $(TSAN) --filter '$(THREADED)' --skip ProcessTests

soak: setup  ## an hour of signal at 64 frames, 4 in and 4 out: some minutes in virtual time
	@swift build $(RELEASE) --product haprig
	@swift build $(RELEASE) --product asound_module_pcm_haprig
	@.ci/soak/run

bench: setup  ## measure speed and memory, each beside its aim or a peer
	@swift build $(RELEASE) --product haprig
	@cd Benchmarks && swift build -c release --quiet && .build/release/haprig-benchmarks

fuzz: setup  ## look for inputs that break a promise (FUZZ_SECONDS=60 a target)
	@Fuzzers/run long

install: setup  ## install the program and what goes with it below PREFIX (/usr/local; as root)
	@bash .ci/install/build.sh
	@bash .ci/install/put.sh

uninstall:  ## take away what `make install` put there
	@bash .ci/install/put.sh --remove

deb: setup  ## make the Debian packages haprig and haprig-fleet
	@PREFIX=/usr bash .ci/install/build.sh
	@bash .ci/debian/build.sh

test-package: deb  ## install, use, upgrade and remove the packages in a bare Debian: ten minutes
	@bash .ci/debian/run

test-twice: setup  ## build the packages in two folders and compare them, by diffoscope: twenty minutes
	@bash .ci/debian/twice

sbom: setup  ## write a bill of materials (CycloneDX), and have it validated by CycloneDX's own library
	@swift build $(RELEASE) --product haprig
	@python3 .ci/sbom.py .build/release/haprig .build/haprig.cdx.json
	@[ -x .build/sbom/bin/python ] || python3 -m venv .build/sbom
	@.build/sbom/bin/pip install -q --disable-pip-version-check 'cyclonedx-python-lib[json-validation]>=8'
	@.build/sbom/bin/python -c "import sys; from cyclonedx.schema import SchemaVersion as S; \
	  from cyclonedx.validation.json import JsonStrictValidator as V; \
	  sys.exit(V(S.V1_5).validate_str(open('.build/haprig.cdx.json').read()) and 'the bill is not valid' or 0)" \
	  && echo "valid by CycloneDX 1.5"

install-udev:  ## let the user at the machine open boards and other USB devices (with sudo)
	@bash .ci/install-udev.sh

clean:  ## remove what was built
	@rm -rf .build .build-* Benchmarks/.build Fuzzers/.build
