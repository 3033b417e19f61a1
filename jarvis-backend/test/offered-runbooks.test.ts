import { systemClock } from 'node-kit/clock'
import { type RunbookCheck, type RunbookRunReply, usualLimits } from 'protocol'
import { expect, test } from 'vitest'
import { toolFacts } from '../src/plans/tool-facts.ts'
import { RunbookLibrary } from '../src/runbooks/library.ts'
import { shippedRunbooks } from '../src/runbooks/shipped/index.ts'
import { createCatalog } from '../src/tools/catalog.ts'
import { houseTools } from '../src/tools/house.ts'
import type { Tool } from '../src/tools/tool.ts'
import { CannotRun, type Check, type CheckPorts, type Measure } from '../src/watch/check.ts'
import { makeChecks } from '../src/watch/checks/index.ts'
import { siteObject } from '../src/watch/measure.ts'
import { createWorkspace } from '../src/workspace/files.ts'
import { folder } from './support/data-dir.ts'
import { createSimulator } from './support/simulator.ts'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis()

/** The runbooks that come with JARVIS, in a library of their own. */
function shipped(): RunbookLibrary {
  const library = new RunbookLibrary({
    files: createWorkspace(folder()),
    tools: toolFacts(createCatalog(houseTools as unknown as Tool[]), ({ tier }) => tier),
    shipped: shippedRunbooks,
    settings: { get: () => undefined, set() {} },
    lastRun: () => undefined,
    record: (_change, work) => work(),
    changed() {},
    report(error) {
      throw error
    },
  })
  library.ship()
  return library
}

/** Everything that a check measures on the demo cluster, what fires first. */
async function measuresOf(check: Check): Promise<readonly Pick<Measure, 'object' | 'inputs' | 'level'>[]> {
  const { cluster, api, shell } = createSimulator({ clock: systemClock, protectedTargets: new Set() })
  const ports: CheckPorts = {
    limits: usualLimits,
    proofs: new Map(),
    samples: () => [],
    own: () => undefined,
    pools: { get: () => undefined, keep() {} },
    ask: async () => ({}),
    now: Date.now(),
    state: structuredClone(cluster.state()),
    api,
    cluster,
    shell,
    signal: AbortSignal.timeout(60_000),
  }
  try {
    const { measures } = await check.look(ports)
    if (measures.length > 0)
      return measures.toSorted((one, other) => Number(one.level === 'clear') - Number(other.level === 'clear'))
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error
  }
  // The demo has no QDevice and no backup server to ask. An alert of the first is about the site, one of the second about a guest.
  return [
    { object: siteObject, level: 'failed' },
    { object: { id: 'vm/131', name: 'ollama', vmid: 131 }, level: 'failed', inputs: { vmid: 131 } },
  ]
}

/** Runbooks that the demo refuses, with the reason: its UPS would shut down the protected node. */
const refused: Record<string, RegExp> = { 'ups-shutdown': /agent1 is protected/ }

test('each shipped runbook that an alert offers makes its plan with what the alert fills in', async () => {
  const library = shipped()
  const post = async <T>(path: string, json: object) =>
    (await (await jarvis.rest(path, { method: 'POST', json })).json()) as T
  const screen = await jarvis.connect()
  const offered = new Set<string>()
  const failing: string[] = []
  for (const check of makeChecks()) {
    const wanted = library
      .list()
      .flatMap(({ name, alerts }) => (alerts.includes(check.id) || check.runbooks?.includes(name) ? [name] : []))
    const measures = wanted.length === 0 ? [] : await measuresOf(check)
    for (const name of wanted) {
      const inputs = measures.flatMap(({ object, inputs: known }) =>
        library
          .offers(check.id, {
            object,
            ...(check.runbooks && { runbooks: check.runbooks }),
            ...(known && { inputs: known }),
          })
          .flatMap((one) => (one.name === name ? [one.inputs] : [])),
      )
      let problem = inputs.length === 0 ? 'it is never offered' : ''
      for (const given of inputs.slice(0, 8)) {
        const text = shippedRunbooks.get(name) ?? ''
        const { plan } = await post<RunbookCheck>('/api/runbooks/check', { text, inputs: given })
        problem = plan?.problem?.message ?? (plan === undefined ? 'it makes no plan' : '')
        if (problem !== '' && refused[name]?.test(problem) !== true) continue
        problem = ''
        if (offered.has(name)) break
        offered.add(name)
        // Run as the button at the alert runs it: it comes to its card, or, without a step that asks, to its end.
        const { sessionId } = await post<RunbookRunReply>(`/api/runbooks/${name}/run`, { inputs: given })
        const seen = async () => (await screen.ask('chat:attach', { sessionId })).snapshot
        await expect
          .poll(async () => {
            const { pending, entries } = await seen()
            return pending.length > 0 || entries.some(({ type }) => type === 'tool_result' || type === 'blocked')
          })
          .toBe(true)
        const { pending, entries } = await seen()
        for (const { toolUseId } of pending)
          await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
        const end = entries.find((entry) => entry.type === 'tool_result' || entry.type === 'blocked')
        if (end?.type === 'blocked') problem = end.reason
        if (end?.type === 'tool_result' && end.isError && refused[name] === undefined) problem = end.summary
        break
      }
      if (problem !== '') failing.push(`${check.id} offers ${name}: ${problem}`)
    }
  }
  expect(failing).toEqual([])
  expect([...offered].sort()).toEqual([...shippedRunbooks.keys()].sort())
})
