import type { Drill, DrillStore } from '../../drill/drill.ts'
import { SqliteStore } from './sqlite-store.ts'

const read = (facts: string) => JSON.parse(facts) as Drill
const verdicts = "verdict IN ('proven', 'failed') AND is_open IS NULL"

/** The restore drills. At most one row is open. */
export class SqliteDrillStore extends SqliteStore implements DrillStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO drills (id, vmid, at, verdict, is_open, facts) VALUES (@id, @vmid, @at, @verdict, 1, @facts)
     ON CONFLICT (is_open) DO NOTHING`,
  )
  readonly #update = this.sql.prepare(
    'UPDATE drills SET verdict = @verdict, is_open = @isOpen, facts = @facts WHERE id = @id',
  )
  readonly #selectOpen = this.sql.prepare<[], string>('SELECT facts FROM drills WHERE is_open = 1').pluck()
  readonly #selectLast = this.sql
    .prepare<[], string>('SELECT facts FROM drills ORDER BY at DESC, id DESC LIMIT 1')
    .pluck()
  readonly #selectOf = this.sql
    .prepare<[number], string>(
      `SELECT facts FROM drills WHERE vmid = ? AND ${verdicts} ORDER BY at DESC, id DESC LIMIT 1`,
    )
    .pluck()
  readonly #selectEach = this.sql
    .prepare<[], string>(
      `SELECT facts FROM drills AS newest WHERE ${verdicts} AND id = (
         SELECT id FROM drills WHERE vmid = newest.vmid AND ${verdicts} ORDER BY at DESC, id DESC LIMIT 1
       ) ORDER BY at DESC, id DESC`,
    )
    .pluck()

  begin(drill: Drill): boolean {
    const { id, vmid, at, verdict } = drill
    return this.#insert.run({ id, vmid, at, verdict, facts: JSON.stringify(drill) }).changes === 1
  }

  save(drill: Drill): void {
    const { id, verdict, step } = drill
    this.#update.run({ id, verdict, isOpen: step === 'ended' ? null : 1, facts: JSON.stringify(drill) })
  }

  open(): Drill | undefined {
    const facts = this.#selectOpen.get()
    return facts === undefined ? undefined : read(facts)
  }

  lastCopy(): number | undefined {
    const facts = this.#selectLast.get()
    return facts === undefined ? undefined : read(facts).copy
  }

  proofs(vmid?: number): Drill[] {
    return (vmid === undefined ? this.#selectEach.all() : this.#selectOf.all(vmid)).map(read)
  }
}
