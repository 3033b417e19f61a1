import { call } from './http.ts'

export const searchMemory = (query: string) =>
  call('GET /api/memory/search', { query: { limit: 20, q: query.slice(0, 500) } })
export const memoryStatus = () => call('GET /api/memory/status')
export const reindex = () => call('POST /api/memory/reindex')
export const listFiles = () => call('GET /api/memory/files')
export const readFile = (path: string) => call('GET /api/memory/files/*path', { params: { path } })
/** @param checksum of the file when it was read; undefined: a new file. @throws ApiError `conflict` */
export const writeFile = (path: string, text: string, checksum: string | undefined) =>
  call('PUT /api/memory/files/*path', { params: { path }, body: { text, checksum } })
export const deleteFile = (path: string) => call('DELETE /api/memory/files/*path', { params: { path } })
export const passagesOf = (id: string) => call('GET /api/memory/sessions/:id', { params: { id } })
export const forgetSession = (id: string) => call('DELETE /api/memory/sessions/:id', { params: { id } })
export const undoWrite = (id: string) => call('POST /api/memory/writes/:id/undo', { params: { id } })
