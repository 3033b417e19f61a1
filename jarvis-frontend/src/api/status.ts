import type { Status } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

export const status = new Remote(() => call('GET /api/status'))
export const restartJarvis = () => call('POST /api/restart')
export const useStatus = (): Status | undefined => useRemote(status)
