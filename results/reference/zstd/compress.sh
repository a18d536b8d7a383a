#!/bin/sh
# One game: compress.sh SEED ZSTD_PARAMETERS TLEN+1 compresses the slice that the seed names.
# Processes cost more than the fastest settings do, so there is one beside this shell: zstd, which
# tells its version and the compressed size itself.
slices=${CORPUS:?names the folder of slices}
if ! read -r digest 2>/dev/null <"$slices/digest"; then
	# Not in this game's time: who fails is played again, and finds the slices.
	python3.11 corpus.py "$slices" >&2 && echo 'the corpus has been made; play again' >&2
	exit 1
fi
mixed=$(($1 % 4294967296))
mixed=$(((mixed ^ mixed >> 16) * 73244475 & 4294967295))
mixed=$(((mixed ^ mixed >> 16) * 73244475 & 4294967295))
slice=$(((mixed ^ mixed >> 16) % 32))
case $2 in
strat=[12],*) target=1 ;; # where it would mean how much is left out, not how well is searched
*) target=$3 ;;
esac
said=$(LC_ALL=C zstd -vv --no-progress -T1 --zstd="$2,tlen=$((target - 1))" -f "$slices/$slice" -o /dev/null 2>&1)
bytes=${said##*=>}
bytes=${bytes%% B*}
bytes=${bytes##* }
version=${said#* v}
case $bytes in
'' | *[!0-9]*)
	echo "$said" >&2
	exit 1
	;;
esac
# 8 bits a byte over 2,000,000 bytes, in millionths
printf '{"bits_per_byte": %d.%06d, "slice": %d, "corpus": "%s", "zstd": "%s"}\n' \
	$((bytes * 4 / 1000000)) $((bytes * 4 % 1000000)) "$slice" "$digest" "${version%%,*}"
