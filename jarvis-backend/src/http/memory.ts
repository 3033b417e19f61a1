import { Router } from 'express'
import { z } from 'zod'
import { isNote } from '../memory/file-keeper.ts'
import type { Memory } from '../memory/remote.ts'
import { JarvisError, type MemoryFound } from '../protocol/index.ts'
import type { Workspace } from '../workspace/files.ts'
import { identityOf, operatorOnly, param, read } from './handle.ts'

const SearchQuery = z.strictObject({
  q: z.string().trim().min(1).max(500),
  limit: z.coerce.number().int().min(1).max(50).default(20),
})
/** `checksum`: of the file as it was read; absent for a new file. */
const FileBody = z.strictObject({ text: z.string().max(1_000_000), checksum: z.string().max(100).optional() })

/** `/api/memory`: search, workspace files, what is remembered of a session, and the index. */
export function memoryRoutes(parts: {
  memory: Pick<Memory, 'call'> & { search(query: string, limit: number): Promise<MemoryFound> }
  workspace: Workspace
  forget(sessionId: string, by: string): Promise<void>
  undo(writeId: string, by: string): void
  redact<T>(value: T): T
}): Router {
  const { memory, workspace, redact } = parts
  const router = Router()
  router.get('/search', async (request, response) => {
    const { q, limit } = read(SearchQuery, request.query)
    response.json(redact(await memory.search(q, limit)))
  })
  router.get('/status', async (_request, response) => {
    response.json(await memory.call('status', {}))
  })
  router.post('/reindex', operatorOnly, (_request, response) => {
    // Not awaited: progress is reported on /events and by /status.
    memory.call('reindex', {}).catch(() => {})
    response.status(202).json({ started: true })
  })
  router.get('/files', (_request, response) => {
    response.json({ items: workspace.list().filter(({ path }) => isNote(path)) })
  })
  router.get('/files/*path', (request, response) => {
    const file = workspace.read(pathIn(request.params))
    // An operator edits the file and needs its unredacted text.
    response.json(identityOf(response).role === 'operator' ? file : redact(file))
  })
  router.put('/files/*path', operatorOnly, (request, response) => {
    const { text, checksum } = read(FileBody, request.body)
    response.json(workspace.write(pathIn(request.params), text, checksum))
  })
  router.delete('/files/*path', operatorOnly, (request, response) => {
    workspace.remove(pathIn(request.params))
    response.status(204).end()
  })
  router.get('/sessions/:id', async (request, response) => {
    response.json({ items: await memory.call('passages', { name: param(request, 'id') }) })
  })
  router.delete('/sessions/:id', operatorOnly, async (request, response) => {
    await parts.forget(param(request, 'id'), identityOf(response).sub)
    response.status(204).end()
  })
  router.post('/writes/:id/undo', operatorOnly, (request, response) => {
    parts.undo(param(request, 'id'), identityOf(response).sub)
    response.status(204).end()
  })
  return router
}

function pathIn(params: Record<string, string | string[]>): string {
  const { path } = params
  if (path === undefined) throw new JarvisError('invalid_request', 'Name a file.')
  return typeof path === 'string' ? path : path.join('/')
}
