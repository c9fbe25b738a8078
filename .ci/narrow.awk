# Names lines of more than 120 columns, a tab being four, that could be broken.
FNR == 1 { block = 0 }
FILENAME ~ /\.md$/ {
	if (/^ *```/) block = !block
	if (block || /^ *\|/ || /^    /) next
}
FILENAME ~ /\.go$/ && (/`[a-z]+:"/ || /^\t*`/ || FILENAME ~ /_test\.go$/ && /`/) { next }
{
	line = $0
	gsub(/\t/, "    ", line)
	gsub(/[\200-\277]/, "", line) # what follows the first byte of a letter
}
length(line) > 120 { print FILENAME ":" FNR ": more than 120 columns"; bad = 1 }
END { exit bad }
