import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { jarvisHere as cli } from './support/command-here.ts'
import { folder, openJournal } from './support/data-dir.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const example = fileURLToPath(new URL('../../docs/policy.example.yaml', import.meta.url))

/** Asks, and stops where a person would have to decide. */
async function ask(jarvis: TestJarvis, message: string) {
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message })
  await Promise.race([screen.next('chat:done'), screen.next('chat:confirm_needed')])
  await screen.ask('chat:abort', { sessionId })
}

/** A data dir in which an operator asked for a few things of the demo cluster. */
async function asked(...messages: string[]) {
  const dataDir = folder()
  const jarvis = await startJarvis({ dataDir })
  for (const message of messages) await ask(jarvis, message)
  await jarvis.stop()
  return dataDir
}

function policyIn(dir: string, text: string): string {
  const path = join(dir, 'proposed.yaml')
  writeFileSync(path, text)
  return path
}

test('check names every problem with its line and fails, or says what a file changes', async () => {
  const dir = folder()
  expect(await cli(dir, 'policy', 'check', example)).toMatchObject({
    code: 0,
    output: expect.stringContaining('restart_container on ct/104 runs without a card'),
  })
  const broken = await cli(dir, 'policy', 'check', policyIn(dir, 'tiers:\n  stop_vm: yellow\nfoo: 1\n'))
  expect(broken.code).toBe(1)
  expect(broken.output).toMatch(/proposed\.yaml:2:3 .*\n.*proposed\.yaml:3:1 .*\n2 problems\.$/)
  expect(await cli(dir, 'policy', 'check', join(dir, 'none.yaml'))).toMatchObject({ code: 1 })
  copyFileSync(example, join(dir, 'policy.yaml'))
  expect((await cli(dir, 'policy', 'print')).output).toMatch(/red +restart_service[\s\S]*policy:prod-at-night/)
})

test('replay lists every call of the journal whose verdict changes, sealed parts included', async () => {
  const dir = await asked(
    '/restart_container vmid=104',
    '/restart_container vmid=104 force=true',
    '/restart_container vmid=105',
    '/restart_container vmid=105',
    '/execute_ssh node=pve command="journalctl -n 5"',
    '/execute_ssh node=pve command="rm x"',
    '/wake_node node=agent1',
    '/get_vms',
  )
  const proposed = policyIn(
    dir,
    `
rules: [{name: media, tools: [restart_container], when: {target: tag:media}, tier: black, because: Film night.}]
ssh: {refuse: [{command: journalctl, because: Logs name people.}]}
`,
  )
  const replayed = await cli(dir, 'policy', 'replay', proposed)
  expect(replayed.output).toMatch(/^red → black {2}restart_container ct\/105 {2}2 times/)
  expect(replayed.output).toContain('yellow → black  execute_ssh node/pve  once')
  expect(replayed.output).toContain('base → policy:ssh: Logs name people.')
  expect(replayed.output).toContain('forced → policy:media: Film night.')
  expect(replayed.output).toMatch(/5 of 8 calls in the journal would be judged differently\.$/)

  const later = openJournal(dir, () => Date.now() + 60_000)
  later.journal.prune(Date.now() + 30_000, 'test')
  later.journal.append('call', {})
  await later.close()
  expect((await cli(dir, 'policy', 'replay', proposed)).output).toBe(replayed.output)
  expect((await cli(dir, 'policy', 'replay', proposed, '--since', '1h')).output).toBe(replayed.output)
})

test('replay of an allow lowers the tool’s own tier, but no tier that a rule raised', async () => {
  const dir = await asked(
    '/restart_container vmid=104',
    '/restart_container vmid=104 force=true',
    '/execute_ssh node=pve command="rm x"',
  )
  const proposed = policyIn(dir, 'allow: [{tool: restart_container, target: ct/104, because: It may.}]')
  const { output } = await cli(dir, 'policy', 'replay', proposed)
  expect(output).toMatch(/^red → yellow {2}restart_container ct\/104 {2}once/)
  expect(output).toMatch(/1 of 3 calls in the journal would be judged differently\.$/)
})

test('the policy in force does not change a replay, under any profile', async () => {
  const dataDir = folder()
  const jarvis = await startJarvis({ dataDir })
  for (const profile of ['lockdown', 'restricted', 'permissive', 'unrestricted']) {
    await jarvis.rest('/api/settings', { method: 'PUT', json: { profile } })
    for (const message of ['/restart_container vmid=104', '/wake_node node=agent', '/stop_vm vmid=100', '/get_vms']) {
      await ask(jarvis, message)
    }
  }
  await jarvis.stop()
  expect((await cli(dataDir, 'policy', 'replay')).output).toBe(
    '0 of 16 calls in the journal would be judged differently.',
  )
})
