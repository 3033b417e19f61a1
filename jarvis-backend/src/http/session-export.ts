import { type Entry, firstOwnerId } from 'protocol'
import { z } from 'zod'
import type { Attachments } from '../agent/attachments.ts'
import type { Shares } from '../agent/sessions/shares.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import { wireEntry } from '../agent/sessions/wire-entry.ts'
import { sendText } from './handle.ts'
import { type Route, route } from './route.ts'
import { toMarkdown } from './session-markdown.ts'
import type { SessionView } from './session-view.ts'

/** Entries of an export that are read at a time. */
const entriesAtOnce = 200

const ExportQuery = z.strictObject({ format: z.enum(['jsonl', 'markdown']).default('markdown') })

/** An entry with the bytes of its files, in base64. */
function withFiles(entry: Entry, fileOf: (id: string) => Buffer | undefined): object {
  if (entry.type !== 'user' || entry.attachments === undefined) return entry
  const attachments = entry.attachments.map((file) => {
    const data = fileOf(file.id)
    return data === undefined ? file : { ...file, data: data.toString('base64') }
  })
  return { ...entry, attachments }
}

/** `/api/sessions/:id/export`: a session as a file, sent in pieces. */
export function exportRoutes(parts: {
  store: TranscriptStore
  known: SessionView['known']
  redact: Parameters<typeof wireEntry>[1]
  attachments: Pick<Attachments, 'read'>
  shares: Pick<Shares, 'of'>
  /** Returns a person's name by id. A text that is not a person's id is returned unchanged. */
  nameOf(id: string): string
}): Route[] {
  const { store, known } = parts

  /** Reads all entries of a session in pieces, oldest first, with a pause for other work after each piece. 10,000 messages take 0.3 s. */
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

  const fileIn = (id: string) => (attachmentId: string) => parts.attachments.read(id, attachmentId)?.data

  /** Returns a line of Markdown with the people with whom the session is shared; empty if it is not shared. */
  function sharedLine(id: string): string {
    const shared = parts.shares.of(id)
    if (shared.length === 0) return ''
    const names = shared.map(({ name, may }) => `${name} (${may === 'talk' ? 'reads and writes' : 'reads'})`)
    return `\nA conversation of ${parts.nameOf(known(id).person ?? firstOwnerId)}, shared with ${names.join(', ')}\n`
  }

  return [
    route('/sessions/:id/export').get(
      'A session as a file.',
      {
        role: 'viewer',
        forMembers: true,
        token: 'read',
        query: ExportQuery,
        media: ['text/markdown', 'application/x-ndjson'],
      },
      async ({ params, query: { format }, response }) => {
        const { id, title } = known(params.id)
        async function* text() {
          if (format === 'markdown') yield `# ${title}\n${sharedLine(id)}`
          for await (const entries of piecesOf(id)) {
            for (const entry of entries) {
              const line =
                format === 'markdown'
                  ? toMarkdown([entry], fileIn(id), parts.nameOf)
                  : `${JSON.stringify(withFiles(entry, fileIn(id)))}\n`
              if (line !== '') yield line
            }
          }
        }
        response.attachment(`${id}.${format === 'markdown' ? 'md' : 'jsonl'}`)
        response.type(format === 'markdown' ? 'text/markdown' : 'application/x-ndjson')
        await sendText(text(), response)
      },
    ),
  ]
}
