import type { Homelab } from 'homelab-ports/ports'
import { systemClock } from 'node-kit/clock'
import { Drills, type DrillsParts } from '../../src/drill/drills.ts'
import { Identities } from '../../src/homelab/identities.ts'
import { withIdentities } from '../../src/homelab/with-identities.ts'
import type { Database } from '../../src/store/sqlite/database.ts'
import { SqliteDrillStore } from '../../src/store/sqlite/drills.ts'
import { SqliteGenerationStore } from '../../src/store/sqlite/generations.ts'

export const ids = { first: 990_000, last: 990_009 }

/** The drills over a cluster, as a site wires them, with what they write and say. */
export function drillsOver(
  { api, cluster: known }: Pick<Homelab, 'api' | 'cluster'>,
  database: Database,
  replace: Partial<DrillsParts> = {},
) {
  const store = new SqliteDrillStore(database)
  const journal: Record<string, unknown>[] = []
  const said: string[] = []
  const marked = new Identities({
    store: new SqliteGenerationStore(database),
    marks: (vmid) => known.marks?.(vmid),
    report: (error) => void said.push(String(error)),
  })
  const { cluster } = withIdentities({ api, cluster: known } as Homelab, marked)
  const drills = new Drills({
    store,
    api,
    cluster,
    ids,
    hasOwnToken: false,
    clock: systemClock,
    durably: database.durably,
    redact: (text) => text,
    journal: { append: (_kind, body) => void journal.push(body) },
    announce: (text) => void said.push(text),
    changed() {},
    report: (error) => void said.push(String(error)),
    ...replace,
  })
  const run = (vmid: number, signal = new AbortController().signal) => drills.run({ vmid }, { signal, onProgress() {} })
  return { drills, store, journal, said, run }
}
