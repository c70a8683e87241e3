#!/bin/bash
# Starts Hookline's MCP server with the tools of hooks: `bash -p tools.sh`. Which program that is, and with which of the user's own
# variables, is in the file `program` beside this one.

fail() {
  printf 'hookline: %s Run "hookline guard status" in a terminal to see what to do.\n' "$1" >&2
  exit 1
}

main() {
  local line node= cli= folder=${BASH_SOURCE[0]%/*} file
  file=$folder/program
  [[ -O $file && ! -L $file ]] || fail 'Nothing says which program is the MCP server.'
  unset "${!NODE_@}" "${!LD_@}" "${!DYLD_@}" "${!ELECTRON_@}" # A repository may set them for what its agent runs.
  while IFS= read -r line; do
    case $line in
      'node '*) node=${line#node } ;;
      'cli '*) cli=${line#cli } ;;
      [A-Z]*' '?*) export "${line%% *}=${line#* }" ;;
      [A-Z]*' ') unset "${line% }" ;;
    esac
  done <"$file"
  [[ -x $node && -f $cli ]] || fail 'The program of the MCP server is no longer there.'
  ELECTRON_RUN_AS_NODE=1 exec "$node" "$cli" mcp serve
}

main; exit
