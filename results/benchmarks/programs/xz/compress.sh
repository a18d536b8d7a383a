#!/bin/sh
# Compresses the corpus once: compress.sh OPTIONS, those of xz --lzma2. Prints the bytes that are left.
bytes=$(xz --stdout --threads=1 --format=raw --lzma2="$1" corpus.bin | wc -c)
[ "$bytes" -gt 0 ] && echo "{\"bytes\": $bytes}"
