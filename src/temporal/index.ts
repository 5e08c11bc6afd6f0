/**
 * temporal/: our access to Temporal for client, webhook, worker and commands: connection, runtime, search attributes, list
 * queries and the history of earlier runs. It imports contract/, process/ and the data converter
 * of codec/, and names the files of workflows/ to the bundler.
 */
