import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ModelError } from '../src/agent/model.ts'
import { secrets } from './corpora/redaction-secrets.ts'
import { createToken } from './support/api-tokens.ts'
import { doctored } from './support/doctored-homelab.ts'
import { breaks, type CallOf, calls, says, scripted } from './support/scripted-model.ts'
import { createSimulator } from './support/simulator.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** Set in the environment, and of no form that could be known. */
const configured = ['correct-horse-battery', 'the-openai-key-of-this-house', 'the-anthropic-key-of-this-house']
/** One line each, so that names can hold them; behind these words, a secret is known at the start of a line alone. */
const atLineStart =
  /\n|^(?:passphrase|r[ow]community|snmp-server|createuser|wpa-psk|wireless-key|requirepass|masterauth|bindpw|rootpw)/
const shaped = secrets.filter(([text]) => !atLineStart.test(text))
const planted = [...configured.map((secret) => `see ${secret} there`), ...shaped.map(([text]) => text)]
const gone = [...configured, ...new Set(shaped.map(([, secret]) => secret))]
const leaksIn = (text: string) => gone.filter((secret) => text.includes(secret))

const filesBelow = (dir: string): string[] =>
  readdirSync(dir).flatMap((name) => {
    const path = join(dir, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [path]
  })

const greens: CallOf[] = [
  ['get_cluster_status', {}],
  ['get_node_status', { node: 'pve' }],
  ['get_vms', {}],
  ['get_containers', {}],
  ['get_storage', {}],
  ['get_cluster_resources', {}],
  ['get_node_temperature', { node: 'pve' }],
  ['get_recent_tasks', { limit: 200 }],
  ['get_backups', {}],
]

test('no secret, configured or known by its form, leaves by any way or stays on the disk', async () => {
  let logged = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((piece) => {
    logged += String(piece)
    return true
  })
  onTestFinished(() => write.mockRestore())

  // Each text of the cluster holds another secret; outputs of commands hold all of them.
  const places = new Map<string, number>()
  const simulator = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  const homelab = doctored(simulator, (text, path) => {
    const place = `${path} ${text}`
    places.set(place, places.get(place) ?? places.size)
    return /^(?:shell|restartService|nodeDetail|missing)/.test(path)
      ? `${text}\n${planted.join('\n')}`
      : `${text} ${planted[(places.get(place) ?? 0) % planted.length]}`
  })
  const run = homelab.shell.run
  homelab.shell.run = (node, stages, options) =>
    stages[0]?.[0] === 'uptime'
      ? Promise.reject(new Error(`broken: ${planted.join(', ')}`))
      : run(node, stages, options)

  const said = planted.join('\n')
  const model = scripted(
    calls(said, ...greens),
    calls(
      ['execute_ssh', { node: 'pve', command: 'dmesg -T' }],
      ['execute_ssh', { node: 'pve', command: 'uptime' }],
      ['restart_service', { node: 'pve', service: 'pvestatd' }],
      ['stop_vm', { vmid: 101 }],
      ['restart_vm', { vmid: 103 }],
    ),
    says(said),
    breaks(new ModelError('model_unreachable', `refused: ${said}`, { isRetryable: false }), said),
  )
  const jarvis = await startJarvis({
    model,
    homelab,
    env: { LOG_LEVEL: 'trace', OPENAI_API_KEY: configured[1] ?? '', ANTHROPIC_API_KEY: configured[2] ?? '' },
  })
  const operator = await jarvis.connect()
  const screens = [
    operator,
    await jarvis.connect('/cluster'),
    await jarvis.connect('/events'),
    await jarvis.connect('/chat', 'viewer'),
  ]

  const { sessionId } = await operator.ask('chat:send', { message: `Look at pve.\n${said}` })
  await screens[3]?.ask('chat:attach', { sessionId })
  const first = await operator.next('chat:confirm_needed')
  const second = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', {
    sessionId,
    toolUseId: first.toolUseId,
    confirmed: true,
    note: planted.slice(0, 25).join('\n'),
  })
  await operator.ask('chat:confirm', {
    sessionId,
    toolUseId: second.toolUseId,
    confirmed: false,
    note: planted.slice(-25).join('\n'),
  })
  await operator.next('chat:done')
  await operator.ask('chat:send', { sessionId, message: 'And now?' })
  await operator.next('chat:error')
  await operator.ask('chat:send', { sessionId, message: '/execute_ssh node=pve command="dmesg -T"' })
  await operator.next('chat:done')
  simulator.controls.setNodeOffline('agent1', true)

  const token = createToken(jarvis, { name: 'ops' })
  const client = new Client({ name: 'test-client', version: '1' })
  const headers = { requestInit: { headers: { authorization: `Bearer ${token}` } } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${jarvis.url}/mcp`), headers))
  const answers = [
    await client.callTool({ name: 'get_vms', arguments: {} }),
    await client.callTool({ name: 'execute_ssh', arguments: { node: 'pve', command: 'dmesg -T' } }),
    await client.callTool({ name: 'execute_ssh', arguments: { node: 'pve', command: 'uptime' } }),
  ]
  await client.close()

  const paths = [
    '/api/status',
    '/api/cluster',
    '/api/sessions',
    `/api/sessions/${sessionId}`,
    `/api/sessions/${sessionId}/entries`,
    `/api/sessions/${sessionId}/export`,
    '/api/sessions/ses_mcp_ops/export',
    '/api/confirmations',
    '/api/grants',
    '/api/settings',
    '/api/tools',
    '/api/journal?limit=200',
    '/api/journal/export',
  ]
  const replies: Record<string, string> = {}
  for (const path of paths) {
    const reply = await jarvis.rest(path)
    expect(reply.status, path).toBe(200)
    replies[path] = await reply.text()
  }
  await jarvis.stop()

  const left: [where: string, text: string][] = [
    ...screens.flatMap(({ received }, screen) =>
      received.map(({ event, payload }): [string, string] => [`screen ${screen}, ${event}`, JSON.stringify(payload)]),
    ),
    ...model.requests.map((request, turn): [string, string] => [`to the model, turn ${turn}`, JSON.stringify(request)]),
    ...answers.map((answer, index): [string, string] => [`MCP answer ${index}`, JSON.stringify(answer)]),
    ...Object.entries(replies),
    ['the log', logged],
    ...filesBelow(jarvis.dataDir).map((path): [string, string] => [path, readFileSync(path, 'latin1')]),
  ]
  const leaks = left.flatMap(([where, text]) => leaksIn(text).map((secret) => `${where}: ${secret}`))
  expect(leaks).toEqual([])
  expect(logged).toContain('broken')
  // Not because nothing was there.
  const all = JSON.stringify([screens.map(({ received }) => received), replies, answers])
  expect(all.split('[redacted]').length).toBeGreaterThan(200)
})
