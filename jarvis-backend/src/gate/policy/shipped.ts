import type { Tier } from '../../protocol/index.ts'
import { rules } from '../rules.ts'
import type { Policy, Rate } from './policy.ts'

export type ArgumentType = 'string' | 'number' | 'boolean'
/** What a policy can say of a tool: its own tier, and which arguments it takes. */
export type ToolFacts = { tier: Tier; args: Readonly<Record<string, ArgumentType>> }

const node = { node: 'string' } as const
const list = { ...node, status: 'string', limit: 'number' } as const
const power: ToolFacts = { tier: 'red', args: { vmid: 'number', ...node, force: 'boolean' } }

/** The tools and their base tiers. */
export const shippedTools: ReadonlyMap<string, ToolFacts> = new Map<string, ToolFacts>([
  ['get_cluster_status', { tier: 'green', args: {} }],
  ['get_node_status', { tier: 'green', args: node }],
  ['get_vms', { tier: 'green', args: list }],
  ['get_containers', { tier: 'green', args: list }],
  ['get_storage', { tier: 'green', args: list }],
  ['get_cluster_resources', { tier: 'green', args: { type: 'string' } }],
  ['get_node_temperature', { tier: 'green', args: node }],
  ['get_recent_tasks', { tier: 'green', args: { ...node, limit: 'number' } }],
  ['get_backups', { tier: 'green', args: { ...node, storage: 'string', vmid: 'number' } }],
  ['execute_ssh', { tier: 'yellow', args: { ...node, command: 'string' } }],
  ['restart_service', { tier: 'yellow', args: { ...node, service: 'string' } }],
  ['wake_node', { tier: 'yellow', args: node }],
  ['start_vm', power],
  ['stop_vm', power],
  ['restart_vm', power],
  ['start_container', power],
  ['stop_container', power],
  ['restart_container', power],
  ['memory_search', { tier: 'green', args: { query: 'string', limit: 'number' } }],
  ['memory_get', { tier: 'green', args: { path: 'string', firstLine: 'number', lines: 'number' } }],
  ['memory_write', { tier: 'yellow', args: { text: 'string', path: 'string', replaces: 'string' } }],
])

const minuteMs = 60_000
/** Far above what a person does, far below what a run gone wrong would. Reads are answered from memory and have none. */
export const rateOfChanges: Rate = { calls: 60, perMs: minuteMs }

export const shippedPolicy: Policy = {
  tiers: new Map([...shippedTools].map(([name, { tier }]) => [name, tier])),
  rules,
  protectedTargets: new Set(),
  allow: [],
  hosts: new Set(),
  profile: 'balanced',
  limits: {
    rates: new Map(
      [...shippedTools].filter(([, { tier }]) => tier !== 'green').map(([name]) => [name, [rateOfChanges]]),
    ),
    breaker: { failures: 5, withinMs: 5 * minuteMs, pauseMs: 5 * minuteMs },
  },
  topology: {},
}
