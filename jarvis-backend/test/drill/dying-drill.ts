import type { Homelab } from 'homelab-ports/ports'
import type { Drill, DrillStore } from '../../src/drill/drill.ts'
import type { Clock } from '../../src/lib/clock.ts'
import type { Database } from '../../src/store/sqlite/database.ts'
import { SqliteDrillStore } from '../../src/store/sqlite/drills.ts'
import { drillsOver } from './drills-over.ts'

const asks: [method: string, end: RegExp, name: string][] = [
  ['POST', /\/(?:qemu|lxc)$/, 'restore'],
  ['POST', /status\/start$/, 'start'],
  ['POST', /agent\/ping$/, 'ping'],
  ['POST', /status\/stop$/, 'stop'],
  ['DELETE', /\/99\d{4}$/, 'destroy'],
]

/** Drills a guest, and reaches each step that it stores, inside its transaction, and each request to the cluster, before and after it. */
export async function dyingDrill(
  { api, cluster }: Pick<Homelab, 'api' | 'cluster'>,
  parts: { database: Database; clock: Clock; vmid: number },
  reach: (point: string) => void | Promise<void>,
) {
  const { database, clock, vmid } = parts
  const stored = new SqliteDrillStore(database)
  const store: DrillStore = {
    open: () => stored.open(),
    lastCopy: () => stored.lastCopy(),
    proofs: (of) => stored.proofs(of),
    begin(drill) {
      const isOurs = stored.begin(drill)
      void reach('claimed, not committed')
      return isOurs
    },
    save(drill: Drill) {
      stored.save(drill)
      void reach(`${drill.step}, not committed`)
    },
  }
  const reached: typeof api = {
    ...api,
    async change(request, ask) {
      const name = asks.find(([of, end]) => of === request.method && end.test(request.path.join('/')))?.[2]
      await reach(`before the ${name}`)
      const answer = await api.change(request, ask)
      await reach(`after the ${name}`)
      return answer
    },
  }
  const { run } = drillsOver({ api: reached, cluster }, database, { store, clock })
  for (let tries = 1; ; tries += 1) {
    try {
      return await run(vmid)
    } catch (error) {
      // The clock runs fast: on a busy machine a node's answer may be too old by it.
      if (tries === 20 || !String(error).includes('no node is online')) throw error
      await api.wait(1_000, new AbortController().signal)
    }
  }
}
