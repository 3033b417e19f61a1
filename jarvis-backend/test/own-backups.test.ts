import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OwnBackupMade, OwnBackupsReply } from 'protocol'
import { expect, test } from 'vitest'
import { jarvisHere as cli } from './support/command-here.ts'
import { folder } from './support/data-dir.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const state = async (jarvis: TestJarvis) => (await (await jarvis.rest('/api/backups')).json()) as OwnBackupsReply
const make = (jarvis: TestJarvis) => jarvis.rest('/api/backups', { method: 'POST' })

test('a backup is made while JARVIS serves, listed and journalled, and the command line restores it', async () => {
  const dataDir = folder()
  const jarvis = await startJarvis({ dataDir })
  expect(await state(jarvis)).toEqual({ dir: join(dataDir, 'backups'), items: [], isRunning: false, most: 20 })
  const [one, other] = await Promise.all([make(jarvis), make(jarvis)])
  // Only one is made at a time.
  expect([one.status, other.status].sort()).toEqual([201, 409])
  const { backup, problem } = (await (one.status === 201 ? one : other).json()) as OwnBackupMade
  expect(problem).toBeUndefined()
  expect(await state(jarvis)).toMatchObject({ items: [backup], isRunning: false })
  expect(statSync(backup.path).size).toBe(backup.bytes)
  expect(statSync(backup.path).mode & 0o077).toBe(0)
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([backup.name])
  const { items } = (await (await jarvis.rest('/api/journal?kind=setup')).json()) as { items: { body: object }[] }
  expect(items.map(({ body }) => body)).toMatchObject([
    { change: 'backed_up', file: backup.name },
    { change: 'backup_begun', file: backup.name },
  ])
  await jarvis.stop()
  const restored = await cli(dataDir, 'restore', backup.path, '--yes')
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('Restored the backup') })
})

test('backups do not fill the disk', async () => {
  const dataDir = folder()
  const jarvis = await startJarvis({ dataDir })
  await make(jarvis)
  const dir = join(dataDir, 'backups')
  for (let at = 0; at < 19; at += 1) writeFileSync(join(dir, `jarvis-2026-01-01T00-00-00-${at}Z.db`), '')
  writeFileSync(join(dir, 'notes.txt'), '')
  expect((await state(jarvis)).items).toHaveLength(20)
  const refused = await make(jarvis)
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('There are 20 backups')])
})
