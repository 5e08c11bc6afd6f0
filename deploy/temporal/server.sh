#!/bin/sh
# Starts Temporal's server with the database password from a secret: the image takes it only from the environment, and
# there "docker inspect" would show it.
set -eu

POSTGRES_PWD=$(cat /run/secrets/postgres_password)
export POSTGRES_PWD
exec /etc/temporal/entrypoint.sh
