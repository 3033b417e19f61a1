import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import type { GoingBack } from '../agent/context/going-back.ts'
import type { Reports } from '../agent/context/reports.ts'
import { childrenIn } from '../agent/run/child-list.ts'
import type { Runs } from '../agent/runs.ts'
import type { ListedSession, SessionList } from '../agent/sessions/session-list.ts'
import type { Sessions } from '../agent/sessions/sessions.ts'
import { untitled } from '../agent/sessions/title.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { versionsIn } from '../agent/sessions/versions.ts'
import { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { Agents } from '../agents/agent.ts'
import type { ImageStore, Journal } from '../calls/ports.ts'
import { newId } from '../lib/ids.ts'
import {
  type ChildRunRow,
  type Entry,
  JarvisError,
  mainAgentId,
  type Page,
  PageQuery,
  SessionBranchBody,
  SessionCreateBody,
  SessionPatchBody,
  type SessionSummary,
  type SessionsPage,
  SessionsQuery,
  type Versions,
} from '../protocol/index.ts'
import type { EventStreams } from './event-streams.ts'
import { identityOf, operatorOnly, param, read, sendText } from './handle.ts'
import { toMarkdown } from './session-markdown.ts'
import { contextRoutes } from './sessions-context.ts'
import { runRoutes } from './sessions-runs.ts'

/** Entries of an export that are read at a time. */
const entriesAtOnce = 200

const ExportQuery = z.strictObject({ format: z.enum(['jsonl', 'markdown']).default('markdown') })

/** `/api/sessions`: lists, reads, changes, branches, exports and deletes sessions. */
export function sessionRoutes(parts: {
  runs: Runs
  store: TranscriptStore
  list: SessionList
  agents: Pick<Agents, 'require'>
  sessions: Sessions
  pendingCounts(): Map<string, number>
  redact: Parameters<typeof wireEntry>[1]
  now(): number
  journal: Journal
  image: ImageStore['get']
  reports: Reports
  goingBack: GoingBack
  streams: EventStreams
}): Router {
  const { runs, store } = parts
  const toSummary = (
    { nextSeq: _, totals, found, agent, ...session }: ListedSession,
    pending: Map<string, number>,
    ids = [session.id],
  ): SessionSummary => ({
    ...session,
    ...(agent !== mainAgentId && { agent }),
    ...totals,
    ...(found && { found }),
    isRunning: ids.some((id) => runs.isRunning(id)),
    pendingCount: ids.reduce((sum, id) => sum + (pending.get(id) ?? 0), 0),
  })
  /** A row stands for all versions of a session, so cards that wait in an older version are counted too. */
  const toRow = (pending: Map<string, number>) => (session: ListedSession) =>
    toSummary(session, pending, session.versions === undefined ? [session.id] : familyOf(session.id))
  const familyOf = (id: string) => store.family(id).map((member) => member.id)
  const known = (id: string) => {
    const session = store.session(id)
    if (session === undefined) throw new JarvisError('unknown_session', 'There is no such session. It may be deleted.')
    return session
  }
  const summary = (id: string) => {
    const totals = parts.list.totals(id)
    return toSummary({ ...known(id), ...(totals && { totals }) }, parts.pendingCounts())
  }
  /** All entries of a session in pieces, oldest first, with a pause for other work between two. 10,000 messages take 0.3 s. */
  async function* piecesOf(id: string): AsyncGenerator<Entry[]> {
    for (let from = 0; ; ) {
      const entries = store.entriesFrom(id, from, entriesAtOnce)
      const last = entries.at(-1)
      if (last === undefined) return
      yield entries.map((entry) => wireEntry(entry, parts.redact))
      from = last.seq + 1
      await new Promise(setImmediate)
    }
  }

  const journalled = (
    request: Request,
    response: Response,
    change: 'renamed' | 'deleted' | 'archived' | 'unarchived',
    sessionId = param(request, 'id'),
  ) => {
    // The journal must not keep a deleted session's title.
    const title = change === 'deleted' ? undefined : known(sessionId).title
    parts.journal.append('session', { sessionId, change, title, by: identityOf(response).sub })
  }

  const router = Router()
  router.use(contextRoutes(parts))
  router.use(runRoutes(parts))
  router.get('/', (request, response) => {
    const { q = '', before, source, limit, archived } = read(SessionsQuery, request.query)
    const words = q.trim()
    const { items, next, isIndexing } = parts.list.page({
      limit,
      archived,
      ...(words !== '' && { words }),
      ...(before !== undefined && { before }),
      ...(source !== undefined && { source }),
    })
    const isWhole = words === '' && before === undefined
    const page: SessionsPage = {
      items: items.map(toRow(parts.pendingCounts())),
      ...(next !== undefined && { next }),
      ...(isIndexing && { isIndexing }),
      ...(isWhole && { total: next === undefined ? items.length : parts.list.count({ archived, source }) }),
    }
    response.json(page)
  })
  router.post('/', operatorOnly, (request, response) => {
    const { title, agent, message, requestId, model } = read(SessionCreateBody, request.body)
    if (message !== undefined) {
      const sent = runs.start({
        ...{ text: message, by: identityOf(response).sub },
        ...(requestId !== undefined && { requestId }),
        ...(model !== undefined && { model }),
        ...(agent !== undefined && { agent }),
      })
      if (title !== undefined) runs.rename(sent.sessionId, title)
      response.status(201).json({ ...summary(sent.sessionId), ...sent })
      return
    }
    const id = newId('ses')
    const safe = title === undefined ? untitled : parts.redact.text(title)
    if (agent !== undefined) parts.agents.require(agent)
    store.createSession({ id, title: safe, source: 'chat', at: parts.now(), ...(agent !== undefined && { agent }) })
    response.status(201).json(summary(id))
  })
  router.get('/:id', (request, response) => {
    const id = param(request, 'id')
    const { usedTokens, windowTokens: limitTokens } = parts.reports.of(id)
    response.json({ ...summary(id), context: { usedTokens, limitTokens } } satisfies SessionSummary)
  })
  router.get('/:id/versions', (request, response) => {
    const { id } = known(param(request, 'id'))
    response.json({ items: versionsIn(id, store.family(id)) } satisfies Page<Versions>)
  })
  router.get('/:id/children', (request, response) => {
    const { id } = known(param(request, 'id'))
    response.json({ items: childrenIn(store, id) } satisfies Page<ChildRunRow>)
  })
  router.get('/:id/entries', (request, response) => {
    const { id } = known(param(request, 'id'))
    const { limit, before } = read(PageQuery, request.query)
    const { items, hasEarlier } = store.pageBefore(id, Number(before ?? Number.MAX_SAFE_INTEGER), limit)
    const first = items[0]
    const page: Page<Entry> = {
      items: items.map((entry) => wireEntry(entry, parts.redact)),
      ...(hasEarlier && first !== undefined && { next: String(first.seq) }),
    }
    response.json(page)
  })
  router.patch('/:id', operatorOnly, (request, response) => {
    const id = param(request, 'id')
    const { title, isRehearsal, isArchived, model, effort } = read(SessionPatchBody, request.body)
    // Changes that may be refused come first.
    if (model !== undefined) parts.sessions.setModel(id, model ?? undefined)
    if (effort !== undefined) parts.sessions.setEffort(id, effort ?? undefined)
    if (isRehearsal !== undefined) runs.setRehearsal(id, isRehearsal, identityOf(response).sub)
    if (title !== undefined) {
      known(id)
      for (const version of familyOf(id)) runs.rename(version, title)
      journalled(request, response, 'renamed')
    }
    if (isArchived !== undefined && parts.sessions.archive(id, isArchived)) {
      journalled(request, response, isArchived ? 'archived' : 'unarchived')
    }
    response.json(summary(id))
  })
  router.post('/:id/branch', operatorOnly, (request, response) => {
    const from = param(request, 'id')
    const { before, after = 0, model, restoreFiles } = read(SessionBranchBody, request.body)
    const point = before === undefined ? { after } : { before }
    if (restoreFiles && runs.isRunning(from))
      throw new JarvisError(
        'conflict',
        'An answer or a call goes on. Files go back once it has ended; nothing was branched.',
      )
    const { sessionId, entry } = parts.sessions.branch(from, point, model)
    parts.journal.append('session', {
      sessionId,
      change: 'branched',
      title: known(sessionId).title,
      from,
      entry,
      by: identityOf(response).sub,
    })
    const restored = restoreFiles
      ? parts.goingBack.restoreFiles(from, before ?? after, identityOf(response).sub)
      : undefined
    response.status(201).json({ ...summary(sessionId), ...(restored && { restored }) })
  })
  router.delete('/:id', operatorOnly, async (request, response) => {
    const { id } = known(param(request, 'id'))
    for (const version of familyOf(id)) {
      await runs.remove(version, identityOf(response).sub)
      parts.streams.close(version)
      journalled(request, response, 'deleted', version)
    }
    response.status(204).end()
  })
  router.get('/:id/images/:imageId', (request, response) => {
    const image = parts.image(known(param(request, 'id')).id, param(request, 'imageId'))
    if (image === undefined) throw new JarvisError('not_found', 'There is no such picture in this session.')
    response.set({
      'Content-Type': image.mimeType,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      // Revalidated each time, so that a browser that signed out, or a deleted session, shows the image no more.
      'Cache-Control': 'private, no-cache',
      ETag: `"${param(request, 'imageId')}"`,
    })
    response.send(image.data)
  })
  router.get('/:id/export', async (request, response) => {
    const { id, title } = known(param(request, 'id'))
    const { format } = read(ExportQuery, request.query)
    async function* text() {
      if (format === 'markdown') yield `# ${title}\n`
      for await (const entries of piecesOf(id)) {
        yield format === 'markdown'
          ? toMarkdown(entries)
          : entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
      }
    }
    response.attachment(`${id}.${format === 'markdown' ? 'md' : 'jsonl'}`)
    response.type(format === 'markdown' ? 'text/markdown' : 'application/x-ndjson')
    await sendText(text(), response)
  })
  return router
}
