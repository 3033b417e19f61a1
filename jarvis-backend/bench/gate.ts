import { systemClock } from 'node-kit/clock'
import { createJudge } from '../src/calls/judge.ts'
import { shippedPolicy } from '../src/gate/policy/shipped.ts'
import { createCatalog } from '../src/tools/catalog.ts'
import { changingCommands, hostileCommands, neededCommands } from '../test/corpora/ssh.ts'
import { overHomelab } from '../test/support/house.ts'
import { createSimulator } from '../test/support/simulator.ts'
import type { Row } from './rows.ts'
import { median } from './statistics.ts'

const reads: readonly (readonly [string, Record<string, unknown>])[] = [
  ['get_cluster_status', {}],
  ['get_vms', { status: 'running', limit: 20 }],
  ['get_node_status', { node: 'pve' }],
  ['get_recent_tasks', { node: 'pve', limit: 50 }],
  ['get_backups', { vmid: 101 }],
]
/** 4 kB that make a grammar or a path's patterns look as often as they can. */
const longest = ['cat /', 'grep x /pve/', 'find / -name ', 'ls ', 'ps aux | jq ', 'echo ', 'journalctl -u '].flatMap(
  (start) =>
    ['/priv.auth.key/a', 'a ', '.bak', '-', "''", '.[a', '1,'].map((piece) => start.padEnd(4_096, piece).trimEnd()),
)
const commands = [...neededCommands, ...hostileCommands, ...changingCommands, ...longest]

/** The whole way to a verdict, as chat and MCP take it: schema, target, rules, command, where its words come from. */
export function gateRow(): Row {
  const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1 })
  const world = { cluster: homelab.cluster.state(), policy: shippedPolicy, now: Date.now() }
  homelab.cluster.close()
  const judge = createJudge(createCatalog(overHomelab(homelab)), () => world)
  const text = 'pve pvestatd[921]: status update time (5.2 seconds)\n'.repeat(100)
  const sources = () => ({
    results: [{ toolName: 'execute_ssh', toolUseId: 'tu_1', text }],
    operatorTexts: ['Have a look at what goes on.'],
  })
  const microseconds = (toolName: string, input: Record<string, unknown>) => {
    const since = process.hrtime.bigint()
    judge(toolName, input, { sources })
    return Number(process.hrtime.bigint() - since) / 1000
  }
  return {
    name: 'gate',
    lines: [
      { title: 'verdict on a get_* call, µs p50', most: 50 },
      { title: `verdict on an SSH command, µs p50 of ${commands.length.toLocaleString('en')}`, most: 500 },
      { title: 'the slowest of them, best of three, ms', most: 5 },
    ],
    async ours() {
      const read = Array.from({ length: 400 }, () => reads.map(([name, input]) => microseconds(name, input))).flat()
      const passes = [1, 2, 3].map(() =>
        commands.map((command) => microseconds('execute_ssh', { node: 'pve', command })),
      )
      const best = commands.map((_, index) => Math.min(...passes.map((pass) => pass[index] ?? Number.NaN)))
      return [median(read), median(passes.flat()), Math.max(...best) / 1000]
    },
  }
}
