# The commands of the README. Each installs what it needs first (scripts/setup) and does nothing twice.

CARGO ?= cargo

.PHONY: demo test lint bench conformance fuzz setup

setup:
	@scripts/setup core

lint:
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	$(CARGO) xtask tidy

test: setup
	$(CARGO) test --workspace --quiet

demo: setup
	@$(CARGO) build --release --quiet
	@scripts/demo

bench conformance fuzz: setup
	@scripts/setup peers
	@$(CARGO) build --release --quiet --workspace
	@scripts/$@
