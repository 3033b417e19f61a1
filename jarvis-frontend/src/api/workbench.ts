import type { CommandsReply, DiffReply, WorkbenchBody, WorkbenchPreview, WorkbenchReply } from 'protocol'
import { call } from './http.ts'

export const readWorkbench = () => call<WorkbenchReply>('GET', '/api/workbench')
/** Reads the lines that saving would write. @throws ApiError `invalid_request`, `conflict` */
export const previewWorkbench = (body: WorkbenchBody) => call<WorkbenchPreview>('POST', '/api/workbench/preview', body)
/** @throws ApiError as `previewWorkbench` */
export const saveWorkbench = (body: WorkbenchBody) => call<WorkbenchReply>('PUT', '/api/workbench', body)
/** Every line that a card's call changes. @throws ApiError */
export const readDiff = (toolUseId: string) =>
  call<DiffReply>('GET', `/api/workbench/diff/${encodeURIComponent(toolUseId)}`)
/** The commands that ran or run in the sandbox for a session. @throws ApiError */
export const readCommands = (sessionId: string) =>
  call<CommandsReply>('GET', `/api/sessions/${encodeURIComponent(sessionId)}/commands`)
/** @throws ApiError */
export const stopCommand = (sessionId: string, commandId: string) =>
  call<void>('POST', `/api/sessions/${encodeURIComponent(sessionId)}/commands/${encodeURIComponent(commandId)}/stop`)
