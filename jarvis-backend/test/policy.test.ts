import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Activity, profileNames, type SettingsReply, type Status, type ToolInfo, type Verdict } from 'protocol'
import { expect, test } from 'vitest'
import { houseFacts, houseTools } from '../src/tools/house.ts'
import { jarvis as cli, folder, run } from './support/data-dir.ts'
import { failingRows } from './support/failing-rows.ts'
import { type Screen, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const file = (dir: string) => join(dir, 'policy.yaml')
const restart = { vmid: 104 }
const allows = 'allow: [{tool: restart_container, target: ct/104, because: Jellyfin may restart.}]\n'
const asks = 'tiers: {wake_node: red}\n'
const forbids = 'rules: [{name: mine, tools: [restart_container], tier: black, because: Not this one.}]\n'

async function classify(jarvis: TestJarvis, name: string, input: object): Promise<Verdict> {
  const response = await jarvis.rest(`/api/tools/${name}/classify`, { method: 'POST', json: { input } })
  return (await response.json()) as Verdict
}
const statusOf = async (jarvis: TestJarvis) => ((await (await jarvis.rest('/api/status')).json()) as Status).policy
const putProfile = (jarvis: TestJarvis, profile: string, role: 'operator' | 'viewer' = 'operator') =>
  jarvis.rest('/api/settings', { method: 'PUT', json: { profile }, role })
async function journalled(jarvis: TestJarvis) {
  const { items } = (await (await jarvis.rest('/api/journal?kind=policy')).json()) as { items: { body: object }[] }
  return items.map(({ body }) => body)
}
/** The next line of the feed about the policy. */
async function told(events: Screen): Promise<Activity> {
  for (;;) {
    const activity = (await events.next('event' as never)) as unknown as Activity
    if (activity.kind === 'policy') return activity
  }
}

test('what policy.yaml forbids is refused, what it raises waits, what it allows runs', async () => {
  const dataDir = folder()
  writeFileSync(file(dataDir), asks + allows)
  const jarvis = await startJarvis({ dataDir })
  const screen = await jarvis.connect()

  const { sessionId } = await screen.ask('chat:send', { message: '/restart_container vmid=104' })
  expect(await screen.next('chat:tool_use')).toMatchObject({ toolName: 'restart_container', tier: 'yellow' })
  await screen.next('chat:done')
  expect(jarvis.controls.effects).toHaveLength(1)
  await screen.ask('chat:send', { sessionId, message: '/wake_node node=agent' })
  expect(await screen.next('chat:confirm_needed')).toMatchObject({ rule: 'tiers', toolName: 'wake_node' })

  const events = await jarvis.connect('/events')
  writeFileSync(file(dataDir), forbids)
  expect(await told(events)).toMatchObject({ level: 'info', text: 'policy.yaml is in force: 1 rule.' })
  await screen.ask('chat:send', { message: '/restart_container vmid=104' })
  expect(await screen.next('chat:blocked')).toMatchObject({ toolName: 'restart_container', reason: 'Not this one.' })
  expect(jarvis.controls.effects).toHaveLength(1)
})

test('an edit counts while the server runs, however the file is written, and is journalled', async () => {
  const jarvis = await startJarvis()
  const events = await jarvis.connect('/events')
  expect(await classify(jarvis, 'restart_container', restart)).toMatchObject({ tier: 'red', rule: 'base' })

  writeFileSync(join(jarvis.dataDir, 'policy.yaml.new'), forbids)
  renameSync(join(jarvis.dataDir, 'policy.yaml.new'), file(jarvis.dataDir))
  await told(events)
  expect(await classify(jarvis, 'restart_container', restart)).toMatchObject({ tier: 'black', rule: 'policy:mine' })
  const { hash } = await statusOf(jarvis)
  expect(hash).toMatch(/^[\da-f]{64}$/)

  writeFileSync(file(jarvis.dataDir), allows)
  await told(events)
  expect(await classify(jarvis, 'restart_container', restart)).toMatchObject({ tier: 'yellow', rule: 'allow' })
  const second = (await statusOf(jarvis)).hash

  rmSync(file(jarvis.dataDir))
  expect((await told(events)).text).toContain('policy.yaml is gone')
  expect(await classify(jarvis, 'restart_container', restart)).toMatchObject({ tier: 'red', rule: 'base' })
  expect(await journalled(jarvis)).toEqual([
    { change: 'file', before: second, by: 'file' },
    { change: 'file', hash: second, before: hash, by: 'file' },
    { change: 'file', hash, by: 'file' },
  ])
})

const broken: [what: string, text: string, problem: RegExp][] = [
  ['not YAML', 'rules: [', /policy\.yaml:1:\d+/],
  ['a red lowered without allow', 'tiers: {restart_container: yellow}', /policy\.yaml:1:9 .*this file only raises/],
  ['black lowered', 'tiers: {execute_ssh: green}', /must be yellow, red or black|cannot be green/],
  ['an allow for everything', 'allow: [{tool: all, target: ct/104, because: x}]', /there is no all/],
  ['larger than anybody writes', '#'.repeat(256 * 1024 + 1), /is over 256 kB/],
]
test('an edit that cannot be used leaves the policy before in force, and says so until it is mended', async () => {
  const dataDir = folder()
  writeFileSync(file(dataDir), forbids)
  const jarvis = await startJarvis({ dataDir })
  const events = await jarvis.connect('/events')
  const judge = async ([, text, problem]: (typeof broken)[number]) => {
    writeFileSync(file(dataDir), text)
    const warning = await told(events)
    expect(warning).toMatchObject({ level: 'warning', text: expect.stringMatching(problem) })
    expect((await statusOf(jarvis)).problems?.join('\n')).toMatch(problem)
    expect(await classify(jarvis, 'restart_container', restart)).toMatchObject({ tier: 'black', rule: 'policy:mine' })
    expect(await journalled(jarvis)).toHaveLength(1)

    writeFileSync(file(dataDir), forbids)
    expect(await told(events)).toMatchObject({ level: 'info' })
    expect(await statusOf(jarvis)).toEqual({ profile: 'balanced', hash: expect.any(String) })
  }
  expect(await failingRows(broken, judge)).toEqual([])
})

test('every tool, with its tier and arguments, is one that a policy can name', async () => {
  const jarvis = await startJarvis()
  const { items } = (await (await jarvis.rest('/api/tools')).json()) as { items: ToolInfo[] }
  const known = items.map(({ name, tier, inputSchema }) => {
    const properties = (inputSchema.properties ?? {}) as Record<string, { type: string }>
    // A rule's condition is on a text, a number or a flag.
    const args = Object.entries(properties).flatMap(([key, { type }]) =>
      type === 'array' || type === 'object' ? [] : [[key, type === 'integer' ? 'number' : type]],
    )
    return [name, { tier, args: Object.fromEntries(args) }]
  })
  const named = [...houseFacts].map(([name, { tier, args }]) => [name, { tier, args }])
  // The workbench is off.
  expect(Object.fromEntries(named)).toMatchObject(Object.fromEntries(known))
  const workbench = houseTools.filter(({ group }) => group?.name === 'workbench').map(({ name }) => name)
  const unoffered = named.map(([name]) => name).filter((name) => !items.some((item) => item.name === name))
  expect(unoffered).toEqual(workbench)
})

test('a policy.yaml that broke while nothing ran leaves the last one in force, which is said until it is mended; nothing opens', async () => {
  const dataDir = folder()
  writeFileSync(file(dataDir), forbids)
  const first = await startJarvis({ dataDir })
  await first.stop()
  for (const text of ['tiers: {stop_vm: yellow}\nrules: [', '\0\0', 'x'.repeat(300_000)]) {
    writeFileSync(file(dataDir), text)
    const jarvis = await startJarvis({ dataDir })
    expect(await classify(jarvis, 'restart_container', restart)).toMatchObject({ tier: 'black', rule: 'policy:mine' })
    expect((await statusOf(jarvis)).problems?.join('\n')).toContain('policy.yaml')
    expect(await journalled(jarvis)).toHaveLength(1)
    expect(readFileSync(file(dataDir), 'utf8')).toBe(text)
    await jarvis.stop()
  }
  // A policy file that was deleted by hand is not kept as the last good one.
  rmSync(file(dataDir))
  const without = await startJarvis({ dataDir })
  await without.stop()
  writeFileSync(file(dataDir), 'rules: [')
  await expect(startJarvis({ dataDir })).rejects.toThrow('The policy cannot be used')
  writeFileSync(file(dataDir), forbids)
  const mended = await startJarvis({ dataDir })
  expect(await classify(mended, 'restart_container', restart)).toMatchObject({ tier: 'black' })
})

test('a broken policy.yaml stops the start where none was in force before, with every problem and its line', async () => {
  const dir = folder()
  writeFileSync(file(dir), 'tiers:\n  stop_vm: yellow\nfoo: 1\n')
  const { code, output } = await run(dir, 'main').ended
  expect(code).toBe(1)
  expect(output).toContain('The policy cannot be used')
  expect(output).toMatch(/policy\.yaml:2:3 .*\n.*policy\.yaml:3:1 /)
})

test('a policy that was edited while nothing ran is journalled at the next start, once', async () => {
  const dataDir = folder()
  for (const text of [asks, asks, forbids]) {
    writeFileSync(file(dataDir), text)
    const jarvis = await startJarvis({ dataDir })
    await jarvis.stop()
  }
  rmSync(file(dataDir))
  const jarvis = await startJarvis({ dataDir })
  expect(await journalled(jarvis)).toMatchObject([{ before: expect.any(String) }, { hash: expect.any(String) }, {}])
})

const calls: [string, object][] = [
  ['get_vms', {}],
  ['wake_node', { node: 'agent' }],
  ['restart_container', restart],
  ['restart_container', { ...restart, force: true }],
  ['execute_ssh', { node: 'pve', command: 'rm x' }],
]
const expected = {
  lockdown: ['green', 'black', 'black', 'black', 'black'],
  restricted: ['green', 'red', 'red', 'red', 'black'],
  balanced: ['green', 'yellow', 'red', 'red', 'black'],
  permissive: ['green', 'yellow', 'yellow', 'red', 'black'],
  unrestricted: ['green', 'yellow', 'yellow', 'yellow', 'black'],
}
test('each profile shifts each tier, black staying black, for classify and for the list of tools', async () => {
  const jarvis = await startJarvis()
  for (const profile of profileNames) {
    expect(await (await putProfile(jarvis, profile)).json()).toMatchObject({ profile })
    const verdicts = await Promise.all(calls.map(([name, input]) => classify(jarvis, name, input)))
    expect(verdicts.map(({ tier }) => tier)).toEqual(expected[profile])
    const { items } = (await (await jarvis.rest('/api/tools')).json()) as { items: { name: string; tier: string }[] }
    const listed = new Map(items.map(({ name, tier }) => [name, tier]))
    expect(['get_vms', 'wake_node', 'restart_container'].map((name) => listed.get(name))).toEqual(
      expected[profile].slice(0, 3),
    )
  }
  expect(jarvis.controls.effects).toEqual([])
})

test('a profile is an operator’s setting: it is kept, journalled with who set it, and told to every screen', async () => {
  const dataDir = folder()
  const jarvis = await startJarvis({ dataDir })
  const events = await jarvis.connect('/events')
  expect((await putProfile(jarvis, 'unrestricted', 'viewer')).status).toBe(403)
  expect((await putProfile(jarvis, 'nonsense')).status).toBe(400)
  expect(await (await jarvis.rest('/api/settings', { role: 'viewer' })).json()).toMatchObject({
    profile: 'balanced',
    profiles: profileNames.map((name) => ({ name, description: expect.any(String) })),
  })
  expect(await journalled(jarvis)).toEqual([])

  await putProfile(jarvis, 'restricted')
  await putProfile(jarvis, 'restricted')
  expect((await told(events)).text).toBe('Profile restricted: asks before every change, small ones too.')
  expect(await journalled(jarvis)).toEqual([{ change: 'profile', from: 'balanced', to: 'restricted', by: 'operator' }])
  await jarvis.stop()
  const again = await startJarvis({ dataDir })
  expect(((await (await again.rest('/api/settings')).json()) as SettingsReply).profile).toBe('restricted')
})

test('the CLI sets the profile of a running server at once', async () => {
  const jarvis = await startJarvis()
  const events = await jarvis.connect('/events')
  const { code, output } = await cli(jarvis.dataDir, 'profile', 'lockdown')
  expect(output).toContain('* lockdown')
  expect(code).toBe(0)
  expect((await told(events)).text).toContain('Profile lockdown')
  expect(await classify(jarvis, 'wake_node', { node: 'agent' })).toMatchObject({ tier: 'black', rule: 'profile' })
  expect(await journalled(jarvis)).toEqual([{ change: 'profile', from: 'balanced', to: 'lockdown', by: 'cli' }])
  expect(await cli(jarvis.dataDir, 'profile', 'calm')).toMatchObject({ code: 2 })
})

test('a card that waits is no way around a profile that has become stricter', async () => {
  const jarvis = await startJarvis()
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: '/restart_container vmid=104' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await putProfile(jarvis, 'lockdown')
  const reply = await screen.request('chat:confirm', { sessionId, toolUseId, confirmed: true })
  expect(reply).toMatchObject({ ok: false, error: { code: 'expired' } })
  await screen.next('chat:done')
  expect(jarvis.controls.effects).toEqual([])
})

test('a card that waits may still be denied when the profile would not ask any more', async () => {
  const jarvis = await startJarvis()
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: '/restart_container vmid=104' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await putProfile(jarvis, 'unrestricted')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await screen.next('chat:done')
  expect(jarvis.controls.effects).toEqual([])
})
