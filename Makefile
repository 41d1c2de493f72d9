# The commands of the README. Each installs what it needs first (scripts/setup) and does nothing twice.

CARGO ?= cargo

.PHONY: demo test lint docs package vscode vscode-test bench conformance fuzz

demo:
	@scripts/setup core
	@$(CARGO) build --release
	@scripts/demo

test:
	@scripts/setup core
	$(CARGO) test --workspace --no-fail-fast

lint:
	@scripts/setup build
	$(CARGO) fmt --all -- --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	$(CARGO) xtask tidy
	@# links to private items are for readers of the code
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" $(CARGO) doc --quiet --workspace --no-deps

docs:
	@scripts/setup build
	@$(CARGO) build --release
	@scripts/docs

package:
	@scripts/setup core
	@$(CARGO) build --release
	@scripts/package --try

vscode:
	cd editors/vscode && npm ci --no-audit --no-fund && npm run package

# In a real VS Code in a browser; installs one the first time (700 MB).
vscode-test: vscode
	@$(CARGO) build --release
	@scripts/vscode-test

# The long ones: ratios to peers, peers' suites, random campaigns.
bench conformance fuzz:
	@scripts/setup peers
	@$(CARGO) build --release --workspace
	@scripts/$@
