#!/bin/sh
# Makes graph.js and LICENSES.txt from the packages that package.json pins (needs node and npm).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/package.json" "$here/graph.entry.js" "$work"
cd "$work"
npm install --no-fund --no-audit --ignore-scripts --silent
node_modules/.bin/esbuild graph.entry.js --bundle --minify --format=esm --target=es2022 \
    --legal-comments=none --define:process.env.NODE_ENV='"production"' --outfile="$here/graph.js"
{
    for package in sigma graphology graphology-utils graphology-layout-forceatlas2 events; do
        version=$(node -p "require('./node_modules/$package/package.json').version")
        printf '%s %s\n\n' "$package" "$version"
        cat "node_modules/$package"/LICENSE*
        printf '\n\n'
    done
} > "$here/LICENSES.txt"
