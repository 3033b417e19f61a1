import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandsReply } from 'protocol'
import { expect } from 'vitest'
import { testWith } from '../../scripts/test-with.js'
import { folder, rootFolder } from './support/data-dir.ts'
import { workbenchLife as life } from './support/workbench-life.ts'

const sha = (text: string) => createHash('sha256').update(text).digest('hex')
type Entry = { type: string; toolUseId?: string; result?: string }

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
  'a server that is killed with SIGKILL in any step of a write, an edit, an apply or an undo finishes it, once',
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
        // A file that was whole already was not written again.
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
