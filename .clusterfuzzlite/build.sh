#!/bin/bash -eu
# Builds the target of tests/fuzz, with the fixtures as its corpus. The first byte of a file says as which format it is
# read; 0 leaves that to its content.
pip3 install '.[compression]'
compile_python_fuzzer tests/fuzz/atheris_target.py --collect-all isogloss --collect-all jsonschema_specifications

corpus=$(mktemp -d)
find fixtures -type f -size -64k | while read -r file; do
    { printf '\0'; cat "$file"; } >"$corpus/$(sha1sum <"$file" | cut -c1-16)"
done
zip -qj "$OUT/atheris_target_seed_corpus.zip" "$corpus"/*
