#!/bin/sh
# Creates the two databases of Temporal's server and brings their schemas to the version of this image. Safe to repeat:
# a database that is current is left alone, and one of an older server is upgraded.
# Reads SQL_PLUGIN, SQL_HOST, SQL_PORT and SQL_USER (temporal-sql-tool's own) and the password from a secret.
set -eu

SQL_PASSWORD=$(cat /run/secrets/postgres_password)
export SQL_PASSWORD

setup() { # database, schema inside the tool
  temporal-sql-tool --db "$1" create
  temporal-sql-tool --db "$1" setup-schema --version 0.0
  temporal-sql-tool --db "$1" update-schema --schema-name "$2"
}

setup temporal postgresql/v12/temporal
setup temporal_visibility postgresql/v12/visibility
echo 'Both databases are ready.'
