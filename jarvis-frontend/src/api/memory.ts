import type { MemoryFound, MemoryPassage, MemoryStatus, Page, WorkspaceFile, WorkspaceText } from 'protocol'
import { call } from './http.ts'

const filePath = (path: string) => `/api/memory/files/${path.split('/').map(encodeURIComponent).join('/')}`
const sessionPath = (id: string) => `/api/memory/sessions/${encodeURIComponent(id)}`

export const searchMemory = (query: string) =>
  call<MemoryFound>('GET', `/api/memory/search?limit=20&q=${encodeURIComponent(query.slice(0, 500))}`)
export const memoryStatus = () => call<MemoryStatus>('GET', '/api/memory/status')
export const reindex = () => call('POST', '/api/memory/reindex')
export const listFiles = () => call<Page<WorkspaceFile>>('GET', '/api/memory/files')
export const readFile = (path: string) => call<WorkspaceText>('GET', filePath(path))
/** @param checksum of the file when it was read; undefined: a new file. @throws ApiError `conflict` */
export const writeFile = (path: string, text: string, checksum: string | undefined) =>
  call<WorkspaceText>('PUT', filePath(path), { text, checksum })
export const deleteFile = (path: string) => call('DELETE', filePath(path))
export const passagesOf = (sessionId: string) => call<Page<MemoryPassage>>('GET', sessionPath(sessionId))
export const forgetSession = (sessionId: string) => call('DELETE', sessionPath(sessionId))
export const undoWrite = (id: string) => call('POST', `/api/memory/writes/${encodeURIComponent(id)}/undo`)
