#!/bin/bash
# Hookline's client for the hooks of other agents: `bash -p client.sh <agent> <event>` sends the event that the agent writes on
# stdin to the host of the guard, and prints the host's answer. Without an answer that is proven to come from the host, it
# prints the agent's own form of a refusal. It works with bash 3.2 and starts no process while a host runs. The text is the
# same in all versions of Hookline as far as possible, because some agents run only a file that they know.

refuse() { # $1: why, without quotes and backslashes, because it becomes part of JSON
  local reason="Hookline could not check this, because $1. Run 'hookline guard status' in a terminal to see what to do."
  case $agent-$event in
    cline-*Use)
      print '{"cancel":true,"errorMessage":"'"$reason"'"}' ;;
    *-PreToolUse)
      print '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"'"$reason"'"}}' ;;
    claude-PostToolUse | qwen-PostToolUse | codex-PreCompact | droid-PostToolUse | droid-UserPromptSubmit)
      print '{"continue":false,"stopReason":"'"$reason"'"}' ;;
    *-PostToolUse | *-UserPromptSubmit | claude-PreCompact | opencode-PreCompact | kilo-PreCompact)
      print '{"decision":"block","reason":"'"$reason"'"}' ;;
    gemini-BeforeTool | gemini-AfterTool | gemini-BeforeAgent)
      print '{"decision":"deny","reason":"'"$reason"'"}' ;;
    cursor-preToolUse)
      print '{"permission":"deny","user_message":"'"$reason"'","agent_message":"'"$reason"'"}' ;;
    cursor-beforeSubmitPrompt)
      print '{"continue":false,"user_message":"'"$reason"'"}' ;;
    cursor-postToolUse)
      print '{"updated_mcp_tool_output":{"content":[{"type":"text","text":"'"$reason"'"}],"isError":true}}' ;;
  esac
  print ''
}

print() { # ends with the answer for the agent, empty or one JSON object
  trap '' HUP INT TERM # A part of the answer, or none of it, would be no decision.
  answered=yes
  [[ -z $1 ]] || printf '%s\n' "$1" || exit "$UNPRINTED"
  exit 0
}

finish() {
  [[ -z $is_starter ]] || rm -f "$folder/starting"
  [[ -z $watchdog ]] || kill "$watchdog"
  [[ -n $answered ]] || refuse 'its client was ended before there was an answer'
}

read_all() { # reads file descriptor $1 to its end into `text`; on failure, `why` says what is wrong
  local part status left
  text=
  while :; do
    left=$((LIMIT - SECONDS))
    if ((left <= 0)); then why=$LATE; return 1; fi
    IFS= read -r "${BLOCK[@]}" -t "$left" -u "$1" part
    status=$?
    if ((status > 128 || SECONDS >= LIMIT)); then why=$LATE; return 1; fi
    text+=$part
    ((status == 0)) || return 0
    if ((${#part} < 4096)); then why='there was a NUL byte in the data'; return 1; fi
    if ((${#text} > LARGEST)); then why='there was too much data'; return 1; fi
  done
}

is_number() {
  [[ -n $1 && ${#1} -le 9 && -z ${1//[0-9]/} ]]
}

connect() { # opens file descriptor 3 to the host
  local line file=$folder/endpoint port=
  secret= proof= pid=
  [[ -O $file && ! -L $file ]] || return 1
  while IFS= read -r line; do
    case $line in
      'port '*) port=${line#port } ;;
      'client '*) secret=${line#client } ;;
      'host '*) proof=${line#host } ;;
      'pid '*) pid=${line#pid } ;;
    esac
  done <"$file"
  is_number "$port" && is_number "$pid" && ((${#secret} == 64 && ${#proof} == 64)) || return 1
  kill -0 "$pid" || return 1 # The port may belong to somebody else by now.
  exec 3<>"/dev/tcp/127.0.0.1/$port"
}

take_start() { # one client starts the host, the others wait for it
  set -o noclobber
  printf '%s\n' "$$" >"$folder/starting" && is_starter=yes
  set +o noclobber
  [[ -n $is_starter ]]
}

run_program() { # starts the host; a repository may set variables for what its agent runs, so `program` has the user's own
  local line
  unset "${!NODE_@}" "${!LD_@}" "${!DYLD_@}" "${!ELECTRON_@}"
  while IFS= read -r line; do
    case $line in
      [A-Z]*' '?*) export "${line%% *}=${line#* }" ;;
      [A-Z]*' ') unset "${line% }" ;;
    esac
  done
  ELECTRON_RUN_AS_NODE=1 exec "$1" "$2" guard start </dev/null
}

start_host() {
  local line starter= node= cli= file=$folder/program tries
  [[ -O $file && ! -L $file ]] || refuse 'nothing says which program is its host'
  while IFS= read -r line; do
    case $line in
      'node '*) node=${line#node } ;;
      'cli '*) cli=${line#cli } ;;
    esac
  done <"$file"
  [[ -x $node && -f $cli ]] || refuse 'the program of its host is no longer there'
  if ! take_start; then
    IFS= read -r starter <"$folder/starting"
    if ! { is_number "$starter" && kill -0 "$starter"; }; then
      rm -f "$folder/starting"
      take_start
    fi
  fi
  if [[ -n $is_starter ]]; then
    run_program "$node" "$cli" <"$file" >/dev/null &
  fi
  for ((tries = 0; tries < 30; tries++)); do
    connect && return
    sleep 0.1 || sleep 1
  done
  rm -f "$folder/starting" # Whoever made it did not start a host.
  refuse 'its host could not be reached or started within 3 seconds'
}

escaped() { # a value for a header line, in `value`
  value=${1//\\/\\\\}
  value=${value//$'\n'/\\n}
}

send() { # writes the call in `payload`
  local head name value
  head="hookline-guard 1"$'\n'"secret $secret"$'\n'
  escaped "$agent" && head+="agent $value"$'\n'
  escaped "$event" && head+="event $value"$'\n'
  head+="pid $PPID"$'\n'
  escaped "$PWD" && head+="cwd $value"$'\n'
  for name in CLAUDE_CODE_SESSION_ATTENDED CLAUDE_PROJECT_DIR COPILOT_PROJECT_DIR COPILOT_CLI_BINARY_VERSION GEMINI_PROJECT_DIR QWEN_PROJECT_DIR QWEN_CODE_STARTUP_VERSION; do
    [[ -z ${!name} ]] || { escaped "${!name}" && head+="var $name $value"$'\n'; }
  done
  head+="length ${#payload}"$'\n\n'
  if ((${#payload} > 32768)); then watch_writing; fi
  printf '%s%s' "$head" "$payload" >&3
}

watch_writing() { # A write of much data to a host that does not read would never end.
  (
    sleep "$LIMIT" &
    trap 'kill $!; exit' TERM
    wait $!
    kill -TERM $$
  ) </dev/null >/dev/null 3>&- &
  watchdog=$!
}

is_object() { # whether `$1` is one JSON object, as far as quotes and brackets tell
  local left outside= part before is_outside=yes IFS
  [[ $1 == '{'*'}' ]] || return 1
  left=${1//\\[\\\"]/}
  IFS='"'
  for part in $left; do
    [[ -z $is_outside ]] || outside+=$part
    [[ -z $is_outside ]] && is_outside=yes || is_outside=
  done
  [[ -z $is_outside ]] && outside=${outside//[^\{\}\[\]]/} || return 1
  outside=${outside#\{}
  outside=${outside%\}}
  while [[ -n $outside ]]; do
    before=$outside
    outside=${outside//\{\}/}
    outside=${outside//\[\]/}
    [[ $outside != "$before" ]] || return 1
  done
}

main() {
  local why= text= payload first left
  read_all 0 || refuse "$why"
  payload=$text
  connect || start_host
  send || refuse 'its host ended while it was asked'
  left=$((LIMIT - SECONDS))
  ((left > 0)) || refuse "$LATE"
  if ! IFS= read -r -n 200 -t "$left" -u 3 first; then
    ((SECONDS < LIMIT)) || refuse "$LATE"
    refuse 'its host ended before it answered'
  fi
  [[ ${first% *} == "hookline-guard 1 $proof" ]] || refuse 'another program answered in place of its host'
  is_number "${first##* }" || refuse 'the answer of its host cannot be read'
  read_all 3 || refuse "$why"
  ((${#text} == 10#${first##* })) || refuse 'the answer of its host was cut short'
  [[ -z $text ]] || is_object "$text" || refuse 'the answer of its host is not one JSON object'
  print "$text"
}

exec 2>/dev/null # What goes wrong here is part of the answer.
LC_ALL=C
set +o posix
set -f
SECONDS=0
LIMIT=3500        # seconds; agents wait an hour, and most of them then run the call
LARGEST=16777216  # bytes
# `-N` reads many bytes at once and leaves out NUL bytes, which JSON never has; bash before 4.1 does not know it.
((BASH_VERSINFO[0] > 4 || (BASH_VERSINFO[0] == 4 && BASH_VERSINFO[1] >= 1))) && BLOCK=(-N 4096) || BLOCK=(-d '' -n 4096)
LATE='no answer came in time'
UNPRINTED=2       # exit code of an answer that cannot be written; Claude Code and Copilot then block, and would run the call at 0
agent=$1 event=$2 folder=${BASH_SOURCE[0]%/*} answered= is_starter= watchdog=
case $agent in # those that wait less than an hour
  cline) LIMIT=115 ;;
  qwen) LIMIT=55 ;;
esac
trap finish EXIT
trap 'exit 0' HUP INT TERM
trap '' PIPE
main; exit
