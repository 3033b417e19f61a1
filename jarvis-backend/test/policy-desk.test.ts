import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PolicyCheckReply, PolicyReplayReply, PolicyReply } from 'protocol'
import { expect, test } from 'vitest'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis()

const get = async () => (await (await jarvis.rest('/api/policy')).json()) as PolicyReply
const post = (what: 'check' | 'replay', json: unknown) => jarvis.rest(`/api/policy/${what}`, { method: 'POST', json })
const ask = async (message: string) => {
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message })
  await Promise.race([screen.next('chat:done'), screen.next('chat:confirm_needed')])
  await screen.ask('chat:abort', { sessionId })
}

test('a page shows the file and all that is in force, checks a draft, and replays it, and nothing is written', async () => {
  expect(await get()).toMatchObject({ text: '', hash: '', path: join(jarvis.dataDir, 'policy.yaml') })
  const file = 'protected: [vm/103]\n'
  writeFileSync(join(jarvis.dataDir, 'policy.yaml'), file)
  await expect.poll(async () => (await get()).lines.join('\n')).toContain('Protected: node/agent1, vm/103')
  const before = await get()
  expect(before.text).toBe(file)

  const check = async (text: string) => (await (await post('check', { text })).json()) as PolicyCheckReply
  expect(await check('tiers:\n  stop_vm: yellow\nfoo: 1\n')).toEqual({
    problems: [
      { line: 2, column: 3, message: expect.any(String) },
      { line: 3, column: 1, message: expect.any(String) },
    ],
    changes: [],
    unmet: [],
    unchecked: [],
  })
  const draft = `
tiers: {grafana__query: red}
rules:
  - {name: media, tools: [restart_container], when: {target: tag:media}, tier: black, because: Film night.}
  - {name: two, tools: [stop_vm], tier: red, because: Both., approve: {count: 5}}
`
  expect(await check(draft)).toEqual({
    problems: [],
    summary: '1 tier, 2 rules',
    changes: expect.arrayContaining(['rule media: restart_container may become black: Film night.']),
    unmet: [expect.stringContaining('rule two:')],
    unchecked: ['grafana__query'],
  })

  await ask('/restart_container vmid=105')
  await ask('/restart_container vmid=105')
  await ask('/get_vms')
  const replay = async (json: object) => (await (await post('replay', json)).json()) as PolicyReplayReply
  const { calls, since, changed } = await replay({ text: draft })
  expect(calls).toBe(3)
  expect(since).toBeLessThanOrEqual(Date.now())
  expect(changed).toMatchObject([
    {
      toolName: 'restart_container',
      target: 'ct/105',
      to: { tier: 'black', rule: 'policy:media', reason: 'Film night.' },
      count: 2,
    },
  ])
  // The newest entries alone are read where fewer are wanted.
  expect((await replay({ text: draft, entries: 1 })).calls).toBeLessThan(3)
  const refused = await post('replay', { text: 'foo: 1\n' })
  expect(refused.status).toBe(400)
  expect(JSON.stringify(await refused.json())).toContain('Line 1:')
  expect(await get()).toEqual(before)
})
