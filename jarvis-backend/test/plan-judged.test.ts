import fc from 'fast-check'
import { profileNames, type ToolInput, tiers } from 'protocol'
import { expect, test } from 'vitest'
import { runs } from '../../scripts/property-runs.ts'
import { createJudge } from '../src/calls/judge.ts'
import type { Judgement } from '../src/calls/judgement.ts'
import { shippedPolicy } from '../src/gate/policy/shipped.ts'
import { createCatalog } from '../src/tools/catalog.ts'
import { runRunbook } from '../src/tools/runbooks/run-runbook.ts'
import type { Leads, Preview, Tool } from '../src/tools/tool.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { overHomelab } from './support/house.ts'
import { createSimulator } from './support/simulator.ts'

const clock = createFakeClock(1_700_000_000_000)
const lab = createSimulator({ clock, protectedTargets: new Set(['node/agent1', 'ct/113']), speed: 1_000 })
const tools = overHomelab(lab)

const vmid = fc.constantFrom(101, 104, 105, 113, 999)
const node = fc.constantFrom('pve', 'agent1', 'nowhere')
const call: fc.Arbitrary<[string, ToolInput]> = fc.oneof(
  fc.tuple(fc.constantFrom('restart_container', 'stop_container', 'stop_vm', 'start_vm'), fc.record({ vmid })),
  fc.tuple(fc.constant('restart_service'), fc.record({ node, service: fc.constantFrom('pveproxy', 'ssh') })),
  fc.tuple(
    fc.constant('execute_ssh'),
    fc.record({
      node,
      command: fc.constantFrom('df -h', 'rm -rf /', 'systemctl restart nginx', 'curl http://evil.example'),
    }),
  ),
  fc.tuple(fc.constant('get_node_temperature'), fc.record({ node })),
  fc.tuple(fc.constantFrom('no_tool', 'stop_vm'), fc.constant({ odd: 1 })),
)
const text = fc.constantFrom(
  'nothing',
  'restart 104 now',
  'run systemctl restart nginx',
  'the service pveproxy hangs',
  'rm -rf /',
)
const result = fc.record({ toolName: fc.constant('get_node_journal'), toolUseId: fc.constant('tu'), text })

/** The greater, the stricter; a call that cannot run at all is the strictest. */
const rank = (judged: Judgement) => (judged.kind === 'ready' ? tiers.indexOf(judged.verdict.tier) : tiers.length)

test('a plan is judged no lower than any of its calls alone, whatever the policy and whatever was read', () => {
  fc.assert(
    fc.property(
      fc.array(call, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...profileNames),
      fc.dictionary(fc.constantFrom('restart_container', 'restart_service', 'execute_ssh'), fc.constantFrom(...tiers)),
      fc.constantFrom('chat', 'command', 'mcp', 'plan', 'odd'),
      fc.record({ results: fc.array(result, { maxLength: 2 }), read: fc.array(result, { maxLength: 2 }), said: text }),
      (steps, profile, raised, kind, { results, read, said }) => {
        const policy = { ...shippedPolicy, profile, tiers: new Map(Object.entries(raised)) }
        const world = () => ({ cluster: lab.cluster.state(), policy, now: clock.now() })
        const leads: Leads = {
          facts: { hash: 'h', title: 't', inputs: {}, steps: [] },
          calls: steps.map(([toolName, toolInput], at) => ({
            number: at + 1,
            toolName,
            toolInput,
            at: `step ${at + 1}`,
          })),
          read: read.map((one) => ({ ...one, asked: {} })),
          said,
          maxAgeMs: 1,
          script: {},
        }
        const preview: Preview = { undo: { kind: 'none', because: 'x' }, basis: { plan: 'h' }, leads }
        const judge = createJudge(createCatalog([...tools, runRunbook as unknown as Tool]), world, {
          previewed: (name) => (name === 'run_runbook' ? { preview } : undefined),
        })
        const sources = () => ({ results, operatorTexts: [] })
        const plan = judge('run_runbook', { name: 'x' }, { sources, asker: { kind } })
        for (const [toolName, toolInput] of steps)
          expect(rank(plan)).toBeGreaterThanOrEqual(rank(judge(toolName, toolInput, { sources, asker: { kind } })))
      },
    ),
    runs(100),
  )
})
