import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minuteMs } from 'homelab-ports/samples'
import { type ChatEvents, JarvisError, type ToolInput, usualLimits } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { StepUp } from '../src/auth/step-up.ts'
import { readConfig } from '../src/config/config.ts'
import { newId } from '../src/lib/ids.ts'
import { createSteadyClock } from '../src/lib/steady-clock.ts'
import { createSite } from '../src/site.ts'
import { SqliteSampleStore } from '../src/store/sqlite/samples/samples.ts'
import { folder } from './support/data-dir.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { createSimulator } from './support/simulator.ts'

const minute = Date.UTC(2026, 10, 1)
const word = 'zeppelin'
/** One session of one token, under the same names at both sites: nothing but the site tells them apart. */
const sessionId = 'ses_mcp_twin'

function open(policy: string, isNodeLost: boolean, given: Parameters<typeof createSite>[1]) {
  const dir = folder()
  writeFileSync(join(dir, 'policy.yaml'), `limits: { rates: { get_vms: 1/min } }\n${policy}`)
  const config = readConfig({ JARVIS_DATA_DIR: dir, LOG_LEVEL: 'silent', PORT: '0' })
  const lab = createSimulator({ clock: given.clock, protectedTargets: new Set(), speed: 1_000 })
  lab.controls.setNodeOffline('agent', isNodeLost)
  const sensors = { areDead: false }
  const temperature: typeof lab.cluster.temperature = async (node, options) => {
    if (sensors.areDead) throw new JarvisError('cluster_unreachable', 'The sensors do not answer.')
    return lab.cluster.temperature(node, options)
  }
  const stop = calls(['stop_vm', { vmid: 103 }])
  const model = scripted(stop, says(`Stopped, ${word}.`), stop, says('Stopped.'))
  const site = createSite(config, given, { model, homelab: { ...lab, cluster: { ...lab.cluster, temperature } } })
  site.store.createSession({ id: sessionId, title: 'MCP: twin', source: 'mcp', at: minute })
  site.apiTokens.create({ name: 'twin', doors: ['mcp'], scope: 'ask' }, 'operator')
  let closing: Promise<void> | undefined
  async function end() {
    await site.goDown()
    await site.stop()
    await site.close()
  }
  const close = () => (closing ??= end())
  onTestFinished(close)
  const told: { event: string; payload: object }[] = []
  const watcher = {
    isOperator: true,
    tell: <E extends keyof ChatEvents>(event: E, payload: ChatEvents[E]) => void told.push({ event, payload }),
  }
  return {
    site,
    dir,
    sensors,
    told,
    close,
    ask(text: string) {
      const sent = site.hub.start({ text, by: 'operator' })
      site.hub.watch(sent.sessionId, watcher)
      return sent.sessionId
    },
    pending: () => site.gate.confirmations.pending(),
    statusOf: (vmid: number) => site.homelab.cluster.state().guests.find((guest) => guest.vmid === vmid)?.status,
    /** The outcome of a call with the twins' token: a result, a refusal, or that a card was withdrawn. */
    async call(toolName: string, toolInput: ToolInput = {}) {
      const asked = { client: 'twin', token: 'twin', tell: () => {}, read: [], signal: new AbortController().signal }
      const outcome = await site.calls.callTool({ sessionId, runId: newId('run'), toolName, toolInput, ...asked })
      if (outcome.type === 'tool_result') return outcome.isError ? outcome.result : 'ran'
      return outcome.type
    },
    sampled: (name: string) => {
      const [series] = new SqliteSampleStore(site.database).read([name], { stepMs: minuteMs, from: minute, count: 1 })
      return series?.[1].some((values) => values?.some((value) => value !== undefined)) ?? false
    },
  }
}

const bytesIn = (dir: string) =>
  (readdirSync(dir, { recursive: true }) as string[])
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')

test('of two sites in one process, nothing of one is in the other', async () => {
  const clock = createFakeClock(minute - 30_000)
  const given = { version: '0.0.0-test', clock: createSteadyClock(clock), stepUp: new StepUp(clock.now) }
  const one = open('protected: [ct/104]', true, given)
  const other = open('', false, given)
  const until = async (isSo: () => boolean) => {
    for (let left = 2_000; left > 0 && !isSo(); left -= 1) await clock.advance(5)
    expect(isSo()).toBe(true)
  }

  // A message and a card.
  const asked = one.ask(`Stop 103, ${word}.`)
  await until(() => one.pending().length === 1)
  const [card] = one.pending()
  if (card === undefined) throw new Error('no card')
  expect(other.pending()).toEqual([])
  expect(other.site.store.session(asked)).toBeUndefined()
  const watcher = { isOperator: true, tell: () => {} }
  expect(() => other.site.hub.watch(asked, watcher)).toThrow(expect.objectContaining({ code: 'unknown_session' }))
  const approval = { toolUseId: card.toolUseId, confirmed: true, by: 'operator', grant: { uses: 3 } }
  expect(() => other.site.hub.decide(approval)).toThrow(expect.objectContaining({ code: 'unknown_confirmation' }))

  // A grant, and what it let run.
  await one.site.hub.decide(approval)
  await until(() => one.told.some(({ event }) => event === 'chat:done'))
  expect([one.site.gate.grants.list().length, other.site.gate.grants.list()]).toEqual([1, []])
  expect([one.statusOf(103), other.statusOf(103)]).toEqual(['stopped', 'running'])
  expect(other.told).toEqual([])
  other.ask('Stop 103.')
  await until(() => other.pending().length === 1)

  // A note.
  expect(await one.call('memory_write', { text: `The ${word} leaves at noon.` })).toBe('ran')
  // A rate: of the same session, token and tool.
  expect([await one.call('get_vms'), await one.call('get_vms')]).toEqual([
    'ran',
    expect.stringContaining('1 time in 60 s'),
  ])
  expect(await other.call('get_vms')).toBe('ran')
  // A breaker: of the same tool on a node of the same name.
  const temperature = () => one.call('get_node_temperature', { node: 'pve' })
  one.sensors.areDead = true
  for (let failed = 0; failed < 5; failed += 1) expect(await temperature()).toContain('do not answer')
  expect(await temperature()).toContain('left alone')
  expect(await other.call('get_node_temperature', { node: 'pve' })).toBe('ran')
  // A protected target.
  expect(await one.call('stop_container', { vmid: 104 })).toBe('blocked')
  const judged = [one, other].map(({ site }) => site.gate.policy.current().protectedTargets.has('ct/104'))
  expect(judged).toEqual([true, false])
  // A limit and a profile.
  one.site.homelab.limits.set({ ...usualLimits, cpuMinutes: 1 }, 'operator')
  one.site.gate.policy.setProfile('lockdown', 'operator')
  expect(other.site.homelab.limits.current()).toEqual(usualLimits)
  expect(other.site.gate.policy.current().profile).toBe('balanced')
  // A sample: of a node that only one site has lost.
  await clock.advance(30_000)
  expect([one.sampled('node/pve'), one.sampled('node/agent')]).toEqual([true, false])
  expect(other.sampled('node/agent')).toBe(true)
  // The feed and the journal.
  const feeds = [one, other].map(({ site }) => site.activity.newest().some(({ text }) => text.includes('lockdown')))
  expect(feeds).toEqual([true, false])
  const journals = await Promise.all([one, other].map(({ site }) => site.journal.page({ limit: 100 })))
  const kinds = journals.map(({ items }) => new Set(items.map(({ kind }) => kind)))
  expect(kinds.map((has) => has.has('grant') && has.has('settings') && has.has('policy'))).toEqual([true, false])
  expect(await one.site.journal.verify()).toMatchObject({ ok: true })
  expect(await other.site.journal.verify()).toMatchObject({ ok: true })

  // One goes; the other goes on.
  await one.close()
  expect(await other.call('get_containers')).toBe('ran')
  await other.close()
  expect([one, other].map(({ dir }) => bytesIn(dir).includes(word))).toEqual([true, false])
  expect(bytesIn(other.dir)).not.toContain(asked)
})
