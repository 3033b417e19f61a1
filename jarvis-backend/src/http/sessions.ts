import {
  CheckpointFile,
  ChildRunRow,
  Entry,
  JarvisError,
  PageQuery,
  pageOf,
  SessionBranchBody,
  SessionPatchBody,
  SessionSummary,
  SessionsPage,
  SessionsQuery,
  Versions,
} from 'protocol'
import { z } from 'zod'
import type { Attachments } from '../agent/attachments.ts'
import type { GoingBack } from '../agent/context/going-back.ts'
import type { Reports } from '../agent/context/reports.ts'
import { childrenIn } from '../agent/run/child-list.ts'
import type { Runs } from '../agent/runs.ts'
import type { SessionList } from '../agent/sessions/session-list.ts'
import type { Sessions } from '../agent/sessions/sessions.ts'
import type { Shares } from '../agent/sessions/shares.ts'
import type { Draft, TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { versionsIn } from '../agent/sessions/versions.ts'
import { wireEntry } from '../agent/sessions/wire-entry.ts'
import type { Agents } from '../agents/agent.ts'
import type { SessionReach } from '../auth/reach.ts'
import { isAtLeast, requireStanding } from '../auth/roles.ts'
import type { ImageStore, Journal } from '../calls/ports.ts'
import { attachmentRoutes } from './attachments.ts'
import type { EventStreams } from './event-streams.ts'
import type { ProgramMessages } from './program-messages.ts'
import { type Route, route } from './route.ts'
import { createRoutes } from './session-create.ts'
import { exportRoutes } from './session-export.ts'
import { shareRoutes } from './session-shares.ts'
import { createSessionView, type SessionView } from './session-view.ts'
import { contextRoutes } from './sessions-context.ts'
import { runRoutes } from './sessions-runs.ts'

export type SessionParts = {
  runs: Runs
  /** Appends an entry to a run's transcript, within the caller's transaction. */
  note(sessionId: string, runId: string, entry: Draft): void
  store: TranscriptStore
  list: SessionList
  agents: Pick<Agents, 'require'>
  sessions: Sessions
  waitingCounts(): Map<string, number>
  redact: Parameters<typeof wireEntry>[1]
  now(): number
  journal: Journal
  image: ImageStore['get']
  attachments: Attachments
  reports: Reports
  goingBack: GoingBack
  /** Gives a branch its own copy of the session's folder. @returns the files of the copy that could not go back */
  branched(branch: {
    from: string
    to: string
    later: readonly { toolUseId: string; files: readonly string[] }[]
  }): Promise<CheckpointFile[]>
  streams: EventStreams
  reach(): SessionReach
  shares: Shares
  /** Returns a person's name by id. A text that is not a person's id is returned unchanged. */
  nameOf(id: string): string
  programs: ProgramMessages
}

/** `/api/sessions`: lists, reads, changes, branches, exports and deletes sessions. */
export function sessionRoutes(parts: SessionParts): Route[] {
  const view = createSessionView(parts)
  return [
    listRoute(parts, view),
    ...createRoutes({ ...parts, summary: view.summary }),
    ...readRoutes(parts, view),
    ...changeRoutes(parts, view),
    imageRoute(parts, view),
    ...exportRoutes({ ...parts, known: view.known }),
    ...shareRoutes(parts),
    ...attachmentRoutes(parts),
    ...contextRoutes(parts),
    ...runRoutes(parts),
  ]
}

const listRoute = (parts: SessionParts, { toRow }: SessionView): Route =>
  route('/sessions').get(
    'Sessions, and on the first page without `q` their `total`. `q` takes words and `"exact words"`; `agent`, `person` and `channel` take ids; `since` and `until` Unix ms, for the time of the last change.',
    { role: 'viewer', forMembers: true, token: 'read', query: SessionsQuery, reply: SessionsPage },
    ({ query: { q = '', before, limit, agent, person, ...filter }, identity }) => {
      const words = q.trim()
      const wanted = {
        ...filter,
        ...(agent !== undefined && { agents: [agent] }),
        ...(person !== undefined && { owner: person }),
        ...(!isAtLeast(identity.person.role, 'operator') && { person: identity.person.id }),
      }
      const { items, next, isIndexing } = parts.list.page({
        limit,
        ...wanted,
        ...(words !== '' && { words }),
        before,
      })
      const isWhole = words === '' && before === undefined
      return {
        items: items.map(toRow(parts.waitingCounts())),
        next,
        ...(isIndexing && { isIndexing }),
        ...(isWhole && { total: next === undefined ? items.length : parts.list.count(wanted) }),
      }
    },
  )

const readRoutes = (parts: SessionParts, { known, summary }: SessionView): Route[] => [
  route('/sessions/:id').get(
    'A session, with how full its model’s window is.',
    { role: 'viewer', forMembers: true, token: 'read', reply: SessionSummary },
    ({ params: { id } }) => {
      const { usedTokens, windowTokens: limitTokens } = parts.reports.of(id)
      return { ...summary(id), context: { usedTokens, limitTokens } }
    },
  ),
  route('/sessions/:id/versions').get(
    'The versions of each message.',
    { role: 'viewer', forMembers: true, token: 'read', reply: pageOf(Versions) },
    ({ params }) => {
      const { id } = known(params.id)
      return { items: versionsIn(id, parts.store.family(id)) }
    },
  ),
  route('/sessions/:id/children').get(
    'Its [child runs](delegation.md), oldest first.',
    { role: 'viewer', forMembers: true, token: 'read', reply: pageOf(ChildRunRow) },
    ({ params }) => ({ items: childrenIn(parts.store, known(params.id).id) }),
  ),
  route('/sessions/:id/entries').get(
    'Its entries, oldest first.',
    { role: 'viewer', forMembers: true, token: 'read', query: PageQuery, reply: pageOf(Entry) },
    ({ params, query: { limit, before } }) => {
      const { id } = known(params.id)
      const { items, hasEarlier } = parts.store.pageBefore(id, Number(before ?? Number.MAX_SAFE_INTEGER), limit)
      const first = items[0]
      return {
        items: items.map((entry) => wireEntry(entry, parts.redact)),
        ...(hasEarlier && first !== undefined && { next: String(first.seq) }),
      }
    },
  ),
]

/** Routes that change, branch and delete a session. The journal has each change. */
function changeRoutes(parts: SessionParts, { known, familyOf, summary }: SessionView): Route[] {
  const { runs } = parts
  const journalled = (by: string, change: 'renamed' | 'deleted' | 'archived' | 'unarchived', sessionId: string) => {
    // The journal must not keep a deleted session's title.
    const title = change === 'deleted' ? undefined : known(sessionId).title
    parts.journal.append('session', { sessionId, change, title, by })
  }
  return [
    route('/sessions/:id').patch(
      'Renames or archives a session, sets its model or effort, turns [rehearsal](safety.md) on or off.',
      { role: 'member', body: SessionPatchBody, reply: SessionSummary },
      ({ params: { id }, body: { title, isRehearsal, isArchived, model, effort }, by }) => {
        // Changes that may be refused come first.
        if (model !== undefined) parts.sessions.setModel(id, model ?? undefined)
        if (effort !== undefined) parts.sessions.setEffort(id, effort ?? undefined)
        if (isRehearsal !== undefined) runs.setRehearsal(id, isRehearsal, by)
        if (title !== undefined) {
          known(id)
          for (const version of familyOf(id)) runs.rename(version, title)
          journalled(by, 'renamed', id)
        }
        if (isArchived !== undefined && parts.sessions.archive(id, isArchived)) {
          journalled(by, isArchived ? 'archived' : 'unarchived', id)
        }
        return summary(id)
      },
    ),
    route('/sessions/:id/branch').post(
      '`before` a message’s `seq` makes another version of it; `after` an answer’s makes a separate session. With `restoreFiles`, `restored` says what became of each file.',
      {
        role: 'member',
        status: 201,
        body: SessionBranchBody,
        reply: SessionSummary.extend({ restored: z.array(CheckpointFile).optional() }),
      },
      async ({ params: { id: from }, body: { before, after = 0, model, restoreFiles }, by, identity }) => {
        // The files belong to the whole installation, so restoring them requires an operator.
        if (restoreFiles) requireStanding(identity.person.role, 'operator')
        const point = before === undefined ? { after } : { before }
        if (restoreFiles && runs.isRunning(from))
          throw new JarvisError(
            'conflict',
            'An answer or a call goes on. Files go back once it has ended; nothing was branched.',
          )
        const { sessionId, entry } = parts.sessions.branch(from, point, model)
        const { title } = known(sessionId)
        parts.journal.append('session', { sessionId, change: 'branched', title, from, entry, by })
        const later = parts.goingBack.laterCalls(from, before ?? after + 1)
        const stayed = await parts.branched({ from, to: sessionId, later })
        const back = restoreFiles
          ? parts.goingBack.restoreFiles(from, before ?? after, { by, branch: sessionId })
          : undefined
        const restored = back === undefined && stayed.length === 0 ? undefined : [...(back ?? []), ...stayed]
        return { ...summary(sessionId), ...(restored && { restored }) }
      },
    ),
    route('/sessions/:id').delete(
      'Deletes a session with all its versions.',
      { role: 'member' },
      async ({ params, by }) => {
        const { id } = known(params.id)
        for (const version of familyOf(id)) {
          await runs.remove(version, by)
          parts.streams.close(version)
          journalled(by, 'deleted', version)
        }
      },
    ),
  ]
}

const imageRoute = (parts: SessionParts, { known }: SessionView): Route =>
  route('/sessions/:id/images/:imageId').get(
    'A tool’s picture.',
    { role: 'viewer', forMembers: true, token: 'read', media: ['image/*'] },
    ({ params: { id, imageId }, response }) => {
      const image = parts.image(known(id).id, imageId)
      if (image === undefined) throw new JarvisError('not_found', 'There is no such picture in this session.')
      response.set({
        'Content-Type': image.mimeType,
        'Content-Security-Policy': "default-src 'none'; sandbox",
        // The browser must revalidate the image each time, so that it is not shown after sign-out or after the session was deleted.
        'Cache-Control': 'private, no-cache',
        ETag: `"${imageId}"`,
      })
      response.send(image.data)
    },
  )
