#!/bin/sh
# A command that ignores SIGTERM and works as fast as it can: TOKEN tick PID, line by line, to the file $1. It starts in a
# millisecond, so that it would be caught at work beside a predecessor that is not dead yet.
exec 2> /dev/null
trap 'echo "$CAUCUS_TOKEN term $$" >> "$1"' TERM
echo "$CAUCUS_TOKEN start $$ $CAUCUS_ELECTION $CAUCUS_MEMBER" >> "$1"
while :; do
  echo "$CAUCUS_TOKEN tick $$" >> "$1" || exit 1
  sleep 0.002
done
