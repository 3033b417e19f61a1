import type { CommandsReply, DiffReply, WorkbenchBody, WorkbenchPreview, WorkbenchReply } from 'protocol'
import { call } from './http.ts'

export const readWorkbench = () => call<WorkbenchReply>('GET', '/api/workbench')
/** Reads the lines that saving would write. @throws ApiError `invalid_request`, `conflict` */
export const previewWorkbench = (body: WorkbenchBody) => call<WorkbenchPreview>('POST', '/api/workbench/preview', body)
/** Saves the settings of the workbench. @throws ApiError as `previewWorkbench` */
export const saveWorkbench = (body: WorkbenchBody) => call<WorkbenchReply>('PUT', '/api/workbench', body)
/** Reads all lines that the call of a card would change. @throws ApiError */
export const readDiff = (toolUseId: string) =>
  call<DiffReply>('GET', `/api/workbench/diff/${encodeURIComponent(toolUseId)}`)
/** Reads the sandbox commands of a session, running and ended. @throws ApiError */
export const readCommands = (sessionId: string) =>
  call<CommandsReply>('GET', `/api/sessions/${encodeURIComponent(sessionId)}/commands`)
/** Stops a command in the sandbox. @throws ApiError */
export const stopCommand = (sessionId: string, commandId: string) =>
  call<void>('POST', `/api/sessions/${encodeURIComponent(sessionId)}/commands/${encodeURIComponent(commandId)}/stop`)
