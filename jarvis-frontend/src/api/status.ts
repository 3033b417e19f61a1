import type { Status } from 'jarvis-backend/protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

export const status = new Remote(() => call<Status>('GET', '/api/status'))
export const useStatus = (): Status | undefined => useRemote(status)
