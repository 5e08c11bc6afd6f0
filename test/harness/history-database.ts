/** Temporal's SQLite file in the hands of somebody who may write to it: the events of every history, to read and to rewrite. */
import { execFileSync } from 'node:child_process';
import { temporal } from '@temporalio/proto';

const { History } = temporal.api.history.v1;
export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Node 20 has no SQLite. Python, which tests need anyway, has it in its standard library. */
const READ = `
import base64, json, sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("SELECT rowid, data FROM history_node WHERE data_encoding = 'Proto3'")
print(json.dumps([[id, base64.b64encode(data).decode()] for id, data in rows]))
`;
const WRITE = `
import base64, json, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
rows = json.load(sys.stdin)
database.executemany("UPDATE history_node SET data = ? WHERE rowid = ?", [(base64.b64decode(data), id) for id, data in rows])
database.commit()
`;

/** Calls `rewrite` for each event of each history in the file of a server that does not run. It returns whether it changed it. */
export function rewriteHistories(dbFile: string, rewrite: (event: HistoryEvent) => boolean): number {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1_048_576 } as const;
  const rows: [id: number, data: string][] = JSON.parse(execFileSync('python3', ['-c', READ, dbFile], options));
  let changes = 0;
  const changed = rows.flatMap(([id, data]) => {
    const history = History.decode(Buffer.from(data, 'base64'));
    const count = history.events.filter(rewrite).length;
    changes += count;
    return count === 0 ? [] : [[id, Buffer.from(History.encode(history).finish()).toString('base64')]];
  });
  execFileSync('python3', ['-c', WRITE, dbFile], { ...options, input: JSON.stringify(changed) });
  return changes;
}
