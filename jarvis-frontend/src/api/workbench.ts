import type { DiffReply, WorkbenchReply } from 'jarvis-backend/protocol'
import { call } from './http.ts'

export const readWorkbench = () => call<WorkbenchReply>('GET', '/api/workbench')
/** Every line that a card's call changes. @throws ApiError */
export const readDiff = (toolUseId: string) =>
  call<DiffReply>('GET', `/api/workbench/diff/${encodeURIComponent(toolUseId)}`)
