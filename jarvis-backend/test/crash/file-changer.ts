import { openDatabase } from '../../src/store/sqlite/database.ts'
import { createApplyJournal } from '../../src/store/sqlite/file-changes.ts'
import { createApplier } from '../../src/workbench/files/applier.ts'
import { createContentStore } from '../../src/workbench/files/content-store.ts'
import type { FileChange } from '../../src/workbench/files/entry.ts'

/** A process that makes changes of files, or finishes them, and dies at the step that it is told. */
type Given = { dir: string; data: string; changes: FileChange[]; dieAt: string; finishes: boolean }
const { dir, data, changes, dieAt, finishes } = JSON.parse(process.argv[2] ?? '') as Given

const plain = { seal: (_: string, text: string) => text, open: (_: string, text: string) => text }
const store = createContentStore(`${data}/kept`, plain)
const database = openDatabase(`${data}/jarvis.db`)
const reached = (step: string) => {
  if (step === dieAt) process.kill(process.pid, 'SIGKILL')
}
const applier = createApplier({
  journal: createApplyJournal(database, () => 0),
  partsOf: () => ({ rootOf: (name) => ({ name, path: dir, write: true, own: [] }), read: store.read, reached }),
  report: (error) => void process.stderr.write(String(error)),
})
if (finishes) applier.finish()
else await applier.apply('tu_1', changes, new AbortController().signal)
process.stdout.write(JSON.stringify(applier.outcomeOf('tu_1')))
