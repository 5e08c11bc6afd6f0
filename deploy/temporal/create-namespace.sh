#!/bin/sh
# Waits until Temporal serves and creates the namespace if it is missing. Safe to repeat; an existing namespace is not changed.
# Reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE (the command's own) and NAMESPACE_RETENTION.
set -eu

attempts=60
until temporal operator cluster health >/dev/null 2>&1; do
  attempts=$((attempts - 1))
  if [ "$attempts" -eq 0 ]; then
    echo "Temporal at $TEMPORAL_ADDRESS does not serve. It says:" >&2
    temporal operator cluster health
    exit 1
  fi
  sleep 1
done

if temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
  echo "The namespace $TEMPORAL_NAMESPACE exists."
else
  temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"
fi
