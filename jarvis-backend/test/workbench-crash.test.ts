import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect } from 'vitest'
import { findChromium } from '../../scripts/chromium.js'
import { testWith } from '../../scripts/test-with.js'
import type { CommandsReply, ConfirmationRow } from '../src/protocol/index.ts'
import { descendants } from '../src/workbench/sandbox/process-tree.ts'
import { folder, rootFolder } from './support/data-dir.ts'
import { killedProgram } from './support/killed-programs.ts'
import { jwtSecret, tokenFor } from './support/start-jarvis.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('hex')
let program = ''
const alive = new Set<ChildProcess>()
beforeAll(async () => {
  program = await killedProgram('workbench-server')
})
afterAll(() => {
  for (const child of alive) child.kill('SIGKILL')
})

type Entry = { type: string; toolUseId?: string; result?: string }
type Told = { event: string; payload: { toolUseId?: string; result?: string; isError?: boolean } }

/** The whole server as a process of its own. */
async function life(dataDir: string, temporary = folder()) {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // What a killed server leaves behind goes with the test.
    env: { PATH: process.env.PATH, NODE_ENV: 'production', TMPDIR: temporary },
  })
  alive.add(child)
  const ended = once(child, 'exit').then(([, signal]) => {
    alive.delete(child)
    return signal as string
  })
  await once(child, 'message')
  const listening = once(child, 'message')
  child.send({ dataDir, jwtSecret })
  const [{ url }] = (await listening) as [{ url: string }]
  const token = tokenFor('operator')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const get = async <T>(place: string) => (await (await fetch(`${url}/api/${place}`, { headers })).json()) as T
  const socket = io(`${url}/chat`, { auth: { token }, transports: ['websocket'], reconnection: false })
  const told: Told[] = []
  let taken = 0
  socket.onAny((event: string, payload: Told['payload']) => void told.push({ event, payload }))
  const opened = once(socket as never, 'connect')
  return {
    ...{ child, get, told },
    /** Types a call. @returns the session */
    async types(name: string, input: object, sessionId?: string) {
      await opened
      const words = Object.entries(input).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      const message = `/${name} ${words.join(' ')}`
      const sent = await socket.emitWithAck('chat:send', { message, ...(sessionId !== undefined && { sessionId }) })
      return (sent as { sessionId: string }).sessionId
    },
    async diesAt(dieAt: string) {
      child.send({ dieAt })
      await once(child, 'message')
    },
    /** Approves the one card that waits; the process may end before it answers. */
    async approves() {
      const waiting = async () =>
        (await get<{ items: ConfirmationRow[] }>('confirmations')).items.find((row) => row.decidedAt === undefined)
      await expect.poll(waiting, { timeout: 20_000 }).toBeDefined()
      const card = await waiting()
      const body = JSON.stringify({ confirmed: true })
      await fetch(`${url}/api/confirmations/${card?.toolUseId}`, { method: 'POST', headers, body }).catch(
        () => undefined,
      )
      return String(card?.toolUseId)
    },
    /** The result that comes next. */
    async result() {
      taken += 1
      const results = () => told.filter(({ event }) => /tool_result|blocked/.test(event))
      await expect.poll(() => results().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(taken)
      return results()[taken - 1]?.payload
    },
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    close: () => void socket.disconnect(),
  }
}

const [old, made] = ['one '.repeat(300), 'two '.repeat(300)]
const ends = ['insert file_changes committed', 'update file_changes state begun']
/** A new file is linked to its name, another one is renamed to it; `apply_changes` and `undo` go the same way. */
const steps = {
  write: [...ends, 'before put a.txt', 'after put a.txt'],
  edit: [...ends, 'before put a.txt', 'after put a.txt'],
  apply: ['before put a.txt', 'after put a.txt'],
  undo: ['before put a.txt', 'after put a.txt'],
}

testWith('bubblewrap')(
  'a server that is killed in any step of a write, an edit, an apply or an undo finishes it, once',
  async () => {
    const [dataDir, root] = [folder(), rootFolder()]
    writeFileSync(
      join(dataDir, 'policy.yaml'),
      `workbench: {exec: true, roots: [{name: lab, path: ${root}, write: true}]}\n`,
    )
    const at = join(root, 'a.txt')
    const text = () => (existsSync(at) ? readFileSync(at, 'utf8') : '')
    let server = await life(dataDir)
    let sessionId: string | undefined
    for (const kind of ['write', 'edit', 'apply', 'undo'] as const) {
      for (const dieAt of steps[kind]) {
        const [from, to] = kind === 'write' ? ['', made] : [old, made]
        if (kind === 'write') rmSync(at, { force: true })
        else writeFileSync(at, from)
        const hash = sha(from).slice(0, 16)
        let call: [string, object] = ['write_file', { path: 'lab/a.txt', content: to }]
        if (kind === 'edit') call = ['edit_file', { path: 'lab/a.txt', hash, edits: [{ oldText: from, newText: to }] }]
        if (kind === 'apply') {
          sessionId = await server.types(
            'run_command',
            { command: "sed -i 's/one/two/g' a.txt", folder: 'lab' },
            sessionId,
          )
          expect(await server.result()).toMatchObject({ isError: false })
          const { items } = await server.get<CommandsReply>(`sessions/${sessionId}/commands`)
          call = ['apply_changes', { command: items.at(-1)?.id }]
        }
        if (kind === 'undo') {
          writeFileSync(at, to)
          sessionId = await server.types(
            'edit_file',
            { path: 'lab/a.txt', hash: sha(to).slice(0, 16), edits: [{ oldText: to, newText: from }] },
            sessionId,
          )
          const change = await server.approves()
          expect(await server.result()).toMatchObject({ isError: false })
          call = ['undo', { change }]
        }
        const what = `${kind}, ${dieAt}`
        sessionId = await server.types(...call, sessionId)
        await server.diesAt(dieAt)
        const toolUseId = await server.approves()
        expect(await server.ended, what).toBe('SIGKILL')
        expect([from, to], what).toContain(text())
        const inode = text() === to ? statSync(at).ino : undefined
        server = await life(dataDir)
        expect(text() === to, what).toBe(true)
        // What was whole already was not written again.
        if (inode !== undefined) expect(statSync(at).ino, what).toBe(inode)
        expect(readdirSync(root), what).toEqual(['a.txt'])
        const { items } = await server.get<{ items: Entry[] }>(`sessions/${sessionId}/entries`)
        const results = items.filter((entry) => entry.type === 'tool_result' && entry.toolUseId === toolUseId)
        expect(results, what).toMatchObject([
          { isError: false, result: expect.stringContaining('lab/a.txt') as string },
        ])
      }
    }
    await server.kill()
  },
)

const withBrowser = (findChromium() === undefined ? testWith('Chromium') : testWith('bubblewrap')) as ReturnType<
  typeof testWith
>
withBrowser(
  'with a killed server end its commands, its background processes and its browser, and are said to have',
  async () => {
    const [dataDir, other, temporary] = [folder(), folder(), folder()]
    for (const dir of [dataDir, other])
      writeFileSync(join(dir, 'policy.yaml'), 'workbench: {exec: true, browser: true}\n')
    const server = await life(dataDir, temporary)
    const sessionId = await server.types('run_command', {
      command: '(setsid sleep 4721 &); sleep 4721',
      background: true,
    })
    expect(await server.result()).toMatchObject({ isError: false })
    await server.types('open_page', { url: 'http://nowhere.invalid/' }, sessionId)
    expect(await server.result()).toHaveProperty('toolUseId')
    await server.types('run_command', { command: 'sleep 4722' }, sessionId)
    const names = () =>
      descendants(server.child.pid).map((pid) => {
        try {
          return { pid, name: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }
        } catch {
          return { pid, name: '' }
        }
      })
    await expect
      .poll(
        () =>
          names()
            .map(({ name }) => name)
            .join('\n'),
        { timeout: 20_000 },
      )
      .toMatch(/sleep 4722/)
    const before = names().filter(({ pid }) => pid !== server.child.pid)
    expect(before.filter(({ name }) => /sleep 4721/.test(name)).length).toBeGreaterThan(1)
    expect(before.some(({ name }) => /chromium/.test(name))).toBe(true)
    // Another JARVIS of this account lives on beside it.
    const scratch = () => readdirSync(temporary).filter((name) => /^jarvis-(?:browser|egress)-/.test(name))
    const own = scratch()
    expect(own.map((name) => name.split('-')[1])).toEqual(expect.arrayContaining(['browser', 'egress']))
    const neighbour = await life(other, temporary)
    await neighbour.types('open_page', { url: 'http://nowhere.invalid/' })
    expect(await neighbour.result()).toHaveProperty('toolUseId')
    const others = scratch().filter((name) => !own.includes(name))
    expect(others.length).toBeGreaterThan(1)
    await server.kill()
    const left = () =>
      before.filter(({ pid, name }) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') === name && name !== ''
        } catch {
          return false
        }
      })
    await expect.poll(left, { timeout: 10_000 }).toEqual([])
    expect(scratch()).toEqual(expect.arrayContaining(own))
    const next = await life(dataDir)
    await expect.poll(scratch, { timeout: 10_000 }).toEqual(others)
    const { items } = await next.get<CommandsReply>(`sessions/${sessionId}/commands`)
    expect(items.map(({ words }) => words)).toEqual(['ended with JARVIS', 'ended with JARVIS'])
    await next.kill()
    await neighbour.kill()
  },
)
