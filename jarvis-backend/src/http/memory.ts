import { JarvisError, MemoryFound, MemoryPassage, MemoryStatus, WorkspaceFile, WorkspaceText } from 'protocol'
import { z } from 'zod'
import { requireHouse } from '../auth/reach.ts'
import { isNote } from '../memory/file-keeper.ts'
import { programsNote } from '../memory/program-notes.ts'
import type { Memory } from '../memory/remote.ts'
import { type Route, route } from './route.ts'

const SearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(500),
  limit: z.coerce.number().int().min(1).max(50).default(20),
})
/** `checksum`: the checksum of the file when it was read; absent for a new file. */
const FileBody = z.strictObject({ text: z.string().max(1_000_000), checksum: z.string().max(100).optional() })

/** The files of the workspace. Each method throws the same errors as `Workspace`. */
export type NoteFiles = {
  list(): WorkspaceFile[]
  read(path: string): WorkspaceText
  write(path: string, file: { text: string; checksum: string | undefined; by: string }): WorkspaceText
  remove(path: string, by: string): void
}

/**
 * Returns the present text of a file that a program wants to change; undefined for a new file. @throws JarvisError `invalid_request` if the file is
 * not wholly readable
 */
export function presentText(
  path: string,
  checksum: string | undefined,
  read: (path: string) => WorkspaceText,
): string | undefined {
  if (checksum === undefined) return undefined
  const { text, problem } = read(path)
  if (problem !== undefined) throw new JarvisError('invalid_request', `${path} is not written to. ${problem}`)
  return text
}

/** `/api/memory`: search, workspace files, what is remembered of a session, and the index. */
export function memoryRoutes(parts: {
  memory: Pick<Memory, 'call'> & { search(query: string, limit: number): Promise<MemoryFound> }
  files: NoteFiles
  forget(sessionId: string, by: string): Promise<void>
  undo(writeId: string, by: string): void
  redact<T>(value: T): T
}): Route[] {
  const { memory, files, redact } = parts
  return [
    route('/memory/search').get(
      'Passages that fit a question. `limit` is 1 to 50.',
      { role: 'viewer', token: 'read', query: SearchQuery, reply: MemoryFound },
      async ({ query, identity }) => {
        requireHouse(identity.person)
        return redact(await memory.search(query.q, query.limit))
      },
    ),
    route('/memory/status').get('The state of the index.', { role: 'viewer', token: 'read', reply: MemoryStatus }, () =>
      memory.call('status', {}),
    ),
    route('/memory/reindex').post(
      'Makes the index anew; `/memory/status` tells how far it is.',
      { role: 'operator', status: 202, reply: z.object({ started: z.literal(true) }) },
      () => {
        // Not awaited: progress is reported by `/events` and `/status`.
        memory.call('reindex', {}).catch(() => {})
        return { started: true as const }
      },
    ),
    route('/memory/files').get(
      'Notes and prompt files of the workspace.',
      { role: 'viewer', token: 'memory:read', reply: z.object({ items: z.array(WorkspaceFile) }) },
      ({ identity }) => {
        requireHouse(identity.person)
        return { items: files.list().filter(({ path }) => isNote(path)) }
      },
    ),
    route('/memory/files/*path').get(
      'A file with its `checksum`. Viewers and programs get it redacted.',
      { role: 'viewer', token: 'memory:read', reply: WorkspaceText },
      ({ params, identity }) => {
        requireHouse(identity.person)
        const file = files.read(params.path)
        // An operator edits the file and needs its unredacted text.
        return identity.role === 'operator' ? file : redact(file)
      },
    ),
    route('/memory/files/*path').put(
      'Writes a file. 409 where it changed since `checksum`. A program changes only the [text of others](tokens.md#memory-and-agents).',
      { role: 'operator', token: 'memory:write', body: FileBody, reply: WorkspaceText },
      ({ params, body: { text: asked, checksum }, by, identity: { token } }) => {
        if (token === undefined) return files.write(params.path, { text: asked, checksum, by })
        const text = programsNote(params.path, presentText(params.path, checksum, files.read), redact(asked))
        return redact(files.write(params.path, { text, checksum, by }))
      },
    ),
    route('/memory/files/*path').delete(
      'Deletes a file; a program, one that holds only texts of others.',
      { role: 'operator', token: 'memory:write' },
      ({ params, by, identity: { token } }) => {
        if (token !== undefined) programsNote(params.path, presentText(params.path, '', files.read), '')
        files.remove(params.path, by)
      },
    ),
    route('/memory/sessions/:id').get(
      'The memory of a session.',
      { role: 'viewer', token: 'memory:read', reply: z.object({ items: z.array(MemoryPassage) }) },
      async ({ params }) => redact({ items: await memory.call('passages', { name: params.id }) }),
    ),
    route('/memory/sessions/:id').delete('Forgets a session.', { role: 'operator' }, ({ params, by }) =>
      parts.forget(params.id, by),
    ),
    route('/memory/writes/:id/undo').post('Takes a `memory_write` back.', { role: 'operator' }, ({ params, by }) =>
      parts.undo(params.id, by),
    ),
  ]
}
