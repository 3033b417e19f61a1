import type { Drill, DrillStore } from '../../src/drill/drill.ts'
import { createProxmox } from '../../src/homelab/proxmox/index.ts'
import type { Connection } from '../../src/homelab/proxmox/transport.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { createDrillStore } from '../../src/store/sqlite/drills.ts'
import { scaledClock } from '../fake-proxmox/scaled-clock.ts'
import { drillsOver } from './drills-over.ts'

/** What a process that drills a guest is told. `dieAt`: where it is killed, by itself and without a word. */
export type Dying = { path: string; connection: Connection; anchor: number; speed: number; vmid: number; dieAt: string }

const told = JSON.parse(process.argv[2] ?? '{}') as Dying
const { path, connection, anchor, speed, vmid, dieAt } = told
const reach = (point: string) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL')
}
const asks: [method: string, end: RegExp, name: string][] = [
  ['POST', /\/(?:qemu|lxc)$/, 'restore'],
  ['POST', /status\/start$/, 'start'],
  ['POST', /agent\/ping$/, 'ping'],
  ['POST', /status\/stop$/, 'stop'],
  ['DELETE', /\/99\d{4}$/, 'destroy'],
]
const database = openDatabase(path)
const stored = createDrillStore(database)
const store: DrillStore = {
  ...stored,
  begin(drill) {
    const isOurs = stored.begin(drill)
    reach('claimed, not committed')
    return isOurs
  },
  save(drill: Drill) {
    stored.save(drill)
    reach(`${drill.step}, not committed`)
  },
}
const clock = scaledClock(anchor, speed)
const cluster = createProxmox({
  ...{ connection, clock, protectedTargets: new Set<string>() },
  shell: { run: () => Promise.reject(new Error('no shell')) },
})
const api = {
  ...cluster.api,
  async change(...[method, place, form, ask]: Parameters<typeof cluster.api.change>) {
    const name = asks.find(([of, end]) => of === method && end.test(place.join('/')))?.[2]
    reach(`before the ${name}`)
    const answer = await cluster.api.change(method, place, form, ask)
    reach(`after the ${name}`)
    return answer
  },
}
const { run } = drillsOver({ api, cluster }, database, { store, clock })
for (let tries = 1; ; tries += 1) {
  try {
    await run(vmid)
    break
  } catch (error) {
    // The clock runs fast: on a busy machine a node's answer may be too old by it.
    if (tries === 20 || !String(error).includes('no node is online')) throw error
    await cluster.api.wait(1_000, new AbortController().signal)
  }
}
process.exit(3)
