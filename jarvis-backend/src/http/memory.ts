import { z } from 'zod'
import { reaches } from '../auth/reach.ts'
import type { Identity } from '../auth/tokens.ts'
import { isNote } from '../memory/file-keeper.ts'
import type { Memory } from '../memory/remote.ts'
import {
  JarvisError,
  MemoryFound,
  MemoryPassage,
  MemoryStatus,
  WorkspaceFile,
  WorkspaceText,
} from '../protocol/index.ts'
import type { Workspace } from '../workspace/files.ts'
import { del, get, post, put, type Route } from './route.ts'

const SearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(500),
  limit: z.coerce.number().int().min(1).max(50).default(20),
})
/** `checksum`: of the file as it was read; absent for a new file. */
const FileBody = z.strictObject({ text: z.string().max(1_000_000), checksum: z.string().max(100).optional() })

/** Notes and passages come from everybody's chats. @throws JarvisError `forbidden` for those who do not see them */
function requireHouse({ person }: Identity): void {
  if (!reaches(person, undefined))
    throw new JarvisError(
      'forbidden',
      'What JARVIS remembers comes from the chats of others too. An operator may read it.',
    )
}

/** `/api/memory`: search, workspace files, what is remembered of a session, and the index. */
export function memoryRoutes(parts: {
  memory: Pick<Memory, 'call'> & { search(query: string, limit: number): Promise<MemoryFound> }
  workspace: Workspace
  forget(sessionId: string, by: string): Promise<void>
  undo(writeId: string, by: string): void
  redact<T>(value: T): T
}): Route[] {
  const { memory, workspace, redact } = parts
  return [
    get(
      '/memory/search',
      'Passages that fit a question. `limit` is 1 to 50.',
      { role: 'viewer', token: 'read', query: SearchQuery, reply: MemoryFound },
      async ({ query, identity }) => {
        requireHouse(identity)
        return redact(await memory.search(query.q, query.limit))
      },
    ),
    get('/memory/status', 'The state of the index.', { role: 'viewer', token: 'read', reply: MemoryStatus }, () =>
      memory.call('status', {}),
    ),
    post(
      '/memory/reindex',
      'Makes the index anew; `/memory/status` tells how far it is.',
      { role: 'operator', status: 202, reply: z.object({ started: z.literal(true) }) },
      () => {
        // Not awaited: progress is reported on /events and by /status.
        memory.call('reindex', {}).catch(() => {})
        return { started: true as const }
      },
    ),
    get(
      '/memory/files',
      'Notes and prompt files of the workspace.',
      { role: 'viewer', reply: z.object({ items: z.array(WorkspaceFile) }) },
      ({ identity }) => {
        requireHouse(identity)
        return { items: workspace.list().filter(({ path }) => isNote(path)) }
      },
    ),
    get(
      '/memory/files/*path',
      'A file with its `checksum`. Viewers get it redacted.',
      { role: 'viewer', reply: WorkspaceText },
      ({ params, identity }) => {
        requireHouse(identity)
        const file = workspace.read(params.path)
        // An operator edits the file and needs its unredacted text.
        return identity.role === 'operator' ? file : redact(file)
      },
    ),
    put(
      '/memory/files/*path',
      'Writes a file. 409 where it changed since `checksum`.',
      { role: 'operator', body: FileBody, reply: WorkspaceText },
      ({ params, body }) => workspace.write(params.path, body.text, body.checksum),
    ),
    del('/memory/files/*path', 'Deletes a file.', { role: 'operator' }, ({ params }) => workspace.remove(params.path)),
    get(
      '/memory/sessions/:id',
      'What is remembered of a session.',
      { role: 'viewer', reply: z.object({ items: z.array(MemoryPassage) }) },
      async ({ params }) => redact({ items: await memory.call('passages', { name: params.id }) }),
    ),
    del('/memory/sessions/:id', 'Forgets a session.', { role: 'operator' }, ({ params, by }) =>
      parts.forget(params.id, by),
    ),
    post('/memory/writes/:id/undo', 'Takes a `memory_write` back.', { role: 'operator' }, ({ params, by }) =>
      parts.undo(params.id, by),
    ),
  ]
}
