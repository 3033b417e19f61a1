import fc from 'fast-check'
import { systemClock } from 'node-kit/clock'
import { profileNames, type ToolInput, tiers } from 'protocol'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { runs } from '../../scripts/property-runs.ts'
import { type Agent, agentOf, mayUse } from '../src/agents/agent.ts'
import { agentsIn } from '../src/agents/registry.ts'
import { createJudge } from '../src/calls/judge.ts'
import type { Judgement } from '../src/calls/judgement.ts'
import { shippedPolicy } from '../src/gate/index.ts'
import { createCatalog } from '../src/tools/catalog.ts'
import { defineTool } from '../src/tools/tool.ts'
import { overHomelab } from './support/house.ts'
import { createSimulator } from './support/simulator.ts'

const attached = defineTool({
  name: 'far__do',
  title: 'Do',
  description: 'Does.',
  tier: 'red',
  timeoutMs: 1_000,
  input: z.strictObject({}),
  touches: [{ kind: 'remote', on: 'tool' }],
  effects: () => [{ kind: 'remote', on: 'tool', target: { kind: 'none', id: 'tool/far__do@1' } }],
  attached: { server: 'far', hash: '1', inputSchema: {}, listed: new Set() },
  run: async () => ({ text: '', summary: '' }),
})
/** Calls of all tiers, at things that there are and are not. */
const some: readonly [string, ToolInput][] = [
  ['get_vms', {}],
  ['get_storage', {}],
  ['execute_ssh', { node: 'pve', command: 'df -h' }],
  ['execute_ssh', { node: 'pve', command: 'reboot' }],
  ['restart_service', { node: 'pve', service: 'pvestatd' }],
  ['start_vm', { vmid: 131 }],
  ['stop_vm', { vmid: 101 }],
  ['stop_vm', { vmid: 1 }],
  ['take_snapshot', { vmid: 101, name: 'a' }],
  ['destroy_guest', { vmid: 142, name: 'win11-lab' }],
  ['reboot_node', { node: 'agent' }],
  ['far__do', {}],
  ['no_such_tool', {}],
]
const names = [...new Set(some.map(([name]) => name)), 'get_*', 'stop_*', 'far__*', '*']
const lists = fc.record({ allow: fc.subarray(names), deny: fc.subarray(names.slice(0, -1)) }, { requiredKeys: [] })
const anAgent = fc
  .record({
    tools: lists,
    ceiling: fc.constantFrom('green' as const, 'yellow' as const, 'red' as const),
    memory: fc.constantFrom('own' as const, 'shared' as const, 'none' as const),
  })
  .map((body): Agent => agentOf('media', body))

const rankOf = ({ kind, verdict }: Judgement) => (kind === 'ready' ? tiers.indexOf(verdict.tier) : tiers.length)
const homelab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
const catalog = createCatalog([...overHomelab(homelab), attached])

test('for every call and every agent no verdict is lower than main’s, and nothing off the list or above the ceiling is ready', () => {
  fc.assert(
    fc.property(
      anAgent,
      fc.constantFrom(...some),
      fc.constantFrom(...profileNames),
      (agent, [name, input], profile) => {
        const world = () => ({ cluster: homelab.cluster.state(), policy: { ...shippedPolicy, profile }, now: 0 })
        const judge = createJudge(catalog, world, { agents: agentsIn(() => [agentOf('main', {}), agent]) })
        for (const kind of ['chat', 'command', 'plan', 'client_plan', 'mcp', 'job']) {
          const own = judge(name, input, { asker: { kind, agent: 'media' } })
          const main = judge(name, input, { asker: { kind } })
          expect(rankOf(own)).toBeGreaterThanOrEqual(rankOf(main))
          if (own.kind === 'ready') {
            const tool = catalog.get(name)
            expect(tool !== undefined && mayUse(agent, tool)).toBe(true)
            expect(tiers.indexOf(own.verdict.tier)).toBeLessThanOrEqual(tiers.indexOf(agent.ceiling))
            expect(own.verdict).toEqual(main.verdict)
          }
        }
      },
    ),
    runs(100),
  )
})

test('an agent that is gone may nothing, and main’s rights serve no call of it', () => {
  const world = () => ({ cluster: homelab.cluster.state(), policy: shippedPolicy, now: 0 })
  const judge = createJudge(catalog, world)
  for (const [name, input] of some)
    expect(judge(name, input, { asker: { kind: 'command', agent: 'media' } })).toMatchObject({
      kind: 'blocked',
      verdict: { rule: 'agent_gone' },
    })
})

test('deny wins, a memory of none takes the tools that remember, and a cut result can be read on', () => {
  const agent = agentOf('media', { tools: { allow: ['get_*'], deny: ['get_vms'] }, memory: 'none' })
  expect(mayUse(agent, { name: 'get_storage' })).toBe(true)
  expect(mayUse(agent, { name: 'get_vms' })).toBe(false)
  expect(mayUse(agent, { name: 'start_vm' })).toBe(false)
  expect(mayUse(agent, { name: 'read_result', rereads: () => 'id' })).toBe(true)
  expect(mayUse({ ...agent, tools: { deny: ['read_*'] } }, { name: 'read_result', rereads: () => 'id' })).toBe(false)
  expect(mayUse({ ...agent, tools: { allow: ['*'] } }, { name: 'memory_get', remembers: true })).toBe(false)
})
