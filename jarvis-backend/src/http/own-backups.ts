import { OwnBackupMade, OwnBackupsReply } from 'protocol'
import { type Route, route } from './route.ts'

/**
 * `/api/backups`: the backups of JARVIS's own data. A backup holds the conversations of everybody, so no route hands one out; `jarvis restore` puts one
 * back.
 */
export const ownBackupRoutes = (backups: {
  state(): OwnBackupsReply
  /** @throws JarvisError `conflict` */
  make(by: string): Promise<OwnBackupMade>
}): Route[] => [
  route('/backups').get(
    'The backups of JARVIS’s own data in the data dir, newest first. [Operating](operate.md#backup-and-restore) says how to restore one.',
    { role: 'owner', reply: OwnBackupsReply },
    () => backups.state(),
  ),
  route('/backups').post(
    'Makes a backup now, and answers when it is finished and checked. 409 while another one is made, where 20 are there, or where the disk is almost full.',
    { role: 'owner', status: 201, reply: OwnBackupMade },
    ({ by }) => backups.make(by),
  ),
]
