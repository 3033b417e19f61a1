import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from 'node-kit/clock'
import { expect, onTestFinished, test } from 'vitest'
import type { Command } from '../src/workbench/sandbox/command.ts'
import { createCommandFiles } from '../src/workbench/sandbox/command-files.ts'
import { SandboxCommands } from '../src/workbench/sandbox/commands.ts'
import { createSandbox } from '../src/workbench/sandbox/level.ts'

const discarded: string[] = []
const reports: string[] = []
const report = (_error: unknown, message: string) => void reports.push(message)
function commandsIn(dir: string, bwrap = '/nowhere/bwrap') {
  const store = createCommandFiles(join(dir, 'commands'), report)
  const sandbox = createSandbox(systemClock, { bwrap }, () => Promise.resolve(0))
  const commands = () =>
    new SandboxCommands({
      clock: systemClock,
      dir,
      sandbox,
      store,
      ownPaths: [],
      bwrap,
      keep: () => undefined,
      discard: (path) => discarded.push(path),
      tell: () => undefined,
      redact: (text) => text,
      report,
      allowsLandlock: () => false,
      redactStream: () => ({ push: (text) => text, flush: () => '' }),
      isSecret: () => false,
      openWay: () => Promise.resolve({ socket: '/nowhere', contacts: () => [], close: () => Promise.resolve() }),
    })
  return { store, sandbox, commands }
}
function folder() {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-lost-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
const running: Command = {
  id: 'cmd_1',
  sessionId: 'ses_1',
  command: 'sleep 9',
  folder: 'session',
  egress: [],
  isBackground: true,
  level: 'full',
  startedAt: 1,
  state: { kind: 'running' },
}

test('a command that ran when JARVIS ended has ended with it, and is not started again', () => {
  const dir = folder()
  const { store, commands } = commandsIn(dir)
  store.put(running)
  // One that is not known any more left its layers too.
  const layers = ['cmd_1', 'cmd_2'].map((id) => join(dir, 'layers', id))
  for (const layer of layers) mkdirSync(layer, { recursive: true })
  commands()
  expect(discarded.splice(0).sort()).toEqual(layers)
  expect(store.get('cmd_1')?.state).toMatchObject({ kind: 'ended', why: 'jarvis', changes: [] })
  expect(store.running()).toEqual([])
})

test('records that are broken or cannot be written keep nothing from starting', () => {
  const dir = folder()
  const { store, commands } = commandsIn(dir)
  store.put(running)
  writeFileSync(join(dir, 'commands', 'cmd_0.json'), '{')
  mkdirSync(join(dir, 'layers', 'cmd_1'), { recursive: true })
  store.put = () => {
    throw new Error('ENOSPC')
  }
  commands()
  expect(reports.splice(0)).toEqual([expect.stringContaining('cmd_0.json'), expect.stringContaining('cmd_1')])
  expect(discarded.splice(0)).toEqual([join(dir, 'layers', 'cmd_1')])
})

test('a command of a deleted session is forgotten, and no id leads out of the folder', () => {
  const { store, commands } = commandsIn(folder())
  store.put(running)
  expect(store.get('../../etc/passwd')).toBeUndefined()
  commands().forget('ses_1')
  expect(store.of('ses_1')).toEqual([])
})

test('without a sandbox nothing begins, and the remedy is said', async () => {
  const dir = folder()
  const { commands, store } = commandsIn(dir)
  const asked = { sessionId: 'ses_1', command: 'true', folder: dir, shown: 'session', egress: [], isBackground: false }
  await expect(commands().begin(asked)).rejects.toThrow(/apt install bubblewrap/)
  expect(store.of('ses_1')).toEqual([])
})
