import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { SessionFilesReply } from 'protocol'
import type { OpenedFile, SessionFiles } from '../workbench/session-files.ts'
import { endOf } from './handle.ts'
import { type Route, route } from './route.ts'

/** `/api/sessions/:id/files`: the files of a session's own folder. */
export const sessionFileRoutes = (files: SessionFiles): Route[] => [
  route('/sessions/:id/files').get(
    'The [files](workbench.md#files-of-a-conversation) of the session’s own folder, newest first, with the call that wrote each. A file with `isGone` was written and is not there any more.',
    { role: 'viewer', forMembers: true, token: 'read', reply: SessionFilesReply },
    ({ params: { id }, response }) => files.list(id, endOf(response)),
  ),
  route('/sessions/:id/files/*path').get(
    'One of these files, at most 50 MB, whole or a `Range` of it. Secrets in a text are replaced; `Jarvis-Redacted: true` then says so.',
    {
      role: 'viewer',
      forMembers: true,
      token: 'read',
      media: ['image/*', 'text/plain', 'application/octet-stream'],
    },
    async ({ params: { id, path }, request, response }) => sendFile(await files.open(id, path), request, response),
  ),
]

/** Sends a file as a download that no browser runs: whole, the range that the request asks for, or 304 if the client has it already. */
export async function sendFile(file: OpenedFile, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { name, mimeType, size, tag, isRedacted } = file
  const asked = request.headers
  response.setHeader('Content-Type', mimeType)
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
  response.setHeader('Content-Disposition', dispositionOf(name))
  // The browser must revalidate the file each time, so that it is not shown after sign-out or after the session was deleted.
  response.setHeader('Cache-Control', 'private, no-cache')
  response.setHeader('Accept-Ranges', 'bytes')
  response.setHeader('ETag', tag)
  if (isRedacted) response.setHeader('Jarvis-Redacted', 'true')
  const end = (status: number, length?: number) => {
    file.close()
    response.writeHead(status, length === undefined ? {} : { 'Content-Length': length }).end()
  }
  if (asked['if-none-match'] === tag) return end(304)
  const isStale = asked['if-range'] !== undefined && asked['if-range'] !== tag
  const range = isStale ? 'whole' : rangeOf(asked.range, size)
  if (range === 'outside') {
    response.setHeader('Content-Range', `bytes */${size}`)
    return end(416, 0)
  }
  const [first, last] = range === 'whole' ? [0, size - 1] : range
  if (size === 0 || request.method === 'HEAD') return end(200, size)
  if (range !== 'whole') response.setHeader('Content-Range', `bytes ${first}-${last}/${size}`)
  response.writeHead(range === 'whole' ? 200 : 206, { 'Content-Length': last - first + 1 })
  try {
    await pipeline(file.read(first, last), response)
  } catch (error) {
    // The client left, or the file became shorter meanwhile: the connection ends before the promised length.
    if (!response.destroyed) throw error
  }
}

/** The header that makes a browser save a file. The plain name is for clients that do not know the encoded one. */
const dispositionOf = (name: string) =>
  `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)}`

/** The first and the last byte that a request asks for. Several ranges, and forms that are not known, ask for the whole file. */
function rangeOf(header: string | undefined, size: number): [number, number] | 'whole' | 'outside' {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return 'whole'
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return first > last ? 'outside' : [first, last]
}
