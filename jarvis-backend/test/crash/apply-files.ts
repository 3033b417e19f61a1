import { openDatabase } from '../../src/store/sqlite/database.ts'
import { SqliteApplyJournal } from '../../src/store/sqlite/file-changes.ts'
import { createApplier } from '../../src/workbench/files/applier.ts'
import { createContentStore } from '../../src/workbench/files/content-store.ts'
import type { FileChange } from '../../src/workbench/files/entry.ts'

/** `dir`: the folder that is changed. `data`: what is kept of it. `finishes`: what an earlier process began, in place of the changes. */
export type Given = { dir: string; data: string; changes: FileChange[]; finishes: boolean }

/** Makes changes of files, or finishes them, reaching each step. @returns what came of them */
export async function applyFiles({ dir, data, changes, finishes }: Given, reached: (step: string) => void) {
  const plain = { seal: (_: string, text: string) => text, open: (_: string, text: string) => text }
  const store = createContentStore(`${data}/kept`, plain)
  const database = openDatabase(`${data}/jarvis.db`)
  const applier = createApplier({
    journal: new SqliteApplyJournal(database, () => 0),
    partsOf: () => ({ rootOf: (name) => ({ name, path: dir, write: true, own: [] }), read: store.read, reached }),
    hasRoom: () => true,
    report: (error) => void process.stderr.write(String(error)),
  })
  try {
    if (finishes) applier.finish()
    else await applier.apply('tu_1', changes, new AbortController().signal)
    return applier.outcomeOf('tu_1')
  } finally {
    database.close()
  }
}
