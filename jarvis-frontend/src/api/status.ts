import type { Status } from 'protocol'
import { call } from './http.ts'
import { Remote, useRemote } from './remote.ts'

export const status = new Remote('status', () => call('GET /api/status'), ['connect', 'settings'])
export const restartJarvis = () => call('POST /api/restart')
export const useStatus = (): Status | undefined => useRemote(status)
