#!/bin/sh
# Starts coturn with turnserver.conf, TURN_SECRET and PUBLIC_ADDRESS. Arguments are handed to coturn.
# The secret goes into a file that only this user reads: every user of the machine sees command lines.
set -eu
umask 077
secret=${TURN_SECRET:?"set TURN_SECRET, the PACELINE_TURN_SECRET of the server"}
address=${PUBLIC_ADDRESS:?"set PUBLIC_ADDRESS, the address that players reach this machine by"}
if [ "${#secret}" -lt 32 ]; then
  echo "TURN_SECRET: expected at least 32 characters, got ${#secret}; make one: openssl rand -hex 32" >&2
  exit 2
fi
config=$(mktemp)
cat "$(dirname "$0")/turnserver.conf" >"$config"
printf 'static-auth-secret=%s\nexternal-ip=%s\n' "$secret" "$address" >>"$config"
exec turnserver -c "$config" "$@"
