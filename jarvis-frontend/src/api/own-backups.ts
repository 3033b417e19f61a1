import { call } from './http.ts'

export const readBackups = () => call('GET /api/backups')
/** Makes a backup of JARVIS's own data now. @throws ApiError `conflict` */
export const makeBackup = () => call('POST /api/backups')
