# The front doors. `make demo` and `make test` install what is missing and build what they need.
.DEFAULT_GOAL := help
SHELL := /bin/bash
SOURCES := Package.swift Sources Tests Benchmarks Fuzzers/Package.swift Fuzzers/Sources
# A crash under test is reported by the runner; the interactive backtracer would wait for ever.
export SWIFT_BACKTRACE := enable=no

.PHONY: help setup demo test check lint format bench fuzz clean

help:  ## list the verbs
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup:  ## install the Debian packages that are missing
	@bash .ci/setup.sh

demo: setup  ## build, then run the whole chain on the simulated rig
	@began=$$(date +%s); \
	swift build -c release --product haprig; \
	echo "built in $$(( $$(date +%s) - began )) s"; \
	.build/release/haprig demo

lint: setup  ## check the format of every source
	@swift format lint --strict --parallel --recursive --configuration .swift-format $(SOURCES)

format: setup  ## put every source into its format
	@swift format --in-place --parallel --recursive --configuration .swift-format $(SOURCES)

# The end-to-end tests run the program as a user builds it: in release.
test: lint  ## lint, build, and run every fast test
	@swift build -c release --product haprig
	@swift build --build-tests
	@Fuzzers/run smoke
	@HAPRIG_PROGRAM="$(CURDIR)/.build/release/haprig" swift test --skip-build --disable-xctest

check: test bench  ## everything before a change is called done

bench: setup  ## measure speed and memory, each beside its aim or a peer
	@swift build -c release --product haprig
	@cd Benchmarks && swift build -c release --quiet && .build/release/haprig-benchmarks

fuzz: setup  ## look for inputs that break a promise (FUZZ_SECONDS=60 a target)
	@Fuzzers/run long

clean:  ## remove what was built
	@rm -rf .build .build-* Benchmarks/.build Fuzzers/.build
