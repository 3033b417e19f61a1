import type { Page, ToolInfo } from 'jarvis-backend/protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

export const tools = new Remote(() => call<Page<ToolInfo>>('GET', '/api/tools'))
export const useTools = (): ToolInfo[] | undefined => useRemote(tools)?.items
