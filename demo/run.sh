#!/usr/bin/env bash
# Watch the program with its mistakes, then the mended one. Usage: demo/run.sh [path to tensan]
set -euo pipefail
tensan=${1:-tensan}
here=$(dirname "$0")

heading() {
    printf '\n── %s\n\n$ tensan run %s\n\n' "$1" "$2"
}

heading 'A CNN on real digits: it runs, and nothing complains' "$here/digits_mistakes.py"
"$tensan" run "$here/digits_mistakes.py"

heading 'The same program with its three mistakes put right' "$here/digits_right.py"
"$tensan" run "$here/digits_right.py"

printf '\nCompare the two: diff %s %s\n' "$here/digits_mistakes.py" "$here/digits_right.py"
