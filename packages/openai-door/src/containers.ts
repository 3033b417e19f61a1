import { ApiError } from './errors.ts'

/**
 * The files that a run wrote, in the form of OpenAI's container files. The container is the session, and the id of a file is made of its path, so no
 * table is needed.
 */

const fileId = (path: string): string => `cfile_${Buffer.from(path).toString('base64url')}`

/** Returns the path that a file's id names. @throws ApiError 404 */
export function pathOfFile(id: string): string {
  const [, encoded = ''] = /^cfile_([\w-]{1,8000})$/.exec(id) ?? []
  const path = Buffer.from(encoded, 'base64url').toString()
  if (path === '' || fileId(path) !== id)
    throw new ApiError('not_found', 'There is no file with this id.', { status: 404, param: 'file_id' })
  return path
}

/** The address of a file's bytes, on the server that answers. */
const contentOf = (sessionId: string, path: string): string =>
  `/v1/containers/${sessionId}/files/${fileId(path)}/content`

/** A file of an answer of Chat Completions, in JARVIS's own data there. */
export type OwnFile = { name: string; url: string }
export const ownFilesOf = (sessionId: string | undefined, paths: readonly string[] = []): { files?: OwnFile[] } =>
  sessionId === undefined || paths.length === 0
    ? {}
    : { files: paths.map((path) => ({ name: path, url: contentOf(sessionId, path) })) }

/** A file that a text of a response goes with. `start_index`, `end_index`: the end of the text, because the model marks no place. */
export type Citation = {
  type: 'container_file_citation'
  container_id: string
  file_id: string
  filename: string
  start_index: number
  end_index: number
}
export const citationOf = (sessionId: string, path: string, end: number): Citation => ({
  type: 'container_file_citation',
  container_id: sessionId,
  file_id: fileId(path),
  filename: path.slice(path.lastIndexOf('/') + 1),
  start_index: end,
  end_index: end,
})

/** @param changedAt Unix ms */
export const containerFile = (sessionId: string, file: { path: string; bytes: number; changedAt: number }) => ({
  id: fileId(file.path),
  object: 'container.file',
  created_at: Math.floor(file.changedAt / 1000),
  bytes: file.bytes,
  container_id: sessionId,
  path: file.path,
  source: 'assistant',
})
