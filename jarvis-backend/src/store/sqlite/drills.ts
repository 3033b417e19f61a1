import type { Drill, DrillStore } from '../../drill/drill.ts'
import type { Database } from './database.ts'

const read = (facts: string) => JSON.parse(facts) as Drill
const verdicts = "verdict IN ('proven', 'failed') AND is_open IS NULL"

/** The restore drills. At most one row is open. */
export function createDrillStore({ sql }: Database): DrillStore {
  const insert = sql.prepare(
    `INSERT INTO drills (id, vmid, at, verdict, is_open, facts) VALUES (@id, @vmid, @at, @verdict, 1, @facts)
     ON CONFLICT (is_open) DO NOTHING`,
  )
  const update = sql.prepare('UPDATE drills SET verdict = @verdict, is_open = @isOpen, facts = @facts WHERE id = @id')
  const selectOpen = sql.prepare<[], string>('SELECT facts FROM drills WHERE is_open = 1').pluck()
  const selectLast = sql.prepare<[], string>('SELECT facts FROM drills ORDER BY at DESC, id DESC LIMIT 1').pluck()
  const selectOf = sql
    .prepare<[number], string>(
      `SELECT facts FROM drills WHERE vmid = ? AND ${verdicts} ORDER BY at DESC, id DESC LIMIT 1`,
    )
    .pluck()
  const selectEach = sql
    .prepare<[], string>(
      `SELECT facts FROM drills AS newest WHERE ${verdicts} AND id = (
         SELECT id FROM drills WHERE vmid = newest.vmid AND ${verdicts} ORDER BY at DESC, id DESC LIMIT 1
       ) ORDER BY at DESC, id DESC`,
    )
    .pluck()

  return {
    begin(drill) {
      const { id, vmid, at, verdict } = drill
      return insert.run({ id, vmid, at, verdict, facts: JSON.stringify(drill) }).changes === 1
    },
    save(drill) {
      const { id, verdict, step } = drill
      update.run({ id, verdict, isOpen: step === 'ended' ? null : 1, facts: JSON.stringify(drill) })
    },
    open() {
      const facts = selectOpen.get()
      return facts === undefined ? undefined : read(facts)
    },
    lastCopy() {
      const facts = selectLast.get()
      return facts === undefined ? undefined : read(facts).copy
    },
    proofs: (vmid) => (vmid === undefined ? selectEach.all() : selectOf.all(vmid)).map(read),
  }
}
