import { scaledClock } from 'fake-proxmox/server/scaled-clock'
import type { Connection } from '../../src/homelab/connect.ts'
import { createProxmox } from '../../src/homelab/connect.ts'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { dyingDrill } from './dying-drill.ts'

/** Orders for a process that drills a guest. `dieAt`: the point at which the process kills itself without a word. */
export type Dying = { path: string; connection: Connection; anchor: number; speed: number; vmid: number; dieAt: string }

const { path, connection, anchor, speed, vmid, dieAt } = JSON.parse(process.argv[2] ?? '{}') as Dying
const clock = scaledClock(anchor, speed)
const cluster = createProxmox({
  connection,
  clock,
  protectedTargets: new Set<string>(),
  shell: { run: () => Promise.reject(new Error('no shell')) },
})
await dyingDrill({ api: cluster.api, cluster }, { database: openDatabase(path), clock, vmid }, (point) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL')
})
process.exit(3)
