import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandsReply, Entry, EntryOf } from 'protocol'
import { descendants } from 'sandbox/process-tree'
import { expect } from 'vitest'
import { findChromium } from '../../scripts/chromium.js'
import { testWith } from '../../scripts/test-with.js'
import { folder, rootFolder } from './support/data-dir.ts'
import { killedHouse, type Life } from './support/killed-house.ts'
import { workbenchLife } from './support/workbench-life.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16)
const { newDir, life, eachKill } = killedHouse('workbench')

const [old, made] = ['one '.repeat(300), 'two '.repeat(300)]
const ends = ['insert file_changes committed', 'update file_changes state begun']
/** A new file is linked to its name, another one is renamed to it; `apply_changes` and `undo` go the same way. */
const steps = {
  write: [...ends, 'before put a.txt', 'after put a.txt'],
  edit: [...ends, 'before put a.txt', 'after put a.txt'],
  apply: ['before put a.txt', 'after put a.txt'],
  undo: ['before put a.txt', 'after put a.txt'],
}

/** Types a call into a session. @returns its result, approved if it is asked for */
async function called(one: Life, sessionId: string, name: string, input: object): Promise<EntryOf<'tool_result'>> {
  const results = async () =>
    (await one.ask<{ items: Entry[] }>(`sessions/${sessionId}/entries?limit=200`)).items.filter(
      (entry) => entry.type === 'tool_result',
    )
  const before = (await results()).length
  const words = Object.entries(input).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  await one.ask(`sessions/${sessionId}/messages`, { message: `/${name} ${words.join(' ')}` })
  const next = async () => {
    for (const { toolUseId } of await one.waiting()) await one.ask(`confirmations/${toolUseId}`, { confirmed: true })
    return (await results())[before]
  }
  await expect.poll(next).toMatchObject({ isError: false })
  return (await results())[before] as EntryOf<'tool_result'>
}

testWith('bubblewrap')(
  'a server that is killed in any step of a write, an edit, an apply or an undo finishes it, once',
  async () => {
    const root = rootFolder()
    const at = join(root, 'a.txt')
    const text = () => (existsSync(at) ? readFileSync(at, 'utf8') : '')
    /** Copies the root, which is outside of the data dir. */
    const keep = () => {
      const copy = folder()
      cpSync(root, copy, { recursive: true })
      return () => {
        for (const name of readdirSync(root)) rmSync(join(root, name))
        cpSync(copy, root, { recursive: true })
      }
    }

    for (const kind of ['write', 'edit', 'apply', 'undo'] as const) {
      const dataDir = newDir()
      const policy = `workbench: {exec: true, roots: [{name: lab, path: ${root}, write: true}]}\n`
      writeFileSync(join(dataDir, 'policy.yaml'), policy)
      const [from, to] = kind === 'write' ? ['', made] : [old, made]
      if (kind === 'write') rmSync(at, { force: true })
      else writeFileSync(at, kind === 'undo' ? to : from)
      const first = await life({ dataDir }, { points: steps[kind], keep })
      const { id } = await first.ask<{ id: string }>('sessions', {})
      const edits = (oldText: string, newText: string) => ({
        path: 'lab/a.txt',
        hash: sha(oldText),
        edits: [{ oldText, newText }],
      })
      let call: [string, object] = ['write_file', { path: 'lab/a.txt', content: to }]
      if (kind === 'edit') call = ['edit_file', edits(from, to)]
      if (kind === 'apply') {
        await called(first, id, 'run_command', { command: "sed -i 's/one/two/g' a.txt", folder: 'lab' })
        const { items } = await first.ask<CommandsReply>(`sessions/${id}/commands`)
        call = ['apply_changes', { command: items.at(-1)?.id }]
      }
      if (kind === 'undo')
        call = ['undo', { change: (await called(first, id, 'edit_file', edits(to, from))).toolUseId }]
      const { toolUseId } = await called(first, id, ...call)
      expect(text()).toBe(to)
      await first.stop()

      const rows = steps[kind].map((dieAt): [string, string] => [dieAt, kind])
      await eachKill(rows, async (dieAt, _kind) => {
        // An edit was made before it is undone.
        const left = first.at(dieAt, kind === 'undo' ? 2 : 1)
        left.putBack()
        expect([from, to]).toContain(text())
        const inode = text() === to ? statSync(at).ino : undefined
        const next = await life({ dataDir: left.dataDir })
        expect(text()).toBe(to)
        // A file that was whole already was not written again.
        if (inode !== undefined) expect(statSync(at).ino).toBe(inode)
        expect(readdirSync(root)).toEqual(['a.txt'])
        const results = async () =>
          (await next.ask<{ items: Entry[] }>(`sessions/${id}/entries?limit=200`)).items.filter(
            (entry) => entry.type === 'tool_result' && entry.toolUseId === toolUseId,
          )
        await expect
          .poll(results)
          .toMatchObject([{ isError: false, result: expect.stringContaining('lab/a.txt') as string }])
      })
    }
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
    const server = await workbenchLife(dataDir, temporary)
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
    const neighbour = await workbenchLife(other, temporary)
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
    const next = await workbenchLife(dataDir)
    await expect.poll(scratch, { timeout: 10_000 }).toEqual(others)
    const { items } = await next.get<CommandsReply>(`sessions/${sessionId}/commands`)
    expect(items.map(({ words }) => words)).toEqual(['ended with JARVIS', 'ended with JARVIS'])
    await next.kill()
    await neighbour.kill()
  },
)
